"""PyTorch's `torch.optim._muon`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.radam import *
from specgrad.nn.optim.radam import Muon as Muon
