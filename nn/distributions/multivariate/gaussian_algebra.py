"""Products, quadratic forms and determinants of batches of Gaussian distributions."""

from __future__ import annotations

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.creation import eye
from ....runtime.functions.several import broadcast_shapes


def _batch_mv(bmat: Tensor, bvec: Tensor) -> Tensor:
    """Products of matrices (..., n, m) and vectors (..., m), whose batches broadcast: (..., n)."""
    return ops.matmul(bmat, bvec.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(bL: Tensor, bx: Tensor) -> Tensor:
    """x^T (L L^T)^-1 x for lower triangular matrices (..., n, n) and vectors (..., n), whose batches broadcast.

    Dimensions that x has before the batch of L become columns of one system, so that L is not repeated for them.
    """
    size = bx.shape[-1]
    batch = broadcast_shapes(bL.shape[:-2], bx.shape[:-1][bx.dim() - bL.dim() + 1 :] if bL.dim() > 2 else ())
    outer = bx.shape[: max(bx.dim() - 1 - len(batch), 0)]
    x = bx.expand(outer + batch + (size,)).reshape((-1,) + tuple(batch) + (size,))
    solved = ops.linalg_solve_triangular(bL.expand(batch + (size, size)), x.movedim(0, -1), upper=False)
    return solved.pow(2).sum(-2).movedim(-1, 0).reshape(outer + batch)


def _precision_to_scale_tril(P: Tensor) -> Tensor:
    """The lower Cholesky factor of the inverse of P.

    Read from its last row and column on, P has a Cholesky factor that is upper triangular in the usual order:
    P = U U^T. So its inverse is U^-T U^-1, and U^-T is lower triangular.
    """
    upper = ops.linalg_cholesky(P.flip((-2, -1))).flip((-2, -1))
    one = eye(P.shape[-1], dtype=P.dtype, device=P.device)
    return ops.linalg_solve_triangular(upper.mT, one.expand(P.shape), upper=False)


def _log_diagonal(tril: Tensor) -> Tensor:
    """The logarithm of the determinant of lower triangular matrices."""
    return tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def _batch_capacitance_tril(W: Tensor, D: Tensor) -> Tensor:
    """The Cholesky factor of I + W^T D^-1 W for factors (..., n, m) and diagonals (..., n)."""
    scaled = W.mT / D.unsqueeze(-2)
    one = eye(W.shape[-1], dtype=W.dtype, device=W.device)
    return ops.linalg_cholesky(scaled @ W + one)


def _batch_lowrank_logdet(W: Tensor, D: Tensor, capacitance_tril: Tensor) -> Tensor:
    """log |W W^T + D|, by the matrix determinant lemma |C| |D| with the capacitance C."""
    return 2 * _log_diagonal(capacitance_tril) + D.log().sum(-1)


def _batch_lowrank_mahalanobis(W: Tensor, D: Tensor, x: Tensor, capacitance_tril: Tensor) -> Tensor:
    """x^T (W W^T + D)^-1 x, by the Woodbury identity: x^T D^-1 x - |L^-1 W^T D^-1 x|^2 with C = L L^T."""
    projected = _batch_mv(W.mT / D.unsqueeze(-2), x)
    return (x.pow(2) / D).sum(-1) - _batch_mahalanobis(capacitance_tril, projected)


def _batch_trace_XXT(bmat: Tensor) -> Tensor:
    """The trace of X X^T: the sum of squares."""
    return bmat.reshape((*bmat.shape[:-2], bmat.shape[-2] * bmat.shape[-1])).pow(2).sum(-1)
