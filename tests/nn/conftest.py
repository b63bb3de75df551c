"""`lib`: the tests that use it hold for specgrad, and for PyTorch as well where it is installed."""

import importlib.util
from types import ModuleType
from typing import Any

import pytest

LIBRARIES = ["specgrad"] + (["torch"] if importlib.util.find_spec("torch") else [])


@pytest.fixture(params=LIBRARIES)
def lib(request: Any) -> ModuleType:
    """specgrad; and PyTorch, so that what is expected is what PyTorch does."""
    return importlib.import_module(request.param)
