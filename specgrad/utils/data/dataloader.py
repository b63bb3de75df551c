"""Loading in batches under PyTorch's name; the code is in specgrad.nn.data."""

from ...nn.data import DataLoader, default_collate, get_worker_info

__all__ = ["DataLoader", "default_collate", "get_worker_info"]
