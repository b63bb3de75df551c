"""Plans of matrix products, of linear layers, and of their gradients: matrices may lie as transposes.

Products of bfloat16 matrices are made by instructions that multiply pairs: see kernels/cpu/bfloat16_matmul.py.
"""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from math import prod
from typing import NamedTuple

from ...compiler.passes.target import DOTS, TILES, pair_products
from ...kernels.cpu import bfloat16_matmul
from ...kernels.cpu.bfloat16_matmul import LINE, SQUARE, STEP, packed_panels, transposed_f16
from ...kernels.cpu.bfloat16_matmul import PANEL as PAIR_PANEL
from ...kernels.cpu.matmul import PANEL, PRODUCTS, UNIT
from ...kernels.cpu.matvec import WIDTH
from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous, strides_of
from ...kernels.cpu.reduce_layout import folding
from ..reduction.plans import sum_step
from . import cpu_loops as loops
from .cpu_loops import coordinate_product

PAIR_PRODUCTS = 256  # take as long as one element of other work
ALONE = {TILES: 1 << 24, DOTS: 1 << 21}  # products at most that one thread computes sooner than several share them
SHARED_ROWS_THRESHOLD = 8  # of a batch: threads share rows of fewer
SCRATCH = 3  # outputs of the op at most: behind them is the memory of these calls alone
WORD = LINE // PAIR_PANEL  # bytes


def products_of_pairs(
    sizes: Ints, matrix_layout: tuple[bool, bool, bool], operands: tuple[int, int], output: int, shape: Ints,
    bias: int | None,
) -> Plan:  # fmt: skip
    """The calls for products of matrices of `sizes` (items, rows, depth, columns), a row added to each. matrix_layout
    says whether the left matrices lie across, whether the right ones do, whether threads share columns."""
    (batch, rows, depth, columns), (left, right, by_columns) = sizes, matrix_layout
    twos, lines = -(-columns // SQUARE), -(-depth // STEP) * STEP // 2
    is_small = batch * rows * depth * columns <= ALONE.get(pair_products(), 0)
    position, steps = SCRATCH + 2 * output, list[Step]()

    def shares(count: int, unit: int) -> tuple[int, int]:
        return count, count if is_small else unit

    first, panels = operands[0], (batch * twos * 2 * lines * PAIR_PANEL,)
    if left:
        strips, half = batch * -(-rows // SQUARE), (-(-batch * rows * depth * 2 // WORD),)
        transposed, shape_of_each = ((position, half),), (depth, rows)
        steps.append(Step(transposed_f16, (first,), transposed, (), shape_of_each, shares(strips, 1)))
        first = ~position
    packed, made = (depth, columns, int(right)), ((position + 1, panels),)
    steps.append(Step(packed_panels, operands[1:], made, (), packed, shares(batch * twos, 1)))
    unit = rows if batch >= SHARED_ROWS_THRESHOLD else SQUARE
    parts = shares(columns, SQUARE) if by_columns else shares(batch * rows, unit)
    ints = rows, depth, columns, (bias is not None) * bfloat16_matmul.ADDING | by_columns * bfloat16_matmul.BY_COLUMNS
    reads = first, ~(position + 1), operands[0] if bias is None else bias
    work = batch * rows * depth * columns // PAIR_PRODUCTS
    steps.append(Step(bfloat16_matmul.half_product, reads, ((output, shape),), (), ints, parts, work))
    return tuple(steps)


SMALL = 1 << 15  # products of numbers: a row is added after smaller matrices' product, as `mm` and an addition would
COLUMNS_THRESHOLD = 4 * PANEL  # columns, of which threads get equal shares
SHORT = 512  # elements of rows of which four by four are multiplied
COLUMNS = 16  # of a product by coordinates that belong to one thread


def across(x: Layout) -> bool | None:
    """Whether a matrix lies across, as the transpose of a contiguous one; None where it does neither."""
    if x.strides is None or (1 in x.shape and x.strides[x.shape[0] == 1] == 1):
        return False
    return True if x.strides == (1, x.shape[0]) else None


class MatrixLayout(NamedTuple):
    """How a matrix lies whose rows or columns are contiguous."""

    across: bool  # whether its columns are
    row: int  # elements from one of them to the next


def matrix_layout(x: Layout) -> MatrixLayout | None:
    """How a matrix lies, which may be part of a larger one; None where elements of rows and of columns lie apart."""
    (rows, columns), (down, right) = x.shape, strides_of(x)
    if right == 1 or columns == 1:
        return MatrixLayout(False, down if rows > 1 else columns)
    return MatrixLayout(True, right) if down == 1 or rows == 1 else None


def transposed(x: Layout) -> Layout:
    shape = (x.shape[1], x.shape[0])
    if across(x) is None:
        return Layout(shape, x.strides[::-1])  # type: ignore[index]
    return Layout(shape, None if across(x) or 1 in shape else (1, shape[0]))


def product(a: Layout, b: Layout, operands: tuple[int, int], output: int, shape: Ints, bias: int | None = None) -> Plan:
    """The call for a product, and one for a bias, which large ones begin with; none where this is for the kernel."""
    (rows, depth), columns, full = a.shape, b.shape[1], across(a) is not None and across(b) is not None
    left, right = matrix_layout(a), matrix_layout(b)
    if left is None or right is None or (not full and 1 in (rows, columns)):
        return ()
    if rows == 1 or columns == 1:
        matrix, vector = (transposed(b), 0) if rows == 1 else (a, 1)
        which = (operands[1 - vector], operands[vector])
        return by_vector(matrix, which, output, shape, None if bias is None else (bias, columns > 1))
    early = bias is not None and rows * depth * columns > SMALL
    by_columns = columns >= max(
        rows, COLUMNS_THRESHOLD
    )  # each thread copies what it reads of b to panels: no copy twice
    parts = (columns, PANEL) if by_columns else (rows, UNIT)
    how = early * loops.ADDING | by_columns * loops.BY_COLUMNS
    constants, work = (rows, depth, columns, *left, *right, how), rows * depth * columns // PRODUCTS
    sizes, transposes = (1, rows, depth, columns), (left.across, right.across, by_columns)
    pairs = partial(products_of_pairs, sizes, transposes, operands, output, shape, bias) if full else None
    times = Step(loops.matrix_product, operands, ((output, shape),), (), constants, parts, work, pairs=pairs)
    if bias is None:
        return (times,)
    nothing = tuple if full else None  # products of pairs add the row
    if not early:
        return (times, Step(loops.row_added, (bias,), ((output, shape),), (), (rows, columns), pairs=nothing))
    # Shared as the product is: each thread then adds to what its own cache holds.
    begun = Step(loops.row_repeated, (bias,), ((output, shape),), (), (rows, columns, how), parts, pairs=nothing)
    return (begun, times)


def by_vector(
    matrix: Layout, operands: tuple[int, int], output: int, shape: Ints, bias: tuple[int, bool] | None
) -> Plan:
    """The call for a matrix by a vector; bias is (its operand's number, whether it has one for each element)."""
    (rows, depth), is_transposed = matrix.shape, across(matrix)
    constants = (depth, rows) if is_transposed else (rows, depth)
    parts, row = (-(-rows // (WIDTH if is_transposed else 4)), 1), 0 if is_transposed else 4 * depth
    if bias is None:
        kernel = loops.transposed_vector_product if is_transposed else loops.matrix_vector_product
        return (Step(kernel, operands, ((output, shape),), (), constants, parts, row=row),)
    kernel, (position, each) = loops.transposed_vector_sum if is_transposed else loops.matrix_vector_sum, bias
    return (Step(kernel, (*operands, position), ((output, shape),), (), (*constants, each), parts, row=row),)


def mv(a: Layout, x: Layout) -> Plan | None:
    if across(a) is None or x.strides is not None:
        return None
    return by_vector(a, (0, 1), 0, (a.shape[0],), None)


def mv_backward(output_mask: tuple[bool, ...], grad: Layout, a: Layout | None, x: Layout | None) -> Plan | None:
    steps: list[Plan] = []
    if grad.strides is not None or (x is not None and x.strides is not None):
        return None
    if output_mask[0] and x is not None:
        column, row = Layout((1, *grad.shape, 1), None), Layout((1, 1, *x.shape), None)
        steps.append(outer_products(column, row, (1, 3), 0, (*grad.shape, *x.shape)))
    if output_mask[1] and a is not None:
        matrix_layout = across(a) is not None and 0 not in a.shape
        steps.append(by_vector(transposed(a), (2, 1), 1, a.shape[1:], None) if matrix_layout else ())
    return chained(steps)


def addmm(c: Layout, a: Layout, b: Layout, beta: float, alpha: float) -> Plan | None:
    return added(c, product(a, b, (1, 2), 0, (a.shape[0], b.shape[1])), beta, alpha)


def addmv(c: Layout, a: Layout, x: Layout, beta: float, alpha: float) -> Plan | None:
    if across(a) is None or x.strides is not None or not prod(a.shape):
        return None
    return added(c, by_vector(a, (1, 2), 0, a.shape[:1], None), beta, alpha)


def baddbmm(c: Layout, a: Layout, b: Layout, beta: float, alpha: float) -> Plan | None:
    return added(c, batch_products(a, b, (1, 2)), beta, alpha)


def added(c: Layout, products: Plan, beta: float, alpha: float) -> Plan | None:
    """The calls of products, then alpha times these plus beta times what is broadcast to their shape."""
    if not products or isinstance(beta, complex) or isinstance(alpha, complex):
        return None
    shape, missing = products[-1].results[0][1], 3 - len(c.shape)
    if missing < 0 or not prod(shape):
        return None
    steps = tuple([step._replace(pairs=None) for step in products])  # the kernel is given float32
    own = zip((1,) * missing + tuple(c.shape), (0,) * missing + strides_of(c), strict=True)
    ints = (*(1,) * (3 - len(shape)), *shape, *[0 if size == 1 else step for size, step in own])
    return (*steps, Step(loops.scaled_and_added, (0,), ((0, shape),), (beta, alpha), ints))


def dot(x: Layout, y: Layout) -> Plan | None:
    if x.strides is not None or y.strides is not None or not prod(x.shape):
        return None
    return by_vector(Layout((1, *x.shape), None), (0, 1), 0, (), None)


def with_row(a: Layout, b: Layout, row: Layout | None) -> Plan | None:
    if row is not None and row.strides is not None:
        return None
    return product(a, b, (0, 1), 0, (a.shape[0], b.shape[1]), None if row is None else 2) or None


def mm(a: Layout, b: Layout) -> Plan | None:
    return with_row(a, b, None)


def mm_backward(output_mask: tuple[bool, ...], grad: Layout, a: Layout | None, b: Layout | None) -> Plan | None:
    steps: list[Plan] = []
    if output_mask[0] and b is not None:
        steps.append(product(grad, transposed(b), (1, 3), 0, (grad.shape[0], b.shape[0])))
    if output_mask[1] and a is not None:
        steps.append(product(transposed(a), grad, (2, 1), 1, (a.shape[1], grad.shape[1])))
    return chained(steps)


def is_transposed(x: Layout) -> bool | None:
    batch, rows, columns = x.shape
    if x.strides is None:
        return False
    return True if x.strides[1:] == (1, rows) and (batch == 1 or x.strides[0] == rows * columns) else None


def each_transposed(x: Layout) -> Layout:
    batch, rows, columns = x.shape
    strides = strides_of(x)
    transposed = rows * columns if batch == 1 else strides[0], strides[2], strides[1]
    return Layout((batch, columns, rows), None if transposed == (rows * columns, rows, 1) else transposed)


def is_one(x: Layout) -> bool:
    """Whether all matrices of a batch are one, as `expand` makes them, which lies as products want it."""
    return x.strides is not None and x.strides[0] == 0 and x.shape[0] > 1 and across(item_of(x)) is not None


def item_of(x: Layout) -> Layout:
    shape, strides = x.shape[1:], strides_of(x)[1:]
    return Layout(shape, None if strides == (shape[1], 1) else strides)


def batch_products(a: Layout, b: Layout, operands: tuple[int, int] = (0, 1), output: int = 0) -> Plan:
    (batch, rows, depth), columns = a.shape, b.shape[2]
    left, right = matrix_layout(item_of(a)), matrix_layout(item_of(b))
    full = is_transposed(a) is not None and is_transposed(b) is not None
    if not batch * rows * depth * columns:
        return ()
    if a.strides is None and is_one(b):
        return product(Layout((batch * rows, depth), None), item_of(b), operands, output, (batch, rows, columns))
    if left is None or right is None or (rows == 1 and not full):
        return ()
    if rows == 1:
        return by_vectors(each_transposed(b), (operands[1], operands[0]), output, (batch, 1, columns))
    parts = (batch * rows, rows if batch >= SHARED_ROWS_THRESHOLD else UNIT)
    items = (strides_of(a)[0], strides_of(b)[0])
    work, shape, ints = batch * rows * depth * columns // PRODUCTS, (batch, rows, columns), (rows, depth, columns)
    sizes, transposes = (batch, *ints), (left.across, right.across, False)
    pairs = partial(products_of_pairs, sizes, transposes, operands, output, shape, None) if full else None
    constants = (*ints, *left, *right, *items)
    return (Step(loops.batch_product, operands, ((output, shape),), (), constants, parts, work, pairs=pairs),)


def by_vectors(matrices: Layout, operands: tuple[int, int], output: int, shape: Ints) -> Plan:
    batch, rows, depth = matrices.shape
    results, shares, row = ((output, shape),), (batch, 1), rows * depth
    if rows == 1 and depth <= SHORT:
        return (Step(loops.dot_products, operands, results, (), (depth,), (batch, 4), row=row),)
    if rows > 1 and is_transposed(matrices):
        return (Step(loops.transposed_vector_products, operands, results, (), (depth, rows), shares, row=row),)
    return (Step(loops.matrix_vector_products, operands, results, (), (rows, depth), shares, row=row),)


def outer_products(a: Layout, b: Layout, operands: tuple[int, int], output: int, shape: Ints) -> Plan:
    (batch, rows, _), columns = a.shape, b.shape[2]
    (a_stride, each, _), (b_stride, _, next_one) = strides_of(a), strides_of(b)
    if columns == 1:  # the numbers of a column follow each other then, and are times one
        operands, rows, columns, next_one = operands[::-1], 1, rows, each
        a_stride, b_stride, each = b_stride, a_stride, 0
    if (next_one != 1 and columns > 1) or not batch * rows * columns:
        return ()
    ints, parts = (rows, columns, a_stride, each, b_stride), (batch * rows, 1)
    return (Step(loops.outer_products, operands, ((output, shape),), (), ints, parts, row=columns),)


def item_products(a: Layout, b: Layout, operands: tuple[int, int] = (0, 1), output: int = 0) -> Plan:
    """The call for the product of each pair of matrices; that of a column by a row is no sum."""
    if a.shape[2] == 1:
        return outer_products(a, b, operands, output, (*a.shape[:2], b.shape[2]))
    return batch_products(a, b, operands, output)


def bmm(a: Layout, b: Layout) -> Plan | None:
    return item_products(a, b) or None


def bmm_backward(output_mask: tuple[bool, ...], grad: Layout, a: Layout | None, b: Layout | None) -> Plan | None:
    steps: list[Plan] = []
    if output_mask[0] and b is not None:
        steps.append(item_products(grad, each_transposed(b), (1, 3), 0))
    if output_mask[1] and a is not None:
        steps.append(item_products(each_transposed(a), grad, (2, 1), 1))
    return chained(steps)


def linear_weight_backward(grad: Layout, x: Layout) -> Plan | None:
    if grad.strides is not None or x.strides is not None or len(grad.shape) != len(x.shape):
        return None
    rows, columns, depth = prod(x.shape[:-1]), grad.shape[-1], x.shape[-1]
    across = transposed(Layout((rows, columns), None))
    return product(across, Layout((rows, depth), None), (0, 1), 0, (columns, depth)) or None


def chained(steps: list[Plan]) -> Plan | None:
    return tuple([step for part in steps for step in part]) if steps and all(steps) else None


def matrix_of_rows(x: Layout) -> Layout | None:
    """All rows of the last dimension as one matrix; None where no one step leads from each to the next."""
    shape = (prod(x.shape[:-1]), x.shape[-1])
    if x.strides is None:
        return Layout(shape, None)
    dims = [(n, step) for n, step in zip(x.shape[:-1], x.strides, strict=False) if n != 1]
    if not dims or any(step != n * inner for (_, step), (n, inner) in pairwise(dims)):
        return None
    return Layout(shape, (dims[-1][1], x.strides[-1]))


def linear(x: Layout, weight: Layout, bias: Layout | None) -> Plan | None:
    rows = matrix_of_rows(x) if x.shape else None
    if rows is None or len(weight.shape) != 2 or (bias is not None and bias.strides is not None):
        return None
    shape = (*x.shape[:-1], weight.shape[0])
    return product(rows, transposed(weight), (0, 1), 0, shape, None if bias is None else 2) or None


def linear_backward(
    output_mask: tuple[bool, ...], grad: Layout, x: Layout | None, weight: Layout | None, x_shape: Ints,
    weight_shape: Ints,
) -> Plan | None:  # fmt: skip
    if grad.strides is not None or len(weight_shape) != 2:
        return None
    rows, columns = prod(x_shape[:-1]), weight_shape[0]
    folded_grad = Layout((rows, columns), None)
    steps: list[Plan] = []
    if output_mask[0] and weight is not None:
        steps.append(product(folded_grad, weight, (1, 3), 0, x_shape))
    value = None if x is None else matrix_of_rows(x)
    if output_mask[1] and value is not None:
        steps.append(product(transposed(folded_grad), value, (1, 2), 1, weight_shape))
    elif output_mask[1]:
        return None
    if output_mask[2] and rows and columns:
        steps.append((sum_step(1, 2, (columns,), folding((rows, columns), 0), 1),))
    elif output_mask[2]:
        return None
    return chained(steps)


def coordinate_mm(x: Layout, row: Layout, column: Layout, count: int, b: Layout) -> Plan | None:
    """Rows of b added up, of columns that threads share: so each element is summed in one order."""
    if not are_contiguous(x, row, column, b) or not count * prod(b.shape):
        return None
    ints, work = (x.shape[0], count, *b.shape), x.shape[0] * b.shape[1]
    shape = (count, b.shape[1])
    return (Step(coordinate_product, (0, 1, 2, 4), ((0, shape),), (), ints, (b.shape[1], COLUMNS), work),)
