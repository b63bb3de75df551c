"""Calls between processes under PyTorch's name: there are none, as there are no process groups."""

from ..runtime.pytorch.environment.process_groups import is_available
from ..runtime.pytorch.environment.process_groups import needs_group as init_rpc
from ..runtime.pytorch.environment.process_groups import needs_group as remote
from ..runtime.pytorch.environment.process_groups import needs_group as rpc_async
from ..runtime.pytorch.environment.process_groups import needs_group as rpc_sync
from ..runtime.pytorch.environment.process_groups import needs_group as shutdown

__all__ = ["init_rpc", "is_available", "remote", "rpc_async", "rpc_sync", "shutdown"]
