"""Calls between processes under PyTorch's name: there are none, as there are no process groups."""

from ..runtime.pytorch.environment.process_groups import absent as init_rpc
from ..runtime.pytorch.environment.process_groups import absent as remote
from ..runtime.pytorch.environment.process_groups import absent as rpc_async
from ..runtime.pytorch.environment.process_groups import absent as rpc_sync
from ..runtime.pytorch.environment.process_groups import absent as shutdown


def is_available() -> bool:
    """Whether there are calls between processes: not yet."""
    return False


__all__ = ["init_rpc", "is_available", "remote", "rpc_async", "rpc_sync", "shutdown"]
