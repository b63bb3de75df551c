"""PyTorch's `torch.testing`, by names: written from `torch_names.py`."""

from specgrad.runtime.pytorch.testing.comparison import assert_allclose as assert_allclose
from specgrad.runtime.pytorch.testing.comparison import assert_close as assert_close
from specgrad.runtime.pytorch.testing.samples import make_tensor as make_tensor
