"""Linear algebra refuses what it cannot do with PyTorch's error classes, and says which matrix of a batch it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg

SINGULAR = sg.stack([sg.eye(2), sg.ones(2, 2)])
NAN = sg.full((2, 2), sg.nan)
WIDE = sg.ones(2, 3)

FAILURES: list[tuple[Callable[[], Any], str]] = [
    (lambda: sg.linalg.inv(SINGULAR), r"\(Batch element 1\): The diagonal element 2 is zero, the inversion could not"),
    (lambda: sg.inverse(SINGULAR[1]), r"linalg_inv\(\): The diagonal element 2 is zero"),
    (lambda: sg.linalg.solve(SINGULAR, sg.ones(2)), r"\(Batch element 1\): The solver failed because .* singular"),
    (lambda: sg.linalg.inv_ex(SINGULAR, check_errors=True), "The diagonal element 2 is zero"),
    (lambda: sg.linalg.cholesky(-sg.eye(2)), "the leading minor of order 1 is not positive-definite"),
    (lambda: sg.cholesky(SINGULAR - sg.eye(2)), r"\(Batch element 0\): .* leading minor of order 1"),
    (lambda: sg.linalg.lu_factor_ex(SINGULAR, check_errors=True), r"\(Batch element 1\): U\[2,2\] is zero"),
    (lambda: sg.linalg.svd(NAN), r"linalg_svd\(\): The algorithm failed to converge .* non-finite values"),
    (lambda: sg.linalg.svdvals(NAN), r"linalg_svdvals\(\): The algorithm failed to converge"),
]


@pytest.mark.parametrize("call, message", FAILURES)
def test_matrices_without_a_result(call: Callable[[], Any], message: str) -> None:
    """They are a LinAlgError, which is a RuntimeError."""
    with pytest.raises(sg.linalg.LinAlgError, match=message) as caught:
        call()
    assert isinstance(caught.value, RuntimeError)


MISTAKES: list[tuple[Callable[[], Any], str]] = [
    (lambda: sg.linalg.inv(WIDE), "A must be batches of square matrices, but they are 2 by 3 matrices"),
    (lambda: sg.linalg.det(sg.ones(2)), "must have at least 2 dimensions"),
    (lambda: sg.linalg.inv(sg.ones(2, 2, dtype=sg.int64)), "Expected a floating point or complex tensor as input"),
    (lambda: sg.linalg.solve(sg.eye(2), sg.ones(3)), r"Incompatible shapes of A and B for the equation AX = B"),
    (lambda: sg.linalg.solve(sg.eye(2), sg.ones(2, 3), left=False), r"the equation XA = B"),
    (lambda: sg.linalg.solve(sg.eye(2), sg.ones(2).double()), "expected tensors of one dtype"),
    (lambda: sg.linalg.solve_triangular(sg.eye(2), sg.ones(2), upper=True), "B must have at least 2 dimensions"),
    (lambda: sg.cholesky_solve(sg.ones(2, 1), sg.eye(3)), "each A matrix is 3 by 3 but each b matrix is 2 by 1"),
    (lambda: sg.linalg.qr(WIDE, "economic"), "received unrecognized mode 'economic'"),
    (lambda: sg.linalg.svd(WIDE, driver="gesvd"), "is only supported on CUDA inputs"),
    (lambda: sg.linalg.eigh(sg.eye(2), "X"), "Expected UPLO argument to be 'L' or 'U', but got X"),
    (lambda: sg.linalg.eig(NAN), "input tensor should not contain infs or NaNs"),
    (lambda: sg.linalg.norm(sg.ones(2, 2, 2), 2), "If dim is not specified but ord is, the input must be 1D or 2D"),
    (lambda: sg.linalg.matrix_norm(WIDE, 3), "Order 3 not supported"),
    (lambda: sg.linalg.matrix_norm(WIDE, 1, dim=(0, 0)), "dims must be different"),
    (lambda: sg.linalg.vector_norm(sg.ones(2, dtype=sg.int64)), "Expected a floating point or complex tensor"),
    (lambda: sg.linalg.vector_norm(sg.ones(0), sg.inf), "over no elements"),
    (lambda: sg.linalg.cond(WIDE, 1), "must be batches of square matrices"),
    (lambda: sg.linalg.lstsq(WIDE, sg.ones(3, 1)), r"shapes \[2, 3\] and \[3, 1\] do not fit"),
    (lambda: sg.linalg.lstsq(WIDE, sg.ones(2, 1), driver="qr"), "parameter `driver` should be one of"),
    (lambda: sg.linalg.lu(WIDE, pivot=False), "LU without pivoting is not implemented on the CPU"),
    (lambda: sg.linalg.lu_solve(sg.eye(2), sg.tensor([1]), sg.ones(2, 1)), "Number of pivots per batch"),
    (lambda: sg.linalg.tensorinv(sg.ones(2, 3, 4)), r"prod\(shape\[ind:\]\)"),
    (lambda: sg.linalg.tensorsolve(sg.ones(2, 3), sg.ones(2)), r"prod\(shape\[other.ndim:\]\)"),
    (lambda: sg.linalg.householder_product(WIDE, sg.ones(2)), "must be greater than or equal to"),
    (lambda: sg.linalg.cross(sg.ones(2), sg.ones(2)), "inputs dimension -1 must have length 3. Got 2 and 2"),
    (lambda: sg.linalg.vander(sg.ones(3), N=1), "N must be greater than 1"),
    (lambda: sg.bilinear(sg.ones(5, 2), sg.ones(5, 3), sg.ones(4, 3, 3)), "input1 size does not match weight size"),
]


@pytest.mark.parametrize("call, message", MISTAKES)
def test_mistakes(call: Callable[[], Any], message: str) -> None:
    """Wrong shapes, dtypes and words are a RuntimeError that names the op."""
    with pytest.raises(RuntimeError, match=rf"\w+\(\): .*{message}"):
        call()


def test_singular_matrices_without_errors() -> None:
    """The functions with _ex say which matrix is singular; others of the batch are inverted all the same."""
    inverse, info = sg.linalg.inv_ex(SINGULAR)
    assert info.tolist() == [0, 2] and sg.equal(inverse[0], sg.eye(2))
    solution, info = sg.linalg.solve_ex(SINGULAR, sg.ones(2, 2, 1))
    assert info.tolist() == [0, 2] and sg.equal(solution[0], sg.ones(2, 1))
    factor, info = sg.linalg.cholesky_ex(SINGULAR - sg.eye(2))
    assert info.tolist() == [1, 1] and factor.isnan().all()
    assert sg.linalg.cond(SINGULAR, 1).tolist() == [1.0, sg.inf]
    assert sg.linalg.cond(SINGULAR, "nuc").tolist() == [4.0, sg.inf]


def test_what_qr_cannot_differentiate() -> None:
    """The error says so in backward: R alone, and columns of Q that A does not determine."""
    for mode, message in (("r", "depends on Q"), ("complete", "mode='complete' and A has more rows than columns")):
        a = sg.ones(3, 2, requires_grad=True)
        with pytest.raises(RuntimeError, match=message):
            sg.linalg.qr(a, mode).R.sum().backward()
