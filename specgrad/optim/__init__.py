"""Optimizers under PyTorch's name; the code is in specgrad.nn.optim."""

from ..nn.optim import *
from . import optimizer as optimizer
