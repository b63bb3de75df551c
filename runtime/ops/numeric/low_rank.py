"""The leading singular values of large matrices, by random projections.

N. Halko, P. Martinsson, J. Tropp: Finding structure with randomness (SIAM Review 53, 2011), algorithms 4.4 and 5.1.
"""

from typing import Any

from ...dispatch import argument_checks
from ...errors import DtypeError, ShapeError
from ...namespace import op


def svd_lowrank(A: Any, q: int = 6, niter: int = 2, M: Any = None) -> tuple[Any, Any, Any]:
    """U, S and V with A - M = U diag(S) V^H nearly: the `q` largest singular values, found by random projections.

    Args:
        A: matrices of shape (..., m, n).
        q: how many singular values; a few more than the rank are as exact as the rest allows.
        niter: how often the projections are sharpened.
        M: is subtracted from A, to which it broadcasts.

    Shape:
        U: (..., m, q); S: (..., q); V: (..., n, q), where q is at most min(m, n).

    Raises:
        RuntimeError: no matrix of floats, or a negative `q`.

    Example:
        >>> import specgrad as sg
        >>> U, S, V = sg.svd_lowrank(sg.tensor([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), q=2)
        >>> S.round(decimals=3)
        tensor([3., 2.])
    """
    matrix = _matrix("svd_lowrank", A)
    shift = None if M is None else op.broadcast_to(argument_checks.tensor("svd_lowrank", "M", M), matrix._shape)
    count = argument_checks.integer("svd_lowrank", "q", q)
    rounds = argument_checks.integer("svd_lowrank", "niter", niter)
    if count < 0:
        raise RuntimeError(f"svd_lowrank(): expected q >= 0, but got {count}")
    return _leading(matrix if shift is None else matrix - shift, count, rounds)


def pca_lowrank(A: Any, q: int | None = None, center: bool = True, niter: int = 2) -> tuple[Any, Any, Any]:
    """The principal components of rows of A, by `svd_lowrank` of the rows less their mean.

    Args:
        A: matrices of shape (..., m, n), m rows of n numbers.
        q: how many components; by default min(6, m, n).
        center: whether the mean of the rows is subtracted.
        niter: how often the projections are sharpened.

    Shape:
        U: (..., m, q); S: (..., q), the singular values; V: (..., n, q), in columns the components.

    Raises:
        ValueError: `q` is not in [0, min(m, n)], or `niter` is negative.
        RuntimeError: no matrix of floats.

    Example:
        >>> import specgrad as sg
        >>> U, S, V = sg.pca_lowrank(sg.tensor([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]), q=1)
        >>> S.round(decimals=3), V.abs().round(decimals=3)
        (tensor([2.]), tensor([[0.7070],
                [0.7070]]))
    """
    matrix = _matrix("pca_lowrank", A)
    max_rank = min(matrix._shape[-2:])
    count = min(6, max_rank) if q is None else argument_checks.integer("pca_lowrank", "q", q)
    if not 0 <= count <= max_rank:
        raise ValueError(
            f"pca_lowrank(): q(={count}) must be non-negative integer and not greater than min(m, n)={max_rank}"
        )
    rounds = argument_checks.integer("pca_lowrank", "niter", niter)
    if rounds < 0:
        raise ValueError(f"pca_lowrank(): niter(={rounds}) must be non-negative integer")
    centred = argument_checks.boolean("pca_lowrank", "center", center)
    return _leading(matrix - matrix.mean(-2, True) if centred else matrix, count, rounds)


def _matrix(name: str, value: Any) -> Any:
    matrix = argument_checks.tensor(name, "A", value)
    if matrix._dtype.kind not in "fc":
        raise DtypeError(f"{name}(): expected floats or complex numbers, but got {matrix._dtype}")
    if matrix.ndim < 2:
        raise ShapeError(f"{name}(): expected a matrix of at least 2 dimensions, but got shape {list(matrix._shape)}")
    return matrix


def _leading(matrix: Any, count: int, rounds: int) -> tuple[Any, Any, Any]:
    """A tall matrix is projected on the span of its products with random vectors, a wide one on the other side."""
    height, width = matrix._shape[-2:]
    if height < width:
        u, s, v = _leading(matrix.mH, count, rounds)
        return v, s, u
    basis = op.linalg_qr(matrix @ op.randn((width, count), dtype=matrix._dtype, device=matrix._device)).Q
    for _ in range(rounds):
        basis = op.linalg_qr(matrix @ op.linalg_qr(matrix.mH @ basis).Q).Q
    u, s, vh = op.linalg_svd(basis.mH @ matrix, False)
    return basis @ u, s, vh.mH
