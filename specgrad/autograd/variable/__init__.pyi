"""PyTorch's `torch.autograd.variable`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.torch_compat.functions import Variable as Variable
