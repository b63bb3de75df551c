"""Shares of samples for several processes under PyTorch's name; the code is in specgrad.nn.data."""

from ...nn.data.distributed import DistributedSampler

__all__ = ["DistributedSampler"]
