"""Averages of parameters under PyTorch's name; the code is in specgrad.nn.optim.swa_utils."""

from ..nn.optim.swa_utils import *
