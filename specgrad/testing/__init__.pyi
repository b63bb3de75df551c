"""PyTorch's `torch.testing`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.testing.assert_close import assert_allclose as assert_allclose
from specgrad.runtime.extensions.testing.assert_close import assert_close as assert_close
from specgrad.runtime.extensions.testing.assert_close import make_tensor as make_tensor
