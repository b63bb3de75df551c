"""PyTorch's `torch.distributions.transformed_distribution`, by names: written from `torch_names.py`."""

from specgrad.nn.distributions.independent import *
