"""Setting the number of threads that one call uses in NumPy's BLAS and in kernels that share work."""

from __future__ import annotations

import ctypes
import importlib
from typing import Any

from .thread_count import choose
from .thread_count import get_num_threads as get_num_threads
from .workers import resize

_BLAS_SETTERS = (
    "scipy_openblas_set_num_threads64_",  # NumPy's own wheels
    "scipy_openblas_set_num_threads",
    "openblas_set_num_threads64_",
    "openblas_set_num_threads",
    "MKL_Set_Num_Threads",
    "bli_thread_set_num_threads",
)


def set_num_threads(number: int, /) -> None:
    """Use at most this many threads inside one operation.

    Args:
        number: at least 1.

    Raises:
        RuntimeError: not a positive integer.

    Example:
        >>> import specgrad as sg
        >>> sg.set_num_threads(1)
        >>> sg.get_num_threads()
        1
    """
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise RuntimeError(f"set_num_threads(): expected a positive integer, but got {number!r}")
    _set_blas_threads(number)
    choose(number)
    resize()


def get_num_interop_threads() -> int:
    """The number of operations that run at the same time in a program of one thread: always 1."""
    return 1


def set_num_interop_threads(number: int, /) -> None:
    """Ask for several operations at the same time; without effect, since one follows the other.

    Args:
        number: at least 1.

    Raises:
        RuntimeError: not a positive integer.
    """
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise RuntimeError(f"set_num_interop_threads(): expected a positive integer, but got {number!r}")


def _set_blas_threads(number: int) -> None:
    """Tell the BLAS that NumPy is linked to; one without such a function (Accelerate) decides for itself."""
    core: Any = importlib.import_module("numpy._core._multiarray_umath")
    library = ctypes.PyDLL(core.__file__)  # symbols are also looked for in what it is linked to; no thread stops in it
    for name in _BLAS_SETTERS:
        if hasattr(library, name):
            library[name](ctypes.c_int(number))
            return
