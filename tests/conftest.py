"""Fixtures of all tests."""

from collections.abc import Iterator
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.kernels.jobs import layout, sharing


@pytest.fixture
def threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """threads(number) sets the number of threads, which share work of any size then."""
    before = sg.get_num_threads()
    monkeypatch.setattr(layout, "LARGE", 1)
    monkeypatch.setattr(sharing, "LARGE_FOR_PYTHON", 1)
    yield sg.set_num_threads
    monkeypatch.undo()
    sg.set_num_threads(before)
