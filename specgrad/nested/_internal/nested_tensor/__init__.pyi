"""PyTorch's `torch.nested._internal.nested_tensor`, by names: written from `torch_names.py`."""

from specgrad.nn.nested.tensor import NestedTensor as NestedTensor
