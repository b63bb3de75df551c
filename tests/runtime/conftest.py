"""`lib`: the tests that use it hold for specgrad, and for PyTorch as well where it is installed."""

from tests.nn.conftest import lib

__all__ = ["lib"]
