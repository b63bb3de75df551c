"""Kernels of a mutant's element-wise op without compiling: loops in Python over the compiled scalar functions.

A kernel that the change has left as it was runs as it was compiled before.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import numpy as np

from specgrad.runtime.kernels.compile.scalar_library import cpu_library, rebuilt
from specgrad.runtime.kernels.table import ElementKernels

Kernel = Callable[..., Any]


class Interpreted(ElementKernels):
    """The kernels of a generated module, and those of the tree's op in whose place it stands."""

    def __init__(self, module: str, tree: ElementKernels) -> None:
        self.module = module
        self.tree = tree

    def compiled(self, module: Any, attribute: str) -> Kernel:
        """A kernel of flat arrays, as the tree's table has it where it is the same."""
        name = attribute.removesuffix("_complex")
        written, before = getattr(module, name), getattr(importlib.import_module(self.tree.module), name, None)
        if before is not None and _same(written, before):
            kernel: Kernel = getattr(self.tree, attribute)
            return kernel
        library = cpu_library("_complex" in attribute)
        return of_arrays(rebuilt(written, library.used_by(written)))

    def run_rows(self, attribute: str, operands: tuple[Any, ...], plan: Any) -> None:
        """As compiled kernels are run, or in Python."""
        kernel = getattr(self, attribute)
        if hasattr(kernel, "py_func"):
            self.tree.run_rows(attribute, operands, plan)
        else:
            over_rows(kernel, operands, plan)


def _same(a: Any, b: Any) -> bool:
    """Whether two functions have the same code."""
    return all(getattr(a.__code__, part) == getattr(b.__code__, part) for part in ("co_code", "co_consts", "co_names"))


def of_arrays(function: Kernel) -> Kernel:
    """The kernel with an array for each operand that is a number, as compiled kernels take them."""

    @functools.wraps(function)
    def kernel(*arguments: Any) -> None:
        size = arguments[-1].size
        function(*[np.full(size, a) if isinstance(a, np.generic) else a for a in arguments])

    return kernel


def over_rows(kernel: Kernel, operands: tuple[Any, ...], plan: Any) -> None:
    """What `runtime.kernels.rows.over_rows` does."""
    for number in range(plan.outer * plan.inner):
        q, r = divmod(number, plan.inner)
        starts = [int(outer * q + inner * r) for outer, inner in plan.steps]
        kernel(*[_row(operand, start, plan.size) for operand, start in zip(operands, starts, strict=True)])


def _row(operand: Any, start: int, size: int) -> Any:
    if isinstance(operand, tuple):
        return operand[0][start]
    return operand[start : start + size] if isinstance(operand, np.ndarray) else operand
