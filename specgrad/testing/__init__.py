"""Comparisons for tests under PyTorch's name; the code is in specgrad.runtime.pytorch.testing."""

from ..runtime.pytorch.testing.comparison import assert_allclose, assert_close
from ..runtime.pytorch.testing.samples import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
