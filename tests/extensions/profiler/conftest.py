"""Fixtures of the profiler's tests."""

from typing import Any

import pytest

from specgrad.runtime.tensor.observers import watch


@pytest.fixture(autouse=True)
def nothing_watches_afterwards() -> Any:
    yield
    assert not watch.active
    assert watch.interceptors == watch.timers == watch.notes == watch.passes == watch.spans == ()
