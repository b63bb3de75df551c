"""Functions of before `specgrad.sparse`, and its switch for checks."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from ...errors import ArgumentError
from ...namespace import op
from .create import coo_pattern
from .graph import of


def spmm(input: Any, mat2: Any) -> Any:
    """The product of a sparse matrix and a strided one: `mm`.

    Args:
        input, mat2: the matrices.
    """
    return op.mm(input, mat2)


dsmm = spmm  # which operand is sparse, and whether the product is to be, was a part of the name
hsmm = spmm


def smm(input: Any, mat: Any) -> Any:
    """The product of a sparse matrix and a strided one, as a sparse matrix.

    Args:
        input, mat: the matrices.
    """
    return op.mm(input, mat).to_sparse()


def hspmm(mat1: Any, mat2: Any) -> Any:
    """The product of a sparse matrix and a strided one, of which the rows that have values are kept.

    Args:
        mat1, mat2: the matrices.
    """
    rows = op.unique(mat1.coalesce().indices()[0])
    result = op.mm(mat1, mat2)
    return of(coo_pattern(rows.unsqueeze(0), result[rows], tuple(result.shape), True), result[rows])


def sspaddmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta x + alpha A B of a sparse matrix x, a sparse matrix A and a strided one, as a sparse matrix.

    Args:
        input: what is added.
        mat1, mat2: the factors.
        beta, alpha: numbers.
    """
    return op.add(input * beta, op.mm(mat1, mat2).to_sparse() * alpha)


class check_sparse_tensor_invariants:
    """Whether indices are checked when a sparse tensor is made: they always are, so this only keeps what is asked for.

    Args:
        enable: whether they are inside of the block.

    Example:
        >>> import specgrad as sg
        >>> with sg.sparse.check_sparse_tensor_invariants():
        ...     sg.sparse.check_sparse_tensor_invariants.is_enabled()
        True
    """

    _enabled = False

    def __init__(self, enable: bool = True) -> None:
        if not isinstance(enable, bool):
            raise ArgumentError(f"check_sparse_tensor_invariants: expected a bool, but got {enable!r}")
        self._enable, self._before = enable, False

    @staticmethod
    def is_enabled() -> bool:
        """What was asked for last."""
        return check_sparse_tensor_invariants._enabled

    @staticmethod
    def enable() -> None:
        """Ask for checks."""
        check_sparse_tensor_invariants._enabled = True

    @staticmethod
    def disable() -> None:
        """Ask for none; indices are checked all the same."""
        check_sparse_tensor_invariants._enabled = False

    def __enter__(self) -> None:
        cls = check_sparse_tensor_invariants
        self._before, cls._enabled = cls._enabled, self._enable

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        check_sparse_tensor_invariants._enabled = self._before
