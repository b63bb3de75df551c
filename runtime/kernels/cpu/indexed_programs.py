"""Indexed programs on NumPy arrays: the sizes that shapes give, and the plan that generated modules make of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from ...compiler.jit import LazyKernel
from .contiguous_copy import contiguous
from .plan import Plan, Step, run_if_planned

Array = np.ndarray
Shape = tuple[int, ...]
MIN_BATCH = 8  # examples
REORDER = {"reassoc", "contract", "nsz"}


class Stage(LazyKernel):
    """Arrays share no memory with what is written, also where another kernel calls it."""

    def _compiled_by(self, pipeline: str, checked: str) -> dict[str, Any]:
        return super()._compiled_by("LinkedNoAlias" if pipeline == "LinkedKernel" else "NoAlias", checked)


def stage(function: Callable[..., Any]) -> LazyKernel:
    """Decorator of a program's loops: compiled on first use."""
    return Stage(function, {"fastmath": REORDER})


@stage
def inside(subscripts: Array, size: int, first: int, last: int) -> None:
    """An IndexError where an integer is no index of a dimension."""
    are_outside = False
    for k in range(first, last):
        subscript = subscripts[k]
        are_outside |= (subscript < 0) | (subscript >= size)
    if are_outside:
        raise IndexError


class Sizes:
    """What the shapes of a call's arrays say: the batch, and the sizes that the program names."""

    def __init__(self, name: str, arrays: Sequence[tuple[str, Any, Sequence[str | None]]]) -> None:
        self.name = name
        self.arrays = {array: (tuple(inputs.shape), len(dims)) for array, inputs, dims in arrays}
        self.named: dict[str, tuple[int, str]] = {}
        for array, _, dims in arrays:
            self._bind(array, dims)
        self.batch = self._batch()

    def _bind(self, array: str, dims: Sequence[str | None]) -> None:
        shape, count = self.arrays[array]
        if len(shape) < count:
            raise RuntimeError(f"{self.name}(): expected {array} to have {_dims(count)}, but got the shape {shape}")
        for d, (dim, size) in enumerate(zip(dims, shape[len(shape) - count :], strict=True)):
            if dim is not None:
                known, of = self.named.setdefault(dim, (size, f"dimension {d} of {array}"))
                self._agree(array, d, size, known, of)

    def _agree(self, array: str, d: int, size: int, known: int, of: str) -> None:
        if size != known:
            raise RuntimeError(
                f"{self.name}(): expected dimension {d} of {array} to have the size {known} of {of}, but got {size}"
            )

    def agree(self, text: str, one: int, other: int) -> None:
        if one != other:
            raise RuntimeError(f"{self.name}(): expected {text} to have the size {other}, but got {one}")

    def check_number(self, text: str, number: Callable[[], int]) -> int:
        try:
            return number()
        except ZeroDivisionError:
            raise RuntimeError(f"{self.name}(): {text} divides by 0") from None

    def check_size(self, text: str, number: Callable[[], int]) -> None:
        size = self.check_number(text, number)
        if size < 0:
            raise RuntimeError(f"{self.name}(): expected a size of 0 at least, but {text} is {size}")

    def core(self, array: str) -> Shape:
        shape, count = self.arrays[array]
        return shape[len(shape) - count :]

    def _batch(self) -> Shape:
        ahead = [shape[: len(shape) - count] for shape, count in self.arrays.values()]
        try:
            return np.broadcast_shapes(*ahead)
        except ValueError:
            listed = ", ".join(f"{name} {shape}" for name, (shape, _) in self.arrays.items())
            raise RuntimeError(f"{self.name}(): the dimensions of the batch do not broadcast: {listed}") from None

    @property
    def values(self) -> dict[str, int]:
        return {name: size for name, (size, _) in self.named.items()}

    @property
    def is_batched(self) -> bool:
        """Whether threads have enough examples, so that one call computes all of each."""
        return prod(self.batch) >= MIN_BATCH

    def step(self, array: str) -> int | None:
        """From one example of the batch to the next; None for an array that has to be expanded first."""
        shape, count = self.arrays[array]
        ahead = shape[: len(shape) - count]
        if prod(ahead) == 1:
            return 0
        return prod(self.core(array)) if ahead == self.batch else None


def _dims(count: int) -> str:
    return "1 dimension at least" if count == 1 else f"{count} dimensions at least"


class Planner:
    """Collects the steps of a plan; arrays are named, outputs are numbered before the program's own arrays."""

    def __init__(self, sizes: Sizes, arguments: Sequence[str], outputs: Sequence[str], layouts: Sequence[Any]) -> None:
        self.sizes = sizes
        self.arguments = {name: k for k, name in enumerate(arguments)}
        self.results = {name: k for k, name in enumerate(outputs)}
        self.steps: list[Step] = []
        self.is_possible = all(
            sizes.step(name) is not None and layout.strides is None
            for name, layout in zip(sizes.arrays, layouts, strict=True)
        )

    def check(self, name: str, size: int) -> None:
        """A step that looks at all elements of an argument, which are indices of a dimension."""
        shape, _ = self.sizes.arrays[name]
        self.steps.append(Step(inside, (self.arguments[name],), (), (), (size,), (prod(shape), 1), prod(shape)))

    def add(
        self, kernel: Any, reads: Iterable[str], made: Mapping[str, tuple[Shape, str]], floats: Sequence[float],
        ints: Sequence[int], rows: int, work: int, unit: int = 1,
    ) -> None:  # fmt: skip
        """`unit` rows of an example are computed together, whoever computes them."""
        if not self.is_possible:
            return
        inputs = [name for name in reads if name in self.arguments]
        steps = [self.sizes.step(name) or 0 for name in inputs]
        operands = tuple(self.arguments[n] if n in self.arguments else ~self.results[n] for n in reads)
        count = prod(self.sizes.batch)
        results = []
        for name, (shape, _) in made.items():
            number = self.results.setdefault(name, len(self.results))
            results.append((number, (*self.sizes.batch, *shape)))
        kinds = {kind: tuple(self.results[n] for n, (_, k) in made.items() if k == kind) for kind in ("int64", "bool")}
        shared = count * rows, unit if count == 1 or rows % unit == 0 else rows
        numbers = tuple(floats), (*map(int, ints), *steps)
        step = Step(kernel, operands, tuple(results), *numbers, shared, count * work)
        self.steps.append(step._replace(indices=kinds["int64"], masks=kinds["bool"]))

    def plan(self, output_mask: Sequence[bool] = ()) -> Plan | None:
        """The steps; of a mask checks and what its outputs need: other outputs are memory of the plan."""
        if not self.is_possible:
            return None
        needed = {number for number, is_needed in enumerate(output_mask) if is_needed}
        steps: list[Step] = []
        for step in reversed(self.steps):
            if not output_mask or not step.results or any(number in needed for number, _ in step.results):
                needed |= {~number for number in step.operands if number < 0}
                steps.insert(0, step)
        unneeded = {number for number, is_needed in enumerate(output_mask) if not is_needed}
        return tuple([step.renumbered(lambda n: n + len(self.results) * (n in unneeded)) for step in steps])


Indices = Sequence[tuple[str, Array, int]]  # an argument, its elements, and the size that they are below


def run(
    sizes_of: Callable[..., Sizes], plan: Callable[..., Plan | None], args: Sequence[Any], outputs: int,
    indices: Callable[..., Indices] | None = None,
) -> Any:  # fmt: skip
    """The outputs of a program; arrays are copied into rows, and expanded over the batch where they lack a part."""
    inputs = [_as_read(arg) for arg in args]
    try:
        results = _planned(sizes_of, plan, inputs)
    except (IndexError, RuntimeError):  # the second where several threads share the work, and one failed
        if indices is None:
            raise
        for name, subscripts, size in indices(*inputs):
            check_indices(sizes_of(*inputs).name, name, subscripts, size)
        raise
    return results[0] if outputs == 1 else tuple(results[:outputs])


def _planned(sizes_of: Callable[..., Sizes], plan: Callable[..., Plan | None], inputs: Sequence[Any]) -> list[Any]:
    results = run_if_planned(plan, *inputs)
    if results is None:
        sizes = sizes_of(*inputs)
        names = iter(sizes.arrays)
        expanded = [_expanded(sizes, next(names), arg) if isinstance(arg, np.ndarray) else arg for arg in inputs]
        results = run_if_planned(plan, *expanded)
        assert results is not None
    return results


def _as_read(arg: Any) -> Any:
    if not isinstance(arg, np.ndarray | np.generic):
        return arg
    array = np.asarray(arg)
    if array.dtype.kind in "iu":
        array = array.astype(np.int64, copy=False)
    elif array.dtype.itemsize == 2:  # 16-bit floats that are not cast
        array = array.astype(np.float32)
    return contiguous(array)


def _expanded(sizes: Sizes, name: str, array: Array) -> Array:
    if sizes.step(name) is not None:
        return array
    return contiguous(np.broadcast_to(array, (*sizes.batch, *sizes.core(name))))


def check_indices(name: str, argument: str, subscripts: Array, size: int) -> None:
    """An IndexError for a place that an array does not have."""
    if subscripts.size and (subscripts.min() < 0 or subscripts.max() >= size):
        wrong = int(subscripts.min() if subscripts.min() < 0 else subscripts.max())
        raise IndexError(f"{name}(): {argument} has the index {wrong}, which is out of range for the size {size}")
