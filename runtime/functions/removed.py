"""Functions that PyTorch has removed: programs that name them begin, and a call says what to call in their place."""

from __future__ import annotations

from typing import Any, NoReturn

_REMOVED = "This function was deprecated since version 1.9 and is now removed. {}"


def solve(input: Any, A: Any, *, out: Any = None) -> NoReturn:
    """Removed: `linalg.solve`.

    Args:
        input: the right-hand sides.
        A: the coefficients.
        out: took the result.
    """
    raise RuntimeError(
        _REMOVED.format("X = torch.solve(B, A).solution should be replaced with: X = torch.linalg.solve(A, B)")
    )


def lstsq(input: Any, A: Any, *, out: Any = None) -> NoReturn:
    """Removed: `linalg.lstsq`.

    Args:
        input: the right-hand sides.
        A: the coefficients.
        out: took the result.
    """
    raise RuntimeError(
        _REMOVED.format("X, _ = torch.lstsq(B, A) should be replaced with: X = torch.linalg.lstsq(A, B).solution")
    )


def eig(self: Any, eigenvectors: bool = False, *, e: Any = None, v: Any = None) -> NoReturn:
    """Removed: `linalg.eig`.

    Args:
        self: the matrix.
        eigenvectors: whether these were computed.
        e, v: took the results.
    """
    raise RuntimeError(
        _REMOVED.format("L, V = torch.eig(A, eigenvectors=True) should be replaced with: L, V = torch.linalg.eig(A)")
    )


def symeig(input: Any, eigenvectors: bool = False, upper: bool = True, *, out: Any = None) -> NoReturn:
    """Removed: `linalg.eigh`.

    Args:
        input: the matrix.
        eigenvectors: whether these were computed.
        upper: which triangle was read.
        out: took the results.
    """
    raise RuntimeError(
        _REMOVED.format(
            "L, V = torch.symeig(A, eigenvectors=True) should be replaced with: "
            "L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')"
        )
    )


def matrix_rank(input: Any, tol: Any = None, symmetric: bool = False, *, out: Any = None) -> NoReturn:
    """Removed: `linalg.matrix_rank`.

    Args:
        input: the matrix.
        tol: the tolerance.
        symmetric: whether it was known to be symmetric.
        out: took the result.
    """
    raise RuntimeError(
        _REMOVED.format(
            "Please use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in "
            "`torch.linalg.matrix_rank()` to 'hermitian'."
        )
    )
