"""A simulated driver in place of the one in use, with an allocator and streams of its own, for one test."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from specgrad.runtime.device.cuda import allocator, current, driver
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver


@contextmanager
def simulated(devices: int = 1, memory: int = 1 << 26, **keywords: Any) -> Iterator[SimulatedDriver]:
    """The driver that everything uses inside."""
    found = SimulatedDriver(devices, memory, **keywords)
    with in_use(found):
        yield found


@contextmanager
def in_use(found: Any) -> Iterator[None]:
    """Any driver, or none, as the one in use."""
    states = [(driver._chosen, [found][: found is not None]), *EMPTY]
    retained = [(state, state.copy()) for state, _ in states]
    here = current.here.device, current.here.streams
    try:
        for state, inside in states:
            _replace(state, inside)
        current.go(0, {})
        yield
    finally:
        for state, before in retained:
            _replace(state, before)
        current.go(*here)


EMPTY: list[tuple[Any, Any]] = [(allocator._caches, {})]


def _replace(state: Any, content: Any) -> None:
    state.clear()
    (state.update if isinstance(state, dict) else state.extend)(content)
