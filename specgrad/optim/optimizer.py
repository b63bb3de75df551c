"""The base class of optimizers under PyTorch's name; the code is in specgrad.nn.optim."""

from ..nn.optim.optimizer import Optimizer, required

__all__ = ["Optimizer", "required"]
