"""Optimizers under PyTorch's name; the code is in specgrad.nn.optim."""

from ..nn import optim as _optim
from ..nn.optim import *
from . import optimizer as optimizer

__all__ = ["optimizer"]
__all__ += _optim.__all__
