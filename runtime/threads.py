"""How many threads one call uses: BLAS and the parallel kernels together."""

from __future__ import annotations

import os

_chosen: int | None = None


def set_num_threads(number: int, /) -> None:
    """Use at most this many threads inside one operation.

    Args:
        number: at least 1.

    Raises:
        RuntimeError: not a positive integer.
    """
    global _chosen
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise RuntimeError(f"set_num_threads(): expected a positive integer, but got {number!r}")
    import numba
    from threadpoolctl import threadpool_limits

    threadpool_limits(limits=number, user_api="blas")
    numba.set_num_threads(min(number, numba.config.NUMBA_NUM_THREADS))
    _chosen = number


def get_num_threads() -> int:
    """The number set by `set_num_threads`, else the number of CPUs that this process may use."""
    if _chosen is not None:
        return _chosen
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
