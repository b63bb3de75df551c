"""Plans of products of bfloat16 matrices by instructions that multiply pairs: see kernels/cpu/half_matmul.py."""

from __future__ import annotations

from ...kernels.compile.machine import DOTS, TILES, pair_products
from ...kernels.cpu import half_matmul
from ...kernels.cpu.half_matmul import LINE, SQUARE, STEP
from ...kernels.cpu.half_matmul import PANEL as PAIR_PANEL
from ...kernels.cpu.plan import Ints, Plan, Step

PAIR_PRODUCTS = 256  # take as long as one element of other work
ALONE = {TILES: 1 << 24, DOTS: 1 << 21}  # products at most that one thread computes sooner than several share them
SHARED_ROWS_THRESHOLD = 8  # of a batch: threads share rows of fewer
SCRATCH = 3  # outputs of the op at most: behind them is the memory of these calls alone
WORD = LINE // PAIR_PANEL  # bytes


def products_of_pairs(
    sizes: Ints,
    matrix_layout: tuple[bool, bool, bool],
    operands: tuple[int, int],
    output: int,
    shape: Ints,
    bias: int | None,
) -> Plan:
    """The calls for the products of matrices, with a row added to each.

    Args:
        sizes: items of the batch, rows, depth, columns.
        lying: whether the left matrices lie across; whether the right ones do; whether threads share columns.
        operands: the numbers of both operands.
        output: the number of the result.
        shape: of the result.
        bias: the number of the row, or None.
    """
    (batch, rows, depth, columns), (left, right, by_columns) = sizes, matrix_layout
    twos, lines = -(-columns // SQUARE), -(-depth // STEP) * STEP // 2
    is_small = batch * rows * depth * columns <= ALONE.get(pair_products(), 0)
    position, steps = SCRATCH + 2 * output, list[Step]()

    def shares(count: int, unit: int) -> tuple[int, int]:
        return count, count if is_small else unit

    first, panels = operands[0], (batch * twos * 2 * lines * PAIR_PANEL,)
    if left:
        strips, half = batch * -(-rows // SQUARE), (-(-batch * rows * depth * 2 // WORD),)
        steps.append(
            Step(half_matmul.transposed_f16, (first,), ((position, half),), (), (depth, rows), shares(strips, 1))
        )
        first = ~position
    packed = (depth, columns, int(right))
    steps.append(
        Step(half_matmul.packed_panels, operands[1:], ((position + 1, panels),), (), packed, shares(batch * twos, 1))
    )
    parts = (
        shares(columns, SQUARE)
        if by_columns
        else shares(batch * rows, rows if batch >= SHARED_ROWS_THRESHOLD else SQUARE)
    )
    ints = rows, depth, columns, (bias is not None) * half_matmul.ADDING | by_columns * half_matmul.BY_COLUMNS
    reads = first, ~(position + 1), operands[0] if bias is None else bias
    work = batch * rows * depth * columns // PAIR_PRODUCTS
    steps.append(Step(half_matmul.half_product, reads, ((output, shape),), (), ints, parts, work))
    return tuple(steps)
