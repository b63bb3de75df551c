"""Kernels whose work several threads share where there is much of it, and the number of threads, also of BLAS."""

from __future__ import annotations

import ctypes
import importlib
from typing import Any

import numpy as np

from . import job
from .call_record import address_of, sliced_arrays, slots_of
from .job import DONE, FAILED, MAX_SLICED, RANGE, SLICE, SLICES, request_of
from .workers import choose, in_parts, resize, run_on_workers
from .workers import get_num_threads as get_num_threads

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


CALL = 4  # times as large as what native code shares: Python needs some 6 us to describe a call
LARGE_FOR_PYTHON = 1 << 18  # elements; a worker that must run Python begins some 50 us later


def shared(loop: Any, arguments: tuple[Any, ...], count: int, work: int, unit: int = 1) -> None:
    """loop(*arguments, first, last) of range(count), by threads if `work`, in elements, is large; in `unit`s."""
    if not is_shared(work) or count <= unit:
        loop(*arguments, 0, count)
        return
    if not _compiled(RANGE, loop, arguments, (0, 0), [], count, unit):
        in_parts(count, unit, lambda first, last: loop(*arguments, first, last))


def is_shared(work: int) -> bool:
    """Whether work, in elements, is so large that threads share it where a compiled kernel does it."""
    return work >= CALL * job.LARGE and get_num_threads() > 1


def by_slices(kernel: Any, arguments: tuple[Any, ...], size: int) -> None:
    """kernel(*arguments) of flat arrays, place by place, and numbers; by several threads where they are large."""
    if not is_shared(size):
        kernel(*arguments)
        return
    if _compiled(SLICES, kernel, arguments, (), sliced_arrays(arguments, size), size, SLICE):
        return

    def run_slice(i: int, j: int) -> None:
        kernel(*[value[i:j] if isinstance(value, np.ndarray) else value for value in arguments])

    in_parts(size, SLICE, run_slice)


def _compiled(
    kind: int, kernel: Any, arguments: tuple[Any, ...], more: tuple[int, ...], sliced: list[int], count: int, unit: int
) -> bool:
    """Run a job without the interpreter; False where that cannot be, or another thread has the workers."""
    result = slots_of(arguments)
    if result is None or len(sliced) > MAX_SLICED:
        return False
    integers, numbers = result
    # The request holds addresses alone: `arguments` keeps the arrays alive until every part is finished.
    head = kind, address_of(kernel, (*arguments, *more)), len(sliced), count, unit
    request = request_of(head, len(integers), integers, numbers, sliced)
    answer = run_on_workers(request)
    if answer == FAILED:
        raise RuntimeError(f"{kernel.__name__}(): a thread failed")
    return answer == DONE


def is_long(work: int) -> bool:
    """Whether work, in elements, is so large that threads share it even where they need the interpreter for it."""
    return work >= LARGE_FOR_PYTHON and get_num_threads() > 1
