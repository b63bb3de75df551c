"""How long process groups wait, under PyTorch's name."""

from ..runtime.distributed.world import default_pg_timeout

__all__ = ["default_pg_timeout"]
