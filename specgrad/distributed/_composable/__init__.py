"""Older names of what changes a module for several processes."""

from . import fsdp
from .fsdp import fully_shard

__all__ = ["fsdp", "fully_shard"]
