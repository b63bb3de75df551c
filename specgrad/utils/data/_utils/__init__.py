"""Parts of loading in batches that programs use by themselves, under PyTorch's names."""

from . import collate, pin_memory, worker

MP_STATUS_CHECK_INTERVAL = 5.0

__all__ = ["MP_STATUS_CHECK_INTERVAL", "collate", "pin_memory", "worker"]
