"""How a reduction goes through an operand as it lies: dimensions in the order of memory, neighbours with the same part
made one. What is left has to be (before, along, after), where `along` becomes one element, before may be two loops, and
elements after lie side by side; sums and extremes may get there by groups of dimensions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, prod
from typing import NamedTuple

import numpy as np

from ...shapes import contiguous_strides
from .contiguous_copy import contiguous
from .operand_copies import gather, loops_of
from .plan import Layout, Plan, Step

Array = np.ndarray
Dims = tuple[int, ...]


@dataclass(frozen=True, eq=False)  # compared by identity: they are cached
class Folded:
    """An array of `shape` as one of fewer dimensions, neighbours made one."""

    shape: Dims
    folded: Dims  # the sizes it is seen with
    order: Dims  # how its dimensions are rearranged for that; () where they lie so already

    def fold(self, array: Array) -> Array:
        # Contiguous first: a reshape of what is not would copy as well, but by NumPy, in one thread.
        return contiguous(array.transpose(self.order) if self.order else array).reshape(self.folded)

    def unfold(self, array: Array) -> Array:
        if not self.order:
            return array.reshape(self.shape)
        sizes = [self.shape[i] for i in self.order]
        return contiguous(array.reshape(sizes).transpose(np.argsort(self.order)))


class Steps(NamedTuple):
    """Where x[b, i, j] lies: at (b // times) outer + (b % times) between + i apart + j."""

    outer_stride: int
    between: int
    times: int
    outer: int


@dataclass(frozen=True, eq=False)  # compared by identity: they are cached
class Folding(Folded):
    """An array of `shape` reduced over some of its dimensions: (before, along, after), those that stay first."""

    keepdim_shape: Dims  # the shape of the result with the reduced dimensions as 1
    result: Dims  # the shape of the result
    count: int  # of its elements
    steps: Steps
    made: Dims | None = (
        None  # the strides that its elements, as they are counted here, have as `result`; None: the usual
    )

    dims: Dims = ()  # those that it is reduced over
    pieces: int = 1  # in which a row lies that has its elements in two groups of dimensions
    beside: int = 1  # rows whose pieces lie beside each other

    @property
    def ints(self) -> Dims:
        """What loops over such an operand take: along, after, apart, between, times, outer."""
        return (*self.folded[1:], *self.steps)

    @property
    def in_place(self) -> bool:
        """Whether loops over rows, pieces of these or columns read a contiguous operand as it lies."""
        return not self.order or self.pieces > 1

    @property
    def in_rows(self) -> bool:
        return self.folded[2] == 1 == self.steps.outer_stride

    @property
    def dense(self) -> bool:
        before, along, after = self.folded
        return self.steps == steps_of(before, along, after)


def steps_of(before: int, along: int, after: int) -> Steps:
    return Steps(after, along * after, max(before, 1), 0)


def reduced_dims_of(ndim: int, dim: Sequence[int] | int | None) -> Dims:
    """`dim` as a tuple: all dimensions for None; a 0-d array has none, whichever is asked for."""
    if dim is None or not ndim:
        return tuple(range(ndim))
    return (dim,) if isinstance(dim, int) else tuple(dim)


@lru_cache(maxsize=4096)
def folding(shape: Dims, dim: Dims | int | None, keepdim: bool = False) -> Folding:
    dim = reduced_dims_of(len(shape), dim)
    keepdim_shape = tuple(1 if d in dim else n for d, n in enumerate(shape))
    result = keepdim_shape if keepdim else tuple(n for d, n in enumerate(shape) if d not in dim)
    wide = [d for d in dim if shape[d] != 1]
    first, last = (wide[0], wide[-1] + 1) if wide else (len(shape), len(shape))
    if all(d in wide or shape[d] == 1 for d in range(first, last)):  # nothing that stays lies between them
        sizes = prod(shape[:first]), prod(shape[first:last]), prod(shape[last:])
        return Folding(shape, sizes, (), keepdim_shape, result, prod(result), steps_of(*sizes), dims=dim)
    order = (*(d for d in range(len(shape)) if d not in wide), *wide)
    sizes = prod(result), prod(shape[d] for d in wide), 1
    made = Folding(shape, sizes, order, keepdim_shape, result, prod(result), steps_of(*sizes), dims=dim)
    return replace(made, pieces=pieces[0], beside=pieces[1]) if (pieces := pieces_of(shape, wide)) else made


def order_in_memory(shape: Dims, strides: Dims, dims: Dims) -> Dims:
    """The order of dimensions in which an array is contiguous, where rows along `dims` are then read in place; else (),
    and if it is contiguous as it stands."""
    order = tuple(sorted(range(len(shape)), key=lambda d: (-strides[d], -shape[d])))
    sizes = tuple([shape[d] for d in order])
    if order == tuple(range(len(shape))) or not is_in_rows(sizes, tuple([strides[d] for d in order])):
        return ()
    return order if folding(sizes, moved_dims(order, dims)).in_place else ()


def moved_dims(order: Dims, dims: Dims) -> Dims:
    """Where dimensions are once an array has this order."""
    return tuple([k for k, d in enumerate(order) if d in dims])


def pieces_of(shape: Dims, wide: Sequence[int]) -> tuple[int, int] | None:
    """How many pieces a row has, and how many rows lie side by side, where its last dimension is one of `wide`, and
    what stays lies between two groups of them; None elsewhere."""
    used = [d for d, n in enumerate(shape) if n != 1]
    stays = [d for d in used if d not in wide]
    inner = [d for d in stays if wide[0] < d]
    between = [d for d in used if inner[0] <= d <= inner[-1]]
    if wide[-1] < inner[-1] or between != inner or 0 in shape:
        return None
    return prod(shape[d] for d in wide if d < inner[0]), prod(shape[d] for d in inner)


SIDE_BY_SIDE = 64  # elements of rows that lie apart: shorter ones are reduced to one row first
MUCH = 1 << 12  # elements of an expanded number that are written down before they are reduced
MAX_REORDERED_ELEMENTS = 1 << 20  # elements of a result that is brought into another order


class Loop(NamedTuple):
    """A dimension of an operand, or neighbours that are one."""

    size: int
    step: int
    reduced: bool
    dims: Dims = ()


def folding_of(x: Layout, dim: Dims | int | None, keepdim: bool = False, one_by_one: bool = False) -> Folding | None:
    """The folding of an operand as it lies; None where that takes too many loops, or reads one by one unasked."""
    full = folding(x.shape, dim, keepdim)
    if x.strides is None or not prod(x.shape) or is_in_rows(x.shape, x.strides):
        return None if full.order or not prod(x.shape) else full
    dims = reduced_dims_of(len(x.shape), dim)
    result = before_along_after(in_memory(x, dims))
    if result is None or min(x.strides) < 0 or x.halves or is_one_number(x):
        return None
    if are_all_strided(x) and not one_by_one:
        return None
    made = strides_of_result(x, full.keepdim_shape, dims, keepdim)
    return Folding(x.shape, result[0], (), full.keepdim_shape, full.result, full.count, result[1], made)


def is_in_rows(shape: Dims, strides: Dims) -> bool:
    """Whether elements lie as those of a contiguous operand do: the step of a dimension of one is never taken."""
    steps = zip(shape, strides, contiguous_strides(shape), strict=True)
    return all(n == 1 or step == expected_step for n, step, expected_step in steps)


def is_one_number(x: Layout) -> bool:
    """Whether one number stands for many elements: reductions are sooner done with a copy of it for each of them."""
    return prod(x.shape) >= MUCH and not any(x.strides or (1,))


def are_all_strided(x: Layout) -> bool:
    """Whether no two elements lie side by side: read one by one they take longer than a contiguous copy takes."""
    steps = [step for n, step in zip(x.shape, x.strides or (), strict=False) if n != 1 and step]
    return x.strides is not None and min(steps, default=1) > 1


def in_memory(x: Layout, dims: Dims) -> list[Loop]:
    strides = contiguous_strides(x.shape) if x.strides is None else x.strides
    loops = [Loop(n, strides[d], d in dims, (d,)) for d, n in enumerate(x.shape) if n != 1]
    loops.sort(key=lambda loop: -(loop.step or inf))
    matches: list[Loop] = []
    for loop in loops:
        if matches and matches[-1].reduced == loop.reduced and matches[-1].step == loop.size * loop.step:
            last = matches.pop()
            loop = loop._replace(size=last.size * loop.size, dims=last.dims + loop.dims)
        matches.append(loop)
    return matches


def before_along_after(loops: list[Loop]) -> tuple[Dims, Steps] | None:
    if not loops or loops[-1].step != 1:
        loops = [*loops, Loop(1, 1, False)]
    if not any(loop.reduced for loop in loops):
        loops = [*loops[:-1], Loop(1, loops[-1].size, True), loops[-1]]
    first, *others = [k for k, loop in enumerate(loops) if loop.reduced]
    if others or first > 2 or len(loops) - first > 2:
        return None
    alone = Loop(1, 0, False)
    outer, between = loops[0] if first > 1 else alone, loops[first - 1] if first else alone
    after = loops[-1].size if first < len(loops) - 1 else 1
    along, stride, _, _ = loops[first]
    steps = Steps(stride, between.step if between.size > 1 else along * after, between.size, outer.step)
    return (outer.size * between.size, along, after), steps


def strides_of_result(x: Layout, keepdim_shape: Dims, dims: Dims, keepdim: bool) -> Dims | None:
    """The strides of the result of a reduction that goes in the order of memory; None where they are the usual ones."""
    strides = x.strides or ()
    stays = [d for d, n in enumerate(keepdim_shape) if n != 1]
    order = sorted(stays, key=lambda d: -(strides[d] or inf))
    if order == stays:
        return None
    steps = dict(zip(order, contiguous_strides(tuple([keepdim_shape[d] for d in order])), strict=True))
    return tuple([steps.get(d, 1) for d in range(len(keepdim_shape)) if keepdim or d not in dims])


def in_order(plan: Plan | None, fold: Folding) -> Plan | None:
    if plan is None or fold.made is None:
        return plan
    loops = loops_of(Layout(fold.result, fold.made), MAX_REORDERED_ELEMENTS)
    if loops is None:
        return None
    free = 1 + max(output for step in plan for output, _ in step.results)
    moved = [step.renumbered(lambda output: output or free) for step in plan]
    indices, masks = plan[-1].indices, plan[-1].masks
    ints = (*loops[0], *loops[1])
    return (*moved, Step(gather, (~free,), ((0, fold.result),), ints=ints, indices=indices, masks=masks))


Find = Callable[[Layout, Dims, bool], Plan | None]


def by_groups(x: Layout, dim: Dims | int | None, keepdim: bool, first: Find, then: Find) -> Plan | None:
    """The plan of a reduction of one group of dimensions, and of what is left then; None where there is none."""
    dims, full = reduced_dims_of(len(x.shape), dim), folding(x.shape, dim, keepdim)
    if not prod(x.shape) or are_all_strided(x):
        return None
    strides = contiguous_strides(x.shape) if x.strides is None else x.strides
    order = sorted(range(len(strides)), key=lambda d: -(strides[d] or inf))
    transposed = x._replace(shape=tuple([x.shape[d] for d in order]), strides=tuple([strides[d] for d in order]))
    plan = group_by_group(transposed, tuple([k for k, d in enumerate(order) if d in dims]), first, then)
    made = strides_of_result(x._replace(strides=strides), full.keepdim_shape, dims, keepdim)
    return in_order(plan and with_shape(plan, full.result), replace(full, made=made))


def group_by_group(x: Layout, dims: Dims, first: Find, then: Find) -> Plan | None:
    for group in groups_of(in_memory(x, dims)):
        fold = folding_of(x, group, True)
        if fold is None or group == dims:
            continue
        begun = first(x, group, True)
        ended = then(Layout(fold.keepdim_shape, None), tuple([d for d in dims if d not in group]), True)
        return behind(begun, ended) if begun and ended else None
    return None


def groups_of(loops: list[Loop]) -> list[Dims]:
    groups = [tuple(sorted(loop.dims)) for loop in loops if loop.reduced]
    short = len(loops) > 1 and loops[-1].reduced and loops[-2].reduced and loops[-1].size < SIDE_BY_SIDE
    return [groups[-2], *groups[:-2], groups[-1]] if short else groups[::-1]


def behind(first: Plan, then: Plan) -> Plan:
    free = 1 + max(output for step in then for output, _ in step.results)
    moved = [step.renumbered(lambda output: output + free) for step in first]
    return (*moved, *[step._replace(operands=tuple([i if i else ~free for i in step.operands])) for step in then])


def with_shape(plan: Plan, shape: Dims) -> Plan:
    """The plan with its last result in another shape, which all steps that name it then have."""
    output, size = plan[-1].results[-1][0], tuple(shape)
    return tuple([s._replace(results=tuple([(k, size if k == output else own) for k, own in s.results])) for s in plan])
