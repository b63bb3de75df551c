"""Comparisons for tests under PyTorch's name; the code is in specgrad.runtime.testing."""

from ..runtime.testing.comparison import assert_allclose, assert_close
from ..runtime.testing.samples import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
