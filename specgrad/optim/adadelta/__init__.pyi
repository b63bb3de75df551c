"""PyTorch's `torch.optim.adadelta`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.adagrad import *
from specgrad.nn.optim.adagrad import Adadelta as Adadelta
from specgrad.nn.optim.adagrad import adadelta as adadelta
