"""Plans of writing by index: into a copy of a tensor, onto zeros, and, where the name ends so, into the tensor itself.

With an underscore at the end only the last call writes to the first operand, and nothing raises after that.
"""

from math import prod

from ...kernels.cpu.contiguous_copy import merged
from ...kernels.cpu.float16_plans import UNIT, copied
from ...kernels.cpu.operand_copies import redirected
from ...kernels.cpu.plan import (
    Ints,
    Layout,
    Plan,
    Step,
    are_contiguous,
    are_masks,
    as_vector,
    is_exact,
    of_any_dtype,
    of_any_layout,
    strides_of,
)
from ...kernels.cpu.strided_copy import PART, WORK, flat_move, path
from . import cpu_put_loops as loops
from .cpu_gather_loops import give_back_by_one
from .cpu_index_put import chosen_of, folded_steps_of

COLUMNS = 16  # of what is written belong to one thread
NONE = -1  # of the rows
ELEMENTS = 4096  # of indices that one thread looks at, at least
MAX_SERIAL_MASK = 1 << 16  # elements of a mask that each thread goes through
WIDE = 32  # elements of a row from which it costs little that each thread looks at all indices


def copy_(to: Layout, source: Layout, non_blocking: bool) -> Plan | None:
    shape, missing = to.shape, len(to.shape) - len(source.shape)
    if missing < 0 or not prod(shape):
        return None
    steps = (*[0] * missing, *strides_of(source))
    args = tuple([0 if n == 1 else step for n, step in zip((*[1] * missing, *source.shape), steps, strict=True)])
    result = path(shape, strides_of(to), args)
    if result is None:
        return None
    rows, ints = result.outer * result.inner * result.parts, (result.inner, result.size, result.parts)
    every, row = (*result.steps.ravel().tolist(), *ints), min(PART, result.size)
    return (Step(flat_move, (0, 1), (), (), every, (rows, 1), WORK * prod(shape), row=row),)


def into_copy(x: Layout, *writing: Step) -> Plan:
    return (Step(copied, (0,), ((0, x.shape),), rows=(prod(x.shape), UNIT), row=1), *writing)


def in_copy(x: Layout, writing: Plan | None) -> Plan | None:
    return into_copy(x, *writing) if writing and are_contiguous(x) else None


def looking(operand: int, lower_bound: int, size: int, count: int) -> Step:
    return Step(loops.look_at, (operand,), (), (), (lower_bound, size), (count, ELEMENTS), count)


def shared_lines(count: int, along: int, width: int) -> tuple[int, int]:
    return count, COLUMNS if along == 1 and width > 1 else 1


@of_any_dtype
def index_put_(out: Layout, indices: tuple[Layout | None, ...], values: Layout, accumulate: bool) -> Plan | None:
    """Up to two arrays of indices of one shape, of neighbouring dimensions."""
    return _put_at(out, indices, values, accumulate, 0)


@of_any_dtype
def index_put(x: Layout, indices: tuple[Layout | None, ...], values: Layout, accumulate: bool) -> Plan | None:
    return in_copy(x, _put_at(x, indices, values, accumulate, ~0))


def _put_at(
    out: Layout, indices: tuple[Layout | None, ...], values: Layout, accumulate: bool, target: int
) -> Plan | None:
    dims = tuple([dim for dim, result in enumerate(indices) if result is not None])
    args = [result for result in indices if result is not None]
    if are_masks(args):
        return put_where_true(target, out, dims[0], args[0], values, accumulate) if len(args) == 1 else None
    if not 1 <= len(dims) <= 2 or len({result.shape for result in args}) != 1 or not are_contiguous(*args):
        return None
    if dims[-1] - dims[0] >= len(dims) or dims[-1] >= len(out.shape) or (len(dims) == 2 and dims[0]):
        return None
    positions, lower_bound = [3 + dim for dim in dims], [-out.shape[dim] for dim in dims]
    return writing_at(target, out, dims, args[0].shape, positions, (values, 2), lower_bound, accumulate)


@of_any_dtype
def index_add_(out: Layout, dim: int, index: Layout, source: Layout, alpha: float) -> Plan | None:
    return _added(0, out, dim, index, source) if alpha == 1 and are_contiguous(index) else None


def _added(target: int, out: Layout, dim: int, index: Layout, source: Layout) -> Plan | None:
    return writing_at(target, as_vector(out), (dim,), (prod(index.shape),), [2], (source, 3), [0], True)


def writing_at(
    target: int,
    out: Layout,
    dims: Ints,
    common: Ints,
    positions: list[int],
    args: tuple[Layout, int],
    lower_bound: list[int],
    add: bool,
) -> Plan | None:
    """Values written, or added, at indices of some shape; the places are those of the call's operands.

    The target is the first operand, for which all indices are looked at before any is written to, or a result.
    """
    strides, count = strides_of(out), prod(common)
    shape, front, (step, width, along) = chosen_of(out.shape, strides, 1, dims, common)
    steps = _steps_of(args[0], shape, (front, front + len(common)))
    if steps is None or not prod(shape) or not count or step is None or width is None or along is None:
        return None
    looked = [looking(positions[i], lower_bound[i], out.shape[dim], count) for i, dim in enumerate(dims) if target == 0]
    ints = [value for dim in dims for value in (out.shape[dim], strides[dim])]
    operands, work = (target, *positions, args[1]), WORK * prod(shape)
    if dims == (0,) and along == 1 and width >= WIDE and steps[2] in (0, 1):
        ints += [lower_bound[0], count, width, *steps[1:], int(add)]
        return (*looked, Step(loops.put_rows, operands, (), (), tuple(ints), (out.shape[0], 1), work))
    kernel, ints = (loops.put_by_one, [*ints, lower_bound[0]]) if len(dims) == 1 else (loops.put_by_two, ints)
    ints += [count, step, width, along, *(steps if len(dims) == 1 else steps[1:]), int(add)]
    rows = shared_lines(prod(shape) // count, along, width)
    return (*looked, Step(kernel, operands, (), (), tuple(ints), rows, work))


def put_where_true(target: int, out: Layout, dim: int, mask: Layout, values: Layout, add: bool) -> Plan | None:
    """Values written, or added, where a mask of dimensions from one on is true: as many of them, or one for all."""
    strides, last = strides_of(out), dim + len(mask.shape)
    size, chosen = prod(mask.shape), merged(mask.shape, strides[dim:last])
    if out.shape[dim:last] != mask.shape or len(chosen) > 1 or not 0 < size <= MAX_SERIAL_MASK:
        return None
    step = chosen[0][1] if chosen else 1
    sizes, behind = (*out.shape[:dim], size, *out.shape[last:]), len(out.shape) - last
    count = values.shape[-1 - behind] if len(values.shape) > behind else 1
    shape, front, (first, width, along) = chosen_of(sizes, (*strides[:dim], step, *strides[last:]), 1, (dim,), (count,))
    value = _steps_of(values, shape, (front, front + 1))
    if value is None or not prod(shape) or first is None or width is None or along is None:
        return None
    between = (0, size) if count == 1 else (count, count)
    looked = [Step(loops.look_at_true, (3 + dim,), (), (), between)] if target == 0 and count != 1 else []
    row, work = value[1] if count != 1 else 0, WORK * prod(shape) // count * size
    ints = (step, *between, first, width, along, value[0], row, value[2], int(add))
    rows = shared_lines(prod(shape) // count, along, width)
    return (*looked, Step(loops.put_true, (target, 3 + dim, 2), (), (), ints, rows, work))


def _steps_of(values: Layout, shape: Ints, chosen: tuple[int, int]) -> Ints | None:
    """The steps of broadcast values before, from and behind two dimensions, each folded into one; None without such."""
    missing = len(shape) - len(values.shape)
    sizes, strides = (*[1] * missing, *values.shape), (*[0] * missing, *strides_of(values))
    if missing < 0 or any(n not in (1, m) for n, m in zip(sizes, shape, strict=True)):
        return None
    broadcast_item = tuple([step if n == m else 0 for n, m, step in zip(sizes, shape, strides, strict=True)])
    folded = [step for step in folded_steps_of(shape, broadcast_item, 1, chosen) if step is not None]
    return tuple(folded) if len(folded) == 3 else None


@of_any_dtype
def index_add(x: Layout, dim: int, index: Layout, source: Layout, alpha: float) -> Plan | None:
    if alpha != 1:
        return _scaled_first(x, dim, index, source, alpha)
    if not prod(x.shape) or not are_contiguous(x, index):
        return None
    if dim or not are_contiguous(source):
        return in_copy(x, _added(~0, x, dim, index, source))
    rows, width, count = as_vector(x).shape[0], prod(x.shape[1:]), prod(index.shape)
    work = prod(x.shape) + prod(source.shape)
    return (Step(loops.add_rows_at, (0, 2, 3), ((0, x.shape),), (), (rows, width, count), (rows, 1), work),)


def _scaled_first(x: Layout, dim: int, index: Layout, source: Layout, alpha: float) -> Plan | None:
    """The plan by which slices are added, behind the call that multiplies them by a number."""
    if not are_contiguous(source) or not (isinstance(alpha, float) or is_exact(alpha)):
        return None
    result, size = index_add(x, dim, index, source, 1.0), prod(source.shape)
    times = Step(loops.times_number, (3,), ((1, source.shape),), (float(alpha),), rows=(size, UNIT), row=1)
    return result and (times, *[redirected(step, {3: 1}) for step in result])


@of_any_layout
def index_select_backward(grad: Layout, sizes: Ints, dim: int, index: Layout) -> Plan | None:
    """Slices of gradients added to zeros; of gradients all alike, too."""
    alike = grad.strides is not None and not any(grad.strides)
    if not sizes or not prod(sizes) or not are_contiguous(index) or not (alike or are_contiguous(grad)):
        return None
    if not dim and not alike:
        return rows_onto_zeros(sizes, (0, 3), prod(index.shape), NONE)
    width, count = prod(sizes[dim + 1 :]), prod(index.shape)
    ints = (sizes[dim], width, count, int(alike))
    work = prod(sizes[:dim]) * count * width
    return (Step(give_back_by_one, (0, 3), ((0, tuple(sizes)),), (), ints, (width, COLUMNS), work),)


def rows_onto_zeros(sizes: Ints, operands: Ints, count: int, ignored: int) -> Plan:
    """Rows, the first of the operands, added to zeros at the indices that are the second, but to one row."""
    rows, width = sizes[0], prod(sizes[1:])
    work, ints = prod(sizes) + count * width, (rows, width, count, ignored)
    return (Step(loops.add_rows_onto_zeros, operands, ((0, tuple(sizes)),), (), ints, (rows, 1), work),)
