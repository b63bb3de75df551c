"""PyTorch's `torch._subclasses`, by names: written from `torch_names.py`."""

from specgrad._subclasses.fake_tensor import FakeTensor as FakeTensor

from . import fake_tensor as fake_tensor
