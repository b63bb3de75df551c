"""The kernels of an element-wise op as plain Python on NumPy's numbers, of any dtype: nothing is compiled."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from specgrad.runtime.dispatch.elementwise import Elementwise
from specgrad.runtime.kernels.compile.scalar_library import names_in, rebuilt
from specgrad.runtime.kernels.scalar import complex as scalar_complex
from specgrad.runtime.kernels.table import ElementKernels

from .interpreted import of_arrays, over_rows
from .point import formulas_alone

TREE = "specgrad.generated"

Kernel = Callable[..., Any]


class Plain(ElementKernels):
    """The loops of a generated module, as they are written."""

    def compiled(self, module: Any, attribute: str) -> Kernel:
        """A kernel of flat arrays."""
        written: Kernel = getattr(module, attribute.removesuffix("_complex"))
        if "_complex" in attribute:
            own = {n: vars(scalar_complex).get(n) for n in names_in(written.__code__)}
            written = rebuilt(written, {n: f for n, f in own.items() if isinstance(f, FunctionType)})
        return of_arrays(written)

    def run_rows(self, attribute: str, operands: tuple[Any, ...], plan: Any) -> None:
        over_rows(getattr(self, attribute), operands, plan)


def has_loops(op: Any) -> bool:
    """Whether the op's record is that of a generated package, with loops for each element."""
    return op.kind == "elementwise" and op.function.__module__.endswith(".ops")


@contextmanager
def plain(op: Any) -> Iterator[Plain]:
    """Inside, calls of the op run its kernels as plain Python, by the general path."""
    package = op.function.__module__.rpartition(".")[0]
    name = op.name.replace(".", "_").lower()
    with formulas_alone(), np.errstate(all="ignore"), _run_by(_tables(package)[name], Plain(package, name)) as kernels:
        yield kernels


@contextmanager
def all_plain(op: Any) -> Iterator[None]:
    """Inside, so do calls of all element-wise ops that an op may call, of its own package and of the tree."""
    packages = {op.function.__module__.rpartition(".")[0], TREE}
    with formulas_alone(), np.errstate(all="ignore"), ExitStack() as stack:
        for package in packages:
            for name, own in _tables(package).items():
                stack.enter_context(_run_by(own, Plain(package, name)))
        yield


@functools.lru_cache(maxsize=4)  # each mutant is a package of its own
def _tables(package: str) -> dict[str, Elementwise]:
    """What runs the element-wise ops of a package, by the names of their kernels' modules."""
    try:
        content = vars(importlib.import_module(f"{package}.kernels"))
    except ModuleNotFoundError:  # it has no element-wise op
        return {}
    return {name.lower(): own for name, own in content.items() if isinstance(own, Elementwise)}


@contextmanager
def _run_by(own: Elementwise, kernels: Plain) -> Iterator[Plain]:
    before, own.kernels = own.kernels, kernels
    try:
        yield kernels
    finally:
        own.kernels = before
