"""PyTorch's `torch.distributions.fishersnedecor`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.beta import *
