"""Where older programs look for regions of tensors on several processes."""

from ...runtime.pytorch.environment.sharded_modules import implicit_replication

__all__ = ["implicit_replication"]
