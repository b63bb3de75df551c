"""The programs of engine_programs give in specgrad what they give in PyTorch."""

from typing import Any

import pytest

import specgrad as sg

from .engine_programs import PROGRAMS


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.__name__ for program in PROGRAMS])
def test_as_pytorch(program: Any) -> None:
    """Gradients, the order of hooks, layouts, what is retained and what is freed are PyTorch's."""
    torch = pytest.importorskip("torch")
    assert repr(program(sg)).replace("specgrad", "torch") == repr(program(torch))
