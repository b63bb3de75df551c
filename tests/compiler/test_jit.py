"""Hand-written kernels: compiled on first use, and again when something that they call has changed."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from specgrad.runtime.compiler.jit import LazyKernel, jit


def kernel_calling(callee: Any) -> LazyKernel:
    """A kernel of one and the same code that calls `callee`."""

    def twice(a: Any) -> Any:
        return inner(a) + inner(a)  # noqa: F821  (given below)

    return LazyKernel(FunctionType(twice.__code__, {"inner": callee}, "twice"), {"cache": False})


def test_a_kernel_may_call_another() -> None:
    """The callee is compiled first."""
    assert kernel_calling(jit(cache=False)(lambda a: a.sum()))(np.ones(3)) == 6.0


def test_the_name_in_the_cache_changes_with_what_is_called() -> None:
    """Else machine code would be loaded in which the old callee is inlined."""
    plus = kernel_calling(jit(cache=False)(lambda a: a[0] + 1.0)).compile().py_func.__qualname__
    again = kernel_calling(jit(cache=False)(lambda a: a[0] + 1.0)).compile().py_func.__qualname__
    minus = kernel_calling(jit(cache=False)(lambda a: a[0] - 1.0)).compile().py_func.__qualname__
    assert plus == again != minus


def test_how_exactly_a_kernel_computes_does_not_depend_on_who_called_it_first() -> None:
    """Numba hands fastmath down to what is compiled on behalf of a kernel; here every kernel speaks for itself."""
    plain = jit(cache=False)(lambda a: a[0] * a[0] - a[1])
    caller = FunctionType((lambda a: inner(a)).__code__, {"inner": plain}, "caller")  # type: ignore[name-defined]  # noqa: F821
    LazyKernel(caller, {"cache": False, "fastmath": True})(np.ones(2))
    (machine_code,) = plain.only_linked().inspect_llvm().values()
    assert " fast " not in machine_code and "contract" not in machine_code
