"""Gradients of decompositions by functions that no sign or phase of a vector changes, for real and complex matrices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.autograd import gradcheck, gradgradcheck


def matrix(*shape: int, is_complex: bool, seed: int = 0) -> Any:
    """A random matrix that requires grad."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(shape)
    return sg.tensor(values + 1j * rng.standard_normal(shape) if is_complex else values, requires_grad=True)


def hermitian(a: Any) -> Any:
    """A Hermitian matrix from any."""
    return a + a.mH


def weights(*shape: int) -> Any:
    """Other numbers for each place."""
    return sg.tensor(np.cos(np.arange(np.prod(shape)) + 1.0).reshape(shape))


def eigh_of(a: Any) -> Any:
    """The spectral projectors weighted by functions of the eigenvalues."""
    values, vectors = sg.linalg.eigh(hermitian(a))
    return (vectors * values.sin().unsqueeze(-2)) @ vectors.mH, vectors.abs()


def svd_of(a: Any) -> Any:
    """The matrix with functions of its singular values, and a product that no phase changes."""
    u, s, vh = sg.linalg.svd(a, full_matrices=False)
    return (u * s.sin().unsqueeze(-2)) @ vh, u.abs(), (u * weights(s.shape[-1])) @ vh


def eig_of(a: Any) -> Any:
    """The same for eigenvectors that are not at right angles."""
    values, vectors = sg.linalg.eig(a)
    return (vectors * values.sin().unsqueeze(-2)) @ sg.linalg.inv(vectors), vectors.abs()


CASES: dict[str, tuple[Callable[[Any], Any], tuple[int, ...]]] = {
    "eigh": (eigh_of, (3, 3)),
    "svd of a tall matrix": (svd_of, (3, 2)),
    "svd of a wide matrix": (svd_of, (2, 3)),
    "svd of a batch": (svd_of, (2, 2, 2)),
    "eig": (eig_of, (3, 3)),
    "cholesky": (lambda a: sg.linalg.cholesky(hermitian(a @ a.mH) + 5 * sg.eye(3).double()), (3, 3)),
    "upper cholesky": (lambda a: sg.linalg.cholesky(a @ a.mH + sg.eye(2).double(), upper=True), (2, 2)),
    "eigvalsh": (lambda a: sg.linalg.eigvalsh(hermitian(a), UPLO="U"), (3, 3)),
    "pinv of a Hermitian matrix": (lambda a: sg.linalg.pinv(hermitian(a), hermitian=True), (3, 3)),
}


@pytest.mark.parametrize("is_complex", [False, True], ids=["real", "complex"])
@pytest.mark.parametrize("name", CASES)
def test_gradients_of_functions_that_no_phase_changes(name: str, is_complex: bool) -> None:
    """First order in reverse and forward mode, and second order, are the slopes of the function."""
    function, shape = CASES[name]
    a = matrix(*shape, is_complex=is_complex)
    assert gradcheck(function, (a,), check_forward_ad=True, check_batched_grad=True)
    assert gradgradcheck(function, (a,))


def test_equal_values_do_no_harm_to_what_does_not_ask_for_vectors() -> None:
    """Equal eigenvalues and zero singular values have gradients; vectors of equal values have none, which is nan."""
    a = sg.eye(3).double().requires_grad_()
    sg.linalg.eigh(a).eigenvalues.sum().backward()
    assert sg.equal(a.grad, sg.eye(3).double())
    b = sg.ones(3, 2, dtype=sg.complex128, requires_grad=True)
    sg.linalg.svd(b, full_matrices=False).S[0].backward()
    assert sg.allclose(b.grad, sg.full((3, 2), 6**-0.5).to(b.dtype))
    c = sg.eye(2).double().requires_grad_()
    sg.linalg.eigh(c).eigenvectors.sum().backward()
    assert c.grad.isnan().any()


def test_a_hermitian_matrix_has_a_hermitian_gradient() -> None:
    """Though one triangle is read, the gradient is that of both: so it is in PyTorch."""
    for function in (sg.linalg.eigvalsh, sg.linalg.cholesky, lambda a: sg.linalg.pinv(a, hermitian=True)):
        a = sg.tensor([[2.0, 0.5], [0.5, 3.0]], requires_grad=True)
        (function(a) * sg.tensor([1.0, 2.0])).sum().backward()
        assert sg.equal(a.grad, a.grad.mT)


def test_one_triangle_is_read() -> None:
    """The other may hold anything."""
    full = sg.tensor([[2.0, 0.5], [0.5, 3.0]])
    lower, upper = full.tril() + 7 * full.triu(1), full.triu() + 7 * full.tril(-1)
    for given, side in ((lower, "L"), (upper, "U")):
        assert sg.allclose(sg.linalg.eigvalsh(given, side), sg.linalg.eigvalsh(full))
        assert sg.allclose(sg.linalg.eigh(given.requires_grad_(), side).eigenvalues, sg.linalg.eigvalsh(full))
        factor = sg.linalg.cholesky(given, upper=side == "U")
        assert sg.allclose(factor.tril() if side == "L" else factor.triu(), factor) and sg.allclose(
            factor.det(), sg.tensor(5.75).sqrt()
        )


def test_the_determinant_of_a_singular_matrix_has_a_gradient() -> None:
    """The cofactors, which are finite; the rank may be even less."""
    a = sg.tensor([[1.0, 2.0], [2.0, 4.0]], dtype=sg.float64, requires_grad=True)
    sg.linalg.det(a).backward()
    assert sg.allclose(a.grad, sg.tensor([[4.0, -2.0], [-2.0, 1.0]]).double())
    z = sg.zeros(2, 3, 3, requires_grad=True)
    sg.linalg.det(z).sum().backward()
    assert not z.grad.any()


def test_a_matrix_is_the_product_of_its_decomposition() -> None:
    """For tall, wide and square matrices of a batch."""
    for shape in ((2, 3, 3), (2, 4, 2), (2, 2, 4)):
        a = matrix(*shape, is_complex=True).detach()
        p, lower, upper = sg.linalg.lu(a)
        assert sg.allclose(p @ lower @ upper, a)
        assert sg.allclose(sg.lu_unpack(*sg.linalg.lu_factor(a)).L, lower)
        u, s, vh = sg.linalg.svd(a, full_matrices=False)
        assert sg.allclose((u * s.unsqueeze(-2)) @ vh, a)
        q, r = sg.linalg.qr(a)
        assert sg.allclose(q @ r, a) and sg.allclose(r.triu(), r)
