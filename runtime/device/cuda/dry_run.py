"""What a kernel does, written down, so that it can be done again: inside `rehearsed` this thread's launches, its calls
by address and its blocks are noted; all else asked of the driver or of a library raises `Beyond`."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...thread_state import PerThread

HARMLESS = frozenset(("launch", "load", "max_elements", "properties", "device_count", "launch_entry", "launch_handle"))


class Beyond(Exception):
    """What ends a rehearsal."""


class DryRun:
    """The launches and calls of a kernel, and all blocks that it took. `words`: for bad indices; `constants`: arrays
    that an op knows beforehand; `workspace`: memory that calls of libraries use one after the other."""

    def __init__(self) -> None:
        self.launches: list[Any] = []
        self.blocks: list[Any] = []
        self.slot_values: list[Any] = []
        self.constants: list[Any] = []
        self.workspace: Any = None


class _Here(PerThread):
    def __init__(self) -> None:
        self.now: DryRun | None = None


here = _Here()


@contextmanager
def rehearsed() -> Iterator[DryRun]:
    before, here.now = here.now, DryRun()
    try:
        yield here.now
    finally:
        here.now = before


@contextmanager
def unrehearsed() -> Iterator[None]:
    before, here.now = here.now, None
    try:
        yield
    finally:
        here.now = before


def is_rehearsed() -> bool:
    return here.now is not None


class Watched:
    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def __getattr__(self, name: str) -> Any:
        if name not in HARMLESS:
            beyond_launches()
        return getattr(self.driver, name)


def watched(driver: Any) -> Any:
    return driver if here.now is None else Watched(driver)


def noted(launched: Any) -> None:
    if here.now is not None:
        here.now.launches.append(launched)


def block_noted(block: Any) -> None:
    if here.now is not None:
        here.now.blocks.append(block)


def word_noted(word: Any) -> None:
    if here.now is not None and word not in here.now.slot_values:
        here.now.slot_values.append(word)


def constant_noted(array: Any) -> None:
    if here.now is not None:
        here.now.constants.append(array)


def beyond_launches() -> None:
    """What is done now cannot be done again: the rehearsal ends before it, so that it is done but once."""
    if here.now is not None:
        raise Beyond
