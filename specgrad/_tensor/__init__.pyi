"""PyTorch's `torch._tensor`, by names: written from `torch_names.py`."""

from specgrad.generated.tensor import Tensor as Tensor
