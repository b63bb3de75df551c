"""The class of nested tensors, under PyTorch's name; the code is in specgrad.nn.nested."""

from ...nn.nested.tensor import NestedTensor

__all__ = ["NestedTensor"]
