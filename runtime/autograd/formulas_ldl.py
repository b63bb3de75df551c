"""Helpers of the ops on symmetric and Hermitian matrices that need not be definite."""

from __future__ import annotations

from typing import Any, TypeAlias

from ..namespace import op
from ..structured import ReturnType
from .formulas_solving import with_one_batch

Tensor: TypeAlias = Any  # generated.tensor.Tensor, which the runtime may not import


def ldl_factors(a: Tensor, hermitian: bool) -> tuple[Tensor, Tensor]:
    """The packed L and D, and the exchanges; a zero in D is an error."""
    return ReturnType("linalg_ldl_factor", ("LD", "pivots"))(*op.ldl_packed(a, hermitian, True)[:2])


def ldl_factors_with_info(a: Tensor, hermitian: bool, check_errors: bool) -> tuple[Tensor, Tensor, Tensor]:
    """The same with the first zero of D."""
    return ReturnType("linalg_ldl_factor_ex", ("LD", "pivots", "info"))(*op.ldl_packed(a, hermitian, check_errors))


def ldl_solved(packed: Tensor, pivots: Tensor, b: Tensor, hermitian: bool) -> Tensor:
    """X with A X = B; the batches of A and B broadcast."""
    packed, b = with_one_batch("linalg_ldl_solve", packed, b)
    return op.ldl_solve_matrices(packed, pivots.expand(packed._shape[:-1]), b, hermitian)
