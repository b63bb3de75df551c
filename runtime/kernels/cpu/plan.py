"""How a kernel runs on flat memory: which compiled loops, on which operands, with which numbers and ints. A function of
a plans.py in runtime/ops with the kernel's name finds a plan for certain shapes, strides and other arguments. Native
code (runtime/native/kernel_ops/general.py) and `run` here give the same bits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ...device.threads.parallel_for import shared
from ...shapes import contiguous_strides
from .allocate_and_fill import empty

EXACT = 1 << 53  # the greatest whole number below which a float64 has all others
Array = np.ndarray
Maybe = Array | None
Ints = tuple[int, ...]


class Layout(NamedTuple):
    """The shape of an operand, and its strides where they are not the usual ones; whether its numbers are complex."""

    shape: Ints
    strides: Ints | None
    complex: bool = False
    halves: bool = False


def strides_of(x: Layout) -> Ints:
    return contiguous_strides(x.shape) if x.strides is None else x.strides


class Step(NamedTuple):
    """One call `kernel(*operands, *results, *tables, *numbers, *ints)`; results are (number of the output, its shape).
    Numbers beyond those of the outputs stand for memory that only the plan's calls use; a call that names a result of
    one before goes on with it, and one that only reads result k has ~k among its operands. An operand that is not given
    is an empty array. Where `rows` is (count, unit), the kernel takes two more ints: the first of its rows that it is
    to compute, a multiple of `unit`, and that after the last. So several threads may share them, if operand and result
    are large, or `work` is, which is counted in elements as well. Tables are flat arrays of int64, which nobody writes
    to; results whose numbers are `indices` are of int64, those whose numbers are `int32s` of int32, and those whose
    numbers are `masks` of bool. Complex numbers are given to a kernel as pairs of their parts; results whose numbers
    are `complexes` have them. A result may be as long as elements say: `counted` has pairs (k, c), by which one size of
    result k is the last number in result c, of int64, that a call before has made; the shape of k has 0 there, and
    there alone. `row` is how many elements of an operand or result a row has, where rows follow each other in memory
    and a call for some of them costs no more for each: one thread then goes through many to and fro
    (runtime/device/threads/sweep.py). `pairs` makes the calls that stand for this one where operands and results are
    bfloat16, and the processor has instructions for products of pairs of them."""

    kernel: Any
    operands: Ints
    results: tuple[tuple[int, Ints], ...]
    numbers: tuple[float, ...] = ()
    ints: Ints = ()
    rows: tuple[int, int] | None = None
    work: int = 0
    pairs: Callable[[], Plan] | None = None
    tables: tuple[Array, ...] = ()
    indices: Ints = ()
    masks: Ints = ()
    row: int = 0
    complexes: Ints = ()
    counted: tuple[tuple[int, int], ...] = ()
    int32s: Ints = ()

    def dtypes(self) -> dict[int, np.dtype]:
        each = ((self.indices, np.int64), (self.int32s, np.int32), (self.masks, np.bool_))
        return {output: np.dtype(own) for outputs, own in each for output in outputs}

    def renumbered(self, number: Callable[[int], int]) -> Step:
        return self._replace(
            operands=tuple([~number(~i) if i < 0 else i for i in self.operands]),
            results=tuple([(number(output), shape) for output, shape in self.results]),
            indices=tuple(map(number, self.indices)),
            masks=tuple(map(number, self.masks)),
        )


Plan = tuple[Step, ...]


Finder = TypeVar("Finder", bound=Callable[..., Plan | None])
_complex: set[Any] = set()


def for_complex(find: Finder) -> Finder:
    _complex.add(find)
    return find


def takes_complex(find: Any) -> bool:
    return find in _complex


def single(
    kernel: Any, operands: int, shape: Ints, numbers: tuple[float, ...] = (), ints: Ints = (),
    rows: tuple[int, int] | None = None, row: int = 0,
) -> Plan:  # fmt: skip
    return (Step(kernel, tuple(range(operands)), ((0, shape),), numbers, ints, rows, row=row),)


Find = Callable[..., Plan | None]


def of_any_dtype(find: Find) -> Find:
    """Mark a function that finds plans: their calls move and compare elements alone, and serve bools and integers."""
    return with_integers(find)(find)


def of_any_layout(find: Find) -> Find:
    """Mark plans of gradients: the kernel goes through an expanded gradient sooner than through a copy in rows."""
    find.of_any_layout = True  # type: ignore[attr-defined]
    return find


def of_chosen(find: Find) -> Find:
    """Mark a function that finds plans: their calls read what indices choose of the first operand, so no large one is
    copied for them."""
    find.of_chosen = True  # type: ignore[attr-defined]
    return find


def with_integers(other: Find) -> Callable[[Find], Find]:
    """Mark a function that finds plans for floats: those for bools and integers are found by another one."""

    def with_marker(find: Find) -> Find:
        find.for_integers = other  # type: ignore[attr-defined]
        return find

    return with_marker


def of_exact_number(find: Find) -> Find:
    """Mark a function that finds plans: they serve bools and integers where the last argument is an operand, or a whole
    number that a call takes as a float64 and that is the same then."""

    def for_integers(*arguments: Any) -> Plan | None:
        return find(*arguments) if isinstance(arguments[-1], Layout) or is_exact(arguments[-1]) else None

    return with_integers(for_integers)(find)


class Mask(Layout):
    """The shape of a contiguous mask of bools among indices."""


class Narrow(Layout):
    """The shape of contiguous indices of int32, which calls before those of a plan widen."""


def is_exact(number: float) -> bool:
    """Whether a number is a whole one, and still is when a call takes it as a float64."""
    return isinstance(number, int) and abs(number) <= EXACT


def are_masks(indices: Sequence[Layout | None]) -> bool:
    return any(isinstance(result, Mask) for result in indices)


def are_contiguous(*operands: Layout | None) -> bool:
    """Whether the strides of all are the usual ones; an operand that is not given does not count."""
    return all(operand is None or operand.strides is None for operand in operands)


def as_vector(x: Layout) -> Layout:
    return x if x.shape else x._replace(shape=(1,), strides=None)


def in_shape(layout: Layout, shape: Ints) -> Layout:
    missing = len(shape) - len(layout.shape)
    own = zip(layout.shape, contiguous_strides(layout.shape), strict=True)
    return Layout(shape, (*[0] * missing, *[0 if size == 1 else step for size, step in own]))


def run(find: Callable[..., Plan | None], *arguments: Any) -> list[Any]:
    """The results of the plan that `find` makes for NumPy arrays and other arguments, None for those it does not make.
    Arrays that are read by floats have the dtype of the first. A ValueError where there is no plan for these layouts:
    who calls brings the arrays into one that there is a plan for."""
    results = run_if_planned(find, *arguments)
    if results is None:
        shapes = [argument.shape for argument in arguments if isinstance(argument, Array)]
        raise ValueError(f"{find.__name__}(): no plan for arrays {shapes}")
    return results


def run_if_planned(find: Callable[..., Plan | None], *arguments: Any) -> list[Any] | None:
    key: list[Any] = [find]
    for argument in arguments:
        if type(argument) is Array:
            key += argument.shape, None if argument.flags.c_contiguous else (argument.strides, argument.itemsize)
            if argument.dtype.kind == "c":
                key.append(complex)
        elif isinstance(argument, np.generic):  # what NumPy makes of an array of no dimensions
            return run_if_planned(find, *[np.asarray(a) if isinstance(a, np.generic) else a for a in arguments])
        else:
            key.append(argument)
    known = tuple(key)
    ready = _ready.get(known, NO_PLAN)
    if ready is NO_PLAN:
        ready = ready_to_run(find, arguments)
        if len(_ready) >= MAX_CACHED_PLANS:
            _ready.clear()  # so nobody reads it twice: this may be another thread
        _ready[known] = ready
    if ready is None:
        return None
    outputs, first, steps = ready
    dtype, results = arguments[first].dtype, [None] * outputs
    for step in steps:
        run_step(step, arguments, results, dtype)
    return results


class ReadyStep(NamedTuple):
    """A step as `run` takes it: what can be known before the arrays are."""

    kernel: Any
    operands: tuple[tuple[int, int | None], ...]  # which argument, and how many elements of one that is strided
    made: tuple[tuple[int, Ints], ...]  # the results that no step before has named
    results: Ints
    constants: tuple[Any, ...]  # tables, and numbers of the types that kernels are compiled for
    rows: tuple[int, int] | None
    work: int
    dtypes: dict[int, np.dtype]  # of results that are not of the operands' dtype
    counted: dict[int, int]  # of results as long as elements say: the results that have these sizes
    in_parts: bool  # whether complex numbers are given as pairs of their parts
    complexes: Ints  # then the results that are of complex numbers


MAX_CACHED_PLANS = 4096  # plans that are remembered; then all are forgotten
Ready = tuple[int, int, list[ReadyStep]]
NO_PLAN: Ready = (0, 0, [])  # no plan has been looked for
_ready: dict[tuple[Any, ...], Ready | None] = {}


def ready_to_run(find: Callable[..., Plan | None], arguments: Sequence[Any]) -> Ready | None:
    """How many results a plan has, the first argument that is an array, and the plan's steps; None without a plan."""
    arrays = [argument if isinstance(argument, Array) else None for argument in arguments]
    in_parts = takes_complex(find)
    plan = find(*[a if b is None else layout_of(b, in_parts) for a, b in zip(arguments, arrays, strict=True)])
    if plan is None:
        return None
    steps, named = [], dict[int, Ints]()
    in_parts = in_parts or any(step.complexes for step in plan)
    for step in plan:
        made = tuple([(output, shape) for output, shape in step.results if output not in named])
        named |= made
        operands = tuple([(i, None if i < 0 else extent_of(arrays[i])) for i in step.operands])
        first = [prod(named[~i]) if i < 0 else size_of(arrays[i]) for i in step.operands[:1]]
        sizes = first + [prod(shape) for _, shape in step.results[:1]]
        constants = (*step.tables, *map(float, step.numbers), *map(int, step.ints))
        results = tuple([output for output, _ in step.results])
        work, counted = max(*sizes, step.work), dict(step.counted)
        steps.append(
            ReadyStep(
                step.kernel,
                operands,
                made,
                results,
                constants,
                step.rows,
                work,
                step.dtypes(),
                counted,
                in_parts,
                step.complexes,
            )
        )
    return 1 + max(named), next(i for i, a in enumerate(arrays) if a is not None), steps


def run_step(step: ReadyStep, arguments: Sequence[Any], results: list[Any], dtype: np.dtype) -> None:
    dtype = real_of(dtype) if step.in_parts else dtype
    for output, shape in step.made:
        if output in step.counted:
            count = int(results[step.counted[output]][-1])
            shape = tuple([size or count for size in shape])
        own = np.result_type(dtype, np.complex64) if output in step.complexes else step.dtypes.get(output, dtype)
        results[output] = empty(shape, own)
    flat = [memory_of(results[~i] if i < 0 else arguments[i], read_extent, dtype) for i, read_extent in step.operands]
    flat += [results[output].reshape(-1) for output in step.results]
    flat = list(map(parts_of, flat)) if step.in_parts else flat
    if step.rows is None:
        step.kernel(*flat, *step.constants)
    else:
        shared(step.kernel, (*flat, *step.constants), step.rows[0], step.work, step.rows[1])


def layout_of(array: Array, in_parts: bool = False) -> Layout:
    """The layout of an array, strides counted in elements; complex numbers are told where they are given in parts."""
    strides = None if array.flags.c_contiguous else tuple([step // array.itemsize for step in array.strides])
    return Layout(array.shape, strides, in_parts and array.dtype.kind == "c")


def size_of(array: Any) -> int:
    return 0 if array is None else array.size


def extent_of(array: Any) -> int | None:
    if array is None or array.flags.c_contiguous:
        return None
    steps = zip(array.shape, array.strides, strict=True)
    return 1 + sum((size - 1) * step for size, step in steps) // array.itemsize if array.size else 0


def memory_of(array: Any, read_extent: int | None, dtype: np.dtype) -> Array:
    if array is None:
        return np.empty(0, dtype)
    return (
        array.reshape(-1)
        if read_extent is None
        else np.lib.stride_tricks.as_strided(array, (read_extent,), (array.itemsize,))
    )


def parts_of(flat: Array) -> Array:
    return flat.view(real_of(flat.dtype)) if flat.dtype.kind == "c" else flat


def real_of(dtype: np.dtype) -> np.dtype:
    return np.dtype(dtype.char.lower()) if dtype.kind == "c" else dtype
