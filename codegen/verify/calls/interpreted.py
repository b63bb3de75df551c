"""Kernels of element-wise ops that run without being compiled: as loops in Python, or in plain Python alone."""

import functools
import importlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from specgrad.runtime.compiler.passes.scalar_library import cpu_library, rebuilt
from specgrad.runtime.dispatch.elementwise.general import Elementwise
from specgrad.runtime.extensions.simulator.rebuild_kernels import INTERPRETED
from specgrad.runtime.kernels.cpu.elementwise_table import ElementKernels
from specgrad.runtime.spec_lines import generated_package

from .point import formulas_alone

Kernel = Callable[..., Any]


class Interpreted(ElementKernels):
    """The kernels of a generated module, and those of the tree's op in whose place it stands."""

    def __init__(self, own: ElementKernels, tree: ElementKernels) -> None:
        super().__init__(own.package, own.family, own.name)
        self.tree = tree

    def compiled(self, written: Any, attribute: str) -> Kernel:
        """A kernel of flat arrays, as the tree's table has it where it is the same."""
        if _same(written, self._before(attribute.removesuffix("_complex"))):
            return getattr(self.tree, attribute)
        library = cpu_library("_complex" in attribute)
        return of_arrays(rebuilt(written, library.used_by(written)))

    def _before(self, name: str) -> Kernel | None:
        try:
            kernel: Kernel = self.tree.written(name)
        except AttributeError:  # the mutant has kernels that the tree's op has not
            return None
        return kernel

    def run_rows(self, attribute: str, operands: tuple[Any, ...], plan: Any) -> None:
        kernel = getattr(self, attribute)
        if hasattr(kernel, "py_func"):
            self.tree.run_rows(attribute, operands, plan)
        else:
            over_rows(kernel, operands, plan)


def _same(a: Any, b: Any) -> bool:
    return b is not None and all(
        getattr(a.__code__, part) == getattr(b.__code__, part) for part in ("co_code", "co_consts", "co_names")
    )


def of_arrays(function: Kernel) -> Kernel:
    @functools.wraps(function)
    def kernel(*arguments: Any) -> None:
        size = arguments[-1].size
        function(*[np.full(size, a) if isinstance(a, np.generic) else a for a in arguments])

    return kernel


def over_rows(kernel: Kernel, operands: tuple[Any, ...], plan: Any) -> None:
    for number in range(plan.outer * plan.inner):
        q, r = divmod(number, plan.inner)
        starts = [int(outer * q + inner * r) for outer, inner in plan.steps]
        kernel(*[_row(operand, start, plan.size) for operand, start in zip(operands, starts, strict=True)])


def _row(operand: Any, start: int, size: int) -> Any:
    if isinstance(operand, tuple):
        return operand[0][start]
    return operand[start : start + size] if isinstance(operand, np.ndarray) else operand


TREE = "specgrad.generated"


class Plain(ElementKernels):
    """The loops of a generated module, as they are written."""

    def compiled(self, written: Any, attribute: str) -> Kernel:
        return of_arrays(rebuilt(written, INTERPRETED.scalars(written, "_complex" in attribute)))

    def run_rows(self, attribute: str, operands: tuple[Any, ...], plan: Any) -> None:
        over_rows(getattr(self, attribute), operands, plan)


def has_loops(op: Any) -> bool:
    return op.kind == "elementwise" and generated_package(op.function.__module__) != ""


@contextmanager
def plain(op: Any) -> Iterator[Plain]:
    package = generated_package(op.function.__module__)
    name = op.name.replace(".", "_").lower()
    with formulas_alone(), np.errstate(all="ignore"), _run_plain(_tables(package)[name]) as kernels:
        yield kernels


@contextmanager
def all_plain(op: Any) -> Iterator[None]:
    packages = {generated_package(op.function.__module__), TREE} - {""}  # an op of a test has none
    with formulas_alone(), np.errstate(all="ignore"), ExitStack() as stack:
        for package in packages:
            for own in _tables(package).values():
                stack.enter_context(_run_plain(own))
        yield


@functools.lru_cache(maxsize=4)  # each mutant is a package of its own
def _tables(package: str) -> dict[str, Elementwise]:
    try:
        content = vars(importlib.import_module(f"{package}.kernels"))
    except ModuleNotFoundError:  # it has no element-wise op
        return {}
    return {name.lower(): own for name, own in content.items() if isinstance(own, Elementwise)}


def _run_plain(own: Elementwise) -> AbstractContextManager[Plain]:
    return patch.object(own, "kernels", Plain(own.kernels.package, own.kernels.family, own.kernels.name))
