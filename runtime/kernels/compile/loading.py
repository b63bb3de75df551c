"""Loading the compiler, which takes a second: Ctrl-C in the middle of it must not leave half of it for ever."""

from __future__ import annotations

import importlib
import sys
import threading
from typing import Any

from ... import locks

WHOLE = (
    "numba",
    f"{__package__}.array_types",
    f"{__package__}.compiler_pipelines",
    f"{__package__.partition('.kernels')[0]}.pool.commands",
)  # with all that they import
_done: list[bool] = []
_loaders: list[threading.Thread] = []  # that were started


def load_compiler() -> None:
    """Import what compiling needs, in another thread: exceptions that are meant for this one do not reach it there.

    A module whose import was interrupted is imported again, which those of numba do not survive.
    """
    if not _done:
        _load()


def load_types() -> None:
    """Import what types and lowers NumPy's functions, which numba does when it compiles first, but nothing of SciPy's.

    numba looks there whether SciPy has a BLAS, which takes as long as numba itself; specgrad requires SciPy, and who
    compiles a product by numba's means imports it then.
    """
    if "numba.np.arraymath" not in sys.modules:
        linalg: Any = importlib.import_module("numba.np.linalg")
        look = linalg.ensure_blas
        linalg.ensure_blas = lambda: None
        try:
            importlib.import_module("numba.np.arraymath")
        finally:
            linalg.ensure_blas = look


def is_loaded() -> bool:
    """Whether that has been done."""
    return bool(_done)


def _load() -> None:
    if locks.loads_here() or sys.is_finalizing() or locks.are_kept():
        return  # whoever needs a module imports it here: no thread starts any more, or gets the locks that this one has
    errors: list[BaseException] = []
    if not any(loader.is_alive() for loader in _loaders):  # one goes on when who waits for it is interrupted
        loader = threading.Thread(target=_import_all, args=(errors,), name="loading the compiler", daemon=True)
        try:
            loader.start()  # another thread may start one too: the second finds all imported
        except RuntimeError:  # Python 3.12 starts none any more while it ends
            return
        _loaders.append(loader)
    _loaders[-1].join()
    if errors:
        raise errors[0]


def _import_all(errors: list[BaseException]) -> None:
    try:
        for name in WHOLE:
            importlib.import_module(name)
        _done.append(True)
    except BaseException as error:  # for the thread that waits
        errors.append(error)
