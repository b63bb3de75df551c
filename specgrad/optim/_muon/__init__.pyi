"""PyTorch's `torch.optim._muon`, by names: written from `torch_names.py`."""

from specgrad.nn.optim.adam_variants import *
from specgrad.nn.optim.adam_variants import Muon as Muon
