"""L D L^T and Householder reflections: factors give the matrix back, and solutions solve."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.runtime.examples import array, close, reals


def symmetric(lib: Any, *shape: int, hermitian: bool = False, is_complex: bool = False) -> Any:
    """Matrices whose diagonal is small, so that LAPACK takes blocks of two."""
    a = reals(lib, *shape)
    a = lib.complex(a, reals(lib, *shape, seed=1)) if is_complex else a
    a = a + (a.mH if hermitian else a.mT)
    return a - lib.diag_embed(a.diagonal(0, -2, -1)) * 0.99


@pytest.mark.parametrize(("hermitian", "is_complex"), [(False, False), (True, False), (False, True), (True, True)])
def test_solutions(lib: Any, hermitian: bool, is_complex: bool) -> None:
    """A X = B, for batches that broadcast; the upper triangle of A is not read."""
    a = symmetric(lib, 2, 5, 5, hermitian=hermitian, is_complex=is_complex)
    b = reals(lib, 5, 3).to(a.dtype).requires_grad_()
    factors, pivots = lib.linalg.ldl_factor(lib.tril(a), hermitian=hermitian)
    assert (pivots < 0).any() and lib.equal(factors, factors.tril())
    x = lib.linalg.ldl_solve(factors, pivots, b, hermitian=hermitian)
    close(x.detach(), np.linalg.solve(array(a), array(b)))
    if lib.__name__ == "torch":
        return  # whose solution has no gradient
    seed = reals(lib, 2, 5, 3, seed=2).to(a.dtype)
    slope = lib.autograd.grad(x, b, seed)[0]
    right = lib.autograd.grad(lib.linalg.solve(a, b), b, seed)[0]
    np.testing.assert_allclose(array(slope), array(right), rtol=1e-9, atol=1e-9)


def test_singular_matrices(lib: Any) -> None:
    """info says where D is zero."""
    assert lib.linalg.ldl_factor_ex(lib.zeros(2, 2)).info.item() == 1
    assert lib.linalg.ldl_factor_ex(lib.eye(2)).info.item() == 0
    with pytest.raises(RuntimeError):
        lib.linalg.ldl_factor(lib.zeros(2, 2))


@pytest.mark.parametrize(
    "call",
    [
        lambda lib: lib.linalg.ldl_factor(lib.zeros(2, 3)),
        lambda lib: lib.linalg.ldl_factor(lib.zeros(2, 2, dtype=lib.int64)),
        lambda lib: lib.linalg.ldl_solve(lib.eye(2), lib.ones(3, dtype=lib.int32), lib.ones(2, 1)),
        lambda lib: lib.linalg.ldl_solve(lib.eye(2), lib.ones(2, dtype=lib.int32), lib.ones(3, 1)),
        lambda lib: lib.ormqr(lib.eye(3), lib.ones(2), lib.ones(3, 1)),
        lambda lib: lib.ormqr(lib.eye(3), lib.ones(3), lib.ones(2, 1)),
    ],
)
def test_sizes_that_do_not_fit(lib: Any, call: Any) -> None:
    """Matrices that are not square, integers, and exchanges or right sides of other sizes."""
    with pytest.raises(RuntimeError):
        call(lib)


@pytest.mark.parametrize("pivots", [[1, 3], [-3, -3], [1, -2], [-1, 2]], ids=str)
def test_exchanges_that_there_are_not(pivots: list[int]) -> None:
    """Rows that the matrix has not, and halves of blocks: LAPACK would reach beyond the memory."""
    with pytest.raises(RuntimeError, match=r"linalg_ldl_solve\(\): expected"):
        sg.linalg.ldl_solve(sg.eye(2), sg.tensor(pivots), sg.ones(2, 1))


@pytest.mark.parametrize("shape", [(5, 3), (2, 3, 3), (3, 5)])
def test_reflections(lib: Any, shape: tuple[int, ...]) -> None:
    """R above the diagonal and Q by ormqr give the matrix back; Q^H takes Q away."""
    x = reals(lib, *shape)
    packed, tau = lib.geqrf(x)
    rows = lib.triu(packed)
    close(lib.ormqr(packed, tau, rows), array(x))
    np.testing.assert_allclose(array(lib.ormqr(packed, tau, x, transpose=True)), array(rows), atol=1e-12)
    turned = lib.ormqr(packed, tau, lib.ormqr(packed, tau, x.mT, left=False), left=False, transpose=True)
    np.testing.assert_allclose(array(turned), array(x.mT), atol=1e-12)
