"""Shares of samples for several processes under PyTorch's name; the code is in specgrad.nn.data."""

from ...nn.data.distributed import DistributedSampler
from ...nn.modules.borrowed import borrowed as _borrowed

__all__ = ["DistributedSampler"]

__getattr__ = _borrowed(__name__, "utils.data")
