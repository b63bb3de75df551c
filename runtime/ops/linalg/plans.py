"""Plans of decompositions of real matrices, and of what is found from them.

Small matrices are decomposed several side by side, larger ones by blocks. A call with errors fails if there is one:
then the kernel in Python says of which matrix.
"""

from math import prod

from ...kernels.cpu.matmul import PRODUCTS
from ...kernels.cpu.plan import Ints, Layout, Plan, Step, are_contiguous, of_any_dtype
from ...kernels.llvm.rank_updates import BATCH_MATRICES
from . import cpu_lu as lu
from .cpu_cholesky import BLOCK, factor_each, factor_small
from .cpu_eigh import ROTATED, eigen_each, eigenvalues_each
from .cpu_lapack_calls import SINGLE, c_address, lstsq_batched, small_eigen_each
from .cpu_lu import COLUMNS
from .cpu_qr import factorize_each, reflected_each
from .cpu_small import decompose_small, invert_small, solve_small, solve_triangular_small

LSTSQ_SERIAL_ELEMENTS = 4096  # numbers of a matrix: of so few OpenBLAS computes in one thread


def inverse(a: Layout) -> Plan | None:
    return inverse_info(a, True)


def inverse_info(a: Layout, check_errors: bool) -> Plan | None:
    if not are_real(a):
        return None
    work = work_of(a.shape, a.shape[-1])
    count, rows, ints = prod(a.shape[:-2]), a.shape[-1], (a.shape[-1],)
    operands, results = (~2, ~3, ~1), ((0, a.shape),)
    if is_small(a.shape):
        last = Step(invert_small, operands, results, (), (count, *ints), groups(count), work)
    else:
        last = Step(lu.invert_each, operands, results, (), ints, (count * blocks(rows), 1), work)
    return (*decomposing(a, 2, 3, 1), *failing(1, check_errors), last)


def solve_matrices(a: Layout, b: Layout, check_errors: bool) -> Plan | None:
    if not are_real(a, b):
        return None
    rows, columns = b.shape[-2:]
    work, count, operands = work_of(a.shape, columns), prod(a.shape[:-2]), (~2, ~3, ~1, 1)
    if is_small(a.shape):
        ints = (count, rows, columns)
        last = Step(solve_small, operands, ((0, b.shape),), (), ints, groups(count), work)
    else:
        shared = (count * blocks(columns), 1)
        last = Step(lu.solve_each, operands, ((0, b.shape),), (), (rows, columns), shared, work)
    return (*decomposing(a, 2, 3, 1), *failing(1, check_errors), last)


def solve_triangular_matrices(a: Layout, b: Layout, upper: bool, unitriangular: bool) -> Plan | None:
    if not are_real(a, b):
        return None
    rows, columns = b.shape[-2:]
    work, count, kind = work_of(a.shape, columns) // 2, prod(a.shape[:-2]), (int(upper), int(unitriangular))
    if is_small(a.shape) and count > 1:
        ints = (count, rows, columns, *kind)
        return (Step(solve_triangular_small, (0, 1), ((0, b.shape),), (), ints, groups(count), work),)
    shared = (count * blocks(columns), 1)
    return (Step(lu.solve_triangular_each, (0, 1), ((0, b.shape),), (), (rows, columns, *kind), shared, work),)


def determinant(a: Layout) -> Plan | None:
    if not are_real(a):
        return None
    last = Step(lu.determinant_each, (~1, ~2), ((0, a.shape[:-2]),), (), (a.shape[-1],))
    return (*decomposing(a, 1, 2, 3), last)


def log_determinant(a: Layout) -> Plan | None:
    if not are_real(a):
        return None
    batch = a.shape[:-2]
    last = Step(lu.log_determinant_each, (~2, ~3), ((0, batch), (1, batch)), (), (a.shape[-1],))
    return (*decomposing(a, 2, 3, 4), last)


def lu_packed(a: Layout, check_errors: bool) -> Plan | None:
    return (*decomposing(a, 0, 1, 2), *failing(2, check_errors)) if are_real(a) else None


@of_any_dtype
def row_order(pivots: Layout, rows: int) -> Plan | None:
    batch = pivots.shape[:-1]
    if not are_contiguous(pivots) or not pivots.shape or not prod(pivots.shape):
        return None
    results, count = ((0, (*batch, rows)),), prod(batch)
    ints, work = (pivots.shape[-1], rows), 4 * prod(pivots.shape)
    return (Step(lu.order_each, (0,), results, (), ints, (count, 1), work, indices=(0,)),)


def cholesky_factor(a: Layout, check_errors: bool) -> Plan | None:
    if not are_real(a):
        return None
    rows, count, work = a.shape[-1], prod(a.shape[:-2]), work_of(a.shape, a.shape[-1]) // 6
    results = ((0, a.shape), (1, a.shape[:-2]))
    if is_small(a.shape):
        step = Step(factor_small, (0,), results, (), (count, rows), groups(count), work, int32s=(1,))
    else:
        step = Step(factor_each, (0,), results, (), (rows,), (count, 1), work, int32s=(1,))
    return (step, *failing(1, check_errors))


def qr_factors(a: Layout, mode: str) -> Plan | None:
    if not are_real(a):
        return None
    batch, (rows, columns) = a.shape[:-2], a.shape[-2:]
    count = min(rows, columns)
    wide, q_columns = {"reduced": (count, count), "complete": (rows, rows), "r": (0, count)}[mode]
    results = ((0, (*batch, rows, wide) if wide else (0,)), (1, (*batch, q_columns, columns)))
    work = work_of(a.shape, columns + wide)
    return (Step(factorize_each, (0,), results, (), (rows, columns, wide, q_columns), (prod(batch), 1), work),)


def lstsq_solve(a: Layout, b: Layout, rcond: float) -> Plan | None:
    """The shortest X with the least |A X - B|, and the ranks of A, where LAPACK has no use for threads."""
    if not are_real(a, b) or max(prod(a.shape[-2:]), prod(b.shape[-2:])) > LSTSQ_SERIAL_ELEMENTS:
        return None
    addresses = addresses_of("gelsy")
    if not all(addresses):
        return None
    batch, (rows, columns), wide = a.shape[:-2], a.shape[-2:], b.shape[-1]
    results = ((0, (*batch, columns, wide)), (1, batch))
    ints, work = (rows, columns, wide, *addresses), 4 * work_of(a.shape, columns + wide)
    shared = (prod(batch), 1)
    return (Step(lstsq_batched, (0, 1), results, (rcond,), ints, shared, work, indices=(1,)),)


def reflected_columns(a: Layout, factors: Layout) -> Plan | None:
    if not are_real(a) or not are_contiguous(factors):
        return None
    batch, (rows, columns), count = a.shape[:-2], a.shape[-2:], factors.shape[-1]
    ints, work = (rows, columns, count), 2 * work_of(a.shape, count)
    return (Step(reflected_each, (0, 1), ((0, a.shape),), (), ints, (prod(batch), 1), work),)


def hermitian_eigen(a: Layout) -> Plan | None:
    if not are_real(a) or a.shape[-1] > ROTATED:
        return None
    batch, n = a.shape[:-2], a.shape[-1]
    results, work = ((0, a.shape[:-1]), (1, a.shape), (2, batch)), 4 * work_of(a.shape, n)
    kernel, ints = (eigen_each, (0,)) if n >= SINGLE else (small_eigen_each, addresses_of("syevd"))
    if n < SINGLE and not all(ints):
        return None
    return (Step(kernel, (0,), results, (), (n, *ints), (prod(batch), 1), work, int32s=(2,)), *failing(2, True))


def hermitian_eigenvalues(a: Layout) -> Plan | None:
    if not are_real(a) or a.shape[-1] > ROTATED:
        return None
    batch, n = a.shape[:-2], a.shape[-1]
    results, work = ((0, a.shape[:-1]), (1, batch)), 2 * work_of(a.shape, n)
    return (Step(eigenvalues_each, (0,), results, (), (n,), (prod(batch), 1), work, int32s=(1,)), *failing(1, True))


def are_real(*operands: Layout) -> bool:
    """Whether matrices are for our own loops: contiguous ones, of which there are some."""
    return are_contiguous(*operands) and all(prod(operand.shape) for operand in operands)


def is_small(shape: Ints) -> bool:
    return shape[-2] == shape[-1] <= BLOCK


def groups(count: int) -> tuple[int, int]:
    return -(-count // BATCH_MATRICES), 1


def blocks(columns: int) -> int:
    return -(-columns // COLUMNS)


def work_of(shape: Ints, columns: int) -> int:
    return prod(shape) * columns // PRODUCTS


def decomposing(a: Layout, packed: int, pivots: int, info: int) -> Plan:
    batch, (rows, columns) = a.shape[:-2], a.shape[-2:]
    results = ((packed, a.shape), (pivots, (*batch, min(rows, columns))), (info, batch))
    count, work, others = prod(batch), work_of(a.shape, columns) // 3, (pivots, info)
    if is_small(a.shape):
        step = Step(decompose_small, (0,), results, (), (count, rows), groups(count), work, int32s=others)
    else:
        step = Step(lu.decompose_each, (0,), results, (), (rows, columns), (count, 1), work, int32s=others)
    return (step,)


def addresses_of(name: str) -> Ints:
    return c_address(name, "f"), c_address(name, "d")


def failing(info: int, check_errors: bool) -> Plan:
    return (Step(lu.fail_if_any, (~info,), ()),) if check_errors else ()
