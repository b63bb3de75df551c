"""The base class of optimizers under PyTorch's name; the code is in specgrad.nn.optim."""

from ..nn.optim import Optimizer

__all__ = ["Optimizer"]
