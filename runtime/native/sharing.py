"""Whether native code shares its work with other threads: see kernels/jobs."""

from __future__ import annotations

from ..kernels.llvm.memory import load, native
from ..pool.atomics import swap, write
from ..pool.layout import J
from . import c_functions as c
from .objects import the
from .world import W


@native
def job_for(size, words):
    """The job, which this thread now has, if its work is large enough and no other thread has it; else 0."""
    job = the(W.job)
    if size < load(job, J.large) or swap(job, J.owned, 0, 1) == 0:
        return 0
    if load(job, J.workers) == 0:
        c.drop(c.call(the(W.hire), words, 0, 0))
        c.clear_error()  # who could not hire all computes with those that there are
        if load(job, J.workers) == 0:
            write(job, J.owned, 0)
            return 0
    return job
