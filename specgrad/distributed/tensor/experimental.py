"""Regions of tensors on several processes; the code is in specgrad.runtime.pytorch.environment."""

from ...runtime.pytorch.environment.sharded_modules import implicit_replication

__all__ = ["implicit_replication"]
