"""PyTorch's `torch.optim._adafactor`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.adagrad import *
from specgrad.nn.optim.adagrad import Adafactor as Adafactor
