"""How long process groups wait, under PyTorch's name."""

from ..runtime.pytorch.environment.process_groups import default_pg_timeout

__all__ = ["default_pg_timeout"]
