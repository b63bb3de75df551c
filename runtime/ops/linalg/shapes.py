"""Shape rules of linear algebra: of matrices in batches."""

from typing import Any

from ...shapes import Shape


def batch(A: Any, *rest: Any) -> Shape:
    return tuple(A.shape[:-2])


def batch_of_each(A: Any) -> list[Shape]:
    return [batch(A), batch(A)]


def with_info(A: Any, *rest: Any) -> list[Shape]:
    return [tuple(A.shape), batch(A)]


def solution_with_info(A: Any, B: Any, check_errors: bool) -> list[Shape]:
    return [tuple(B.shape), batch(A)]


def solution_with_rank(A: Any, B: Any, rcond: float) -> list[Shape]:
    return [(*batch(A), A.shape[-1], B.shape[-1]), batch(A)]


def transposed(A: Any, *rest: Any) -> Shape:
    return (*batch(A), A.shape[-1], A.shape[-2])


def diagonal_of(A: Any, *rest: Any) -> Shape:
    return (*batch(A), min(A.shape[-2:]))


def diagonal_and_matrix(A: Any) -> list[Shape]:
    return [diagonal_of(A), tuple(A.shape)]


def matrix_and_diagonal(A: Any) -> list[Shape]:
    return [tuple(A.shape), diagonal_of(A)]


def packed(A: Any, *rest: Any) -> list[Shape]:
    return [tuple(A.shape), diagonal_of(A), batch(A)]


def order_of_rows(pivots: Any, rows: int) -> Shape:
    return (*pivots.shape[:-1], rows)


def svd_shape(A: Any, full_matrices: bool, driver: None) -> list[Shape]:
    rows, columns = A.shape[-2:]
    min_size = min(rows, columns)
    left, right = (rows, columns) if full_matrices else (min_size, min_size)
    return [(*batch(A), rows, left), (*batch(A), min_size), (*batch(A), right, columns)]


def qr_shape(A: Any, mode: str) -> list[Shape]:
    rows, columns = A.shape[-2:]
    inner = rows if mode == "complete" else min(rows, columns)
    return [(0,) if mode == "r" else (*batch(A), rows, inner), (*batch(A), inner, columns)]
