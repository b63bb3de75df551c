"""The kernels of an element-wise op as plain Python on NumPy's numbers, of any dtype: nothing is compiled."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from specgrad.runtime.elementwise import Elementwise
from specgrad.runtime.kernels import scalar_complex
from specgrad.runtime.kernels.compile import names_in, rebuilt
from specgrad.runtime.kernels.table import ElementKernels

from .verify_interpreted import of_arrays, over_rows
from .verify_point import formulas_alone

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
    table = vars(importlib.import_module(f"{package}.kernels"))
    own: Elementwise = table[name.upper()]
    before, own.kernels = own.kernels, Plain(package, name)
    try:
        with formulas_alone():
            yield own.kernels
    finally:
        own.kernels = before
