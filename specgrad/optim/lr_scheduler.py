"""Learning-rate schedules under PyTorch's name; the code is in specgrad.nn.optim.lr_scheduler."""

from ..nn.optim.lr_scheduler import *
