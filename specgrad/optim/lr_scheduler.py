"""Learning-rate schedules under PyTorch's name; the code is in specgrad.nn.optim.lr_scheduler."""

from ..nn.modules.borrowed import borrowed as _borrowed
from ..nn.optim.lr_scheduler import *
from ..nn.optim.lr_scheduler.base import _enable_get_lr_call as _enable_get_lr_call

__getattr__ = _borrowed(__name__, "optim")
