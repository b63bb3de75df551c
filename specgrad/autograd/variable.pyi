"""PyTorch's `torch.autograd.variable`, by names: written from `torch_names.py`."""

from specgrad.runtime.autograd.variable import Variable as Variable
