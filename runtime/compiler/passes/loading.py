"""Loading the compiler, of which Ctrl-C must not leave half for ever; and no search for garbage while it compiles."""

from __future__ import annotations

import gc
import importlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ... import locks

FULL_IMPORTS = (
    "numba",
    f"{__package__}.array_types",
    f"{__package__}.pipelines",
    f"{__package__}.float16",
    f"{__package__.partition('.compiler')[0]}.device.threads.worker_threads",
)  # with all that they import
# What numba itself imports when it compiles first, where it holds its lock: here none is needed.
REGISTRIES = ("numba.core.boxing", "numba.cpython.listobj", "numba.cpython.setobj", "numba.np.npyimpl")


def load_compiler() -> None:
    if not _COMPILER.is_done:
        _COMPILER.do()


def load_types() -> None:
    """Import what numba does when it compiles first: what types and lowers functions, but nothing of SciPy's."""
    if not _TYPES.is_done and not _TYPES.do():
        _import_types()


def is_loaded() -> bool:
    return _COMPILER.is_done


class Imports:
    """Imports in another thread, where exceptions for this one do not reach them: numba survives no interruption."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.is_done = False
        self._work = work
        self._threads: list[threading.Thread] = []  # that were started

    def do(self) -> bool:
        """Wait until all is there. False where no thread starts, or gets this one's locks."""
        if locks.loads_here() or sys.is_finalizing() or locks.are_retained():
            return False
        errors: list[BaseException] = []
        if not any(thread.is_alive() for thread in self._threads):  # one goes on when who waits for it is interrupted
            thread = threading.Thread(target=self._run, args=(errors,), name="loading the compiler", daemon=True)
            try:
                thread.start()  # another thread may start one too: the second finds all imported
            except RuntimeError:  # Python 3.12 starts none any more while it ends
                return False
            self._threads.append(thread)
        self._threads[-1].join()
        if errors:
            raise errors[0]
        return True

    def _run(self, errors: list[BaseException]) -> None:
        try:
            self._work()
            self.is_done = True
        except BaseException as error:  # for the thread that waits
            errors.append(error)


def _import_all() -> None:
    for name in FULL_IMPORTS:
        importlib.import_module(name)


def _import_types() -> None:
    """numba looks whether SciPy has a BLAS, which takes as long as numba; who needs it imports it then."""
    linalg: Any = importlib.import_module("numba.np.linalg")
    look = linalg.ensure_blas
    linalg.ensure_blas = lambda: None
    try:
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = look
    for name in REGISTRIES:
        importlib.import_module(name)


_COMPILER, _TYPES = Imports(_import_all), Imports(_import_types)


@contextmanager
def left_alone() -> Iterator[None]:
    """Collect nothing meanwhile, which is a twelfth of the time that a kernel takes to compile."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
