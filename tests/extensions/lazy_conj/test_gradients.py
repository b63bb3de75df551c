"""Gradients, hooks and tangents through conjugates and negatives that are views, in specgrad and in PyTorch."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import specgrad as sg


def leaf(lib: ModuleType) -> Any:
    """Complex numbers that require grad."""
    return lib.tensor([1 + 2j, 3j, -1 + 0.5j], dtype=lib.complex128, requires_grad=True)


def test_gradients_pass_the_view(lib: ModuleType) -> None:
    """The view is a place in the graph, which keeps its gradient, has hooks and may be asked for."""
    x = leaf(lib)
    y = x.conj()
    y.retain_grad()
    y.register_hook(lambda grad: grad * 2)
    weights = lib.tensor([1j, 2, 3], dtype=lib.complex128)
    (y[:2].conj().conj().reshape(2, 1).squeeze(1) * weights[:2]).real.sum().backward()
    assert y.grad.tolist() == [-2j, 4, 0] and x.grad.tolist() == [2j, 4, 0]
    assert y.grad_fn.name() == "ConjBackward0" and y.resolve_conj().grad_fn.name() == "CloneBackward0"
    z = lib.autograd.grad(y.imag.sum(), [y, x])
    assert z[0].tolist() == [1j, 1j, 1j] and z[1].tolist() == [-2j, -2j, -2j]


def test_a_conjugate_as_leaf(lib: ModuleType) -> None:
    """What is detached may be a leaf itself, which an optimizer writes through."""
    x = lib.tensor([1 + 1j, 2j])
    y = x.conj().detach().requires_grad_()
    for _ in range(2):
        (y * y.reshape(2)).abs().sum().backward()
    lib.optim.SGD([y], lr=0.25).step()
    assert y.is_leaf and y.is_conj() and x.tolist() == [0, 0]
    assert y.grad.tolist() == [4 - 4j, -8j]


def test_writes_are_differentiated(lib: ModuleType) -> None:
    """The tensor, the conjugate and its parts are what they are after writes through any of them."""
    x = leaf(lib)
    w = lib.tensor([1j, 2], dtype=lib.complex128, requires_grad=True)
    z = x * 1
    y = z.conj()
    part = y[:2]
    part.mul_(w)
    y.imag.mul_(2)
    z.real.add_(1)
    found = lib.autograd.grad((y * y).sum().abs(), [x, w])

    def by_hand(x: Any, w: Any) -> Any:
        y = np.conj(x) * np.array([*w, 1])
        return abs(((y.real + 1 + 2j * y.imag) ** 2).sum())

    values = [x.detach().resolve_conj().numpy(), w.detach().numpy()]
    for number, grad in enumerate(found):
        for index in range(grad.numel()):
            derivatives = []
            for step in (1e-6, 1e-6j):
                ends = [[v.copy() for v in values] for _ in range(2)]
                ends[0][number][index] += step
                ends[1][number][index] -= step
                derivatives.append((by_hand(*ends[0]) - by_hand(*ends[1])) / 2e-6)
            assert grad.resolve_conj()[index].item() == pytest.approx(complex(*derivatives), rel=1e-6, abs=1e-7)


def test_leaves_are_not_written_to(lib: ModuleType) -> None:
    """A write through a view of a leaf that requires grad is refused, and nothing is written."""
    x = leaf(lib)
    before = x.tolist()
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        x.conj().mul_(2)
    assert x.tolist() == before
    with lib.no_grad():
        x.conj().mul_(2)
    assert x.tolist() == [2 * value for value in before]


def test_gradcheck() -> None:
    """Reverse, forward, batched and second derivatives agree with differences."""
    x = sg.tensor([[1 + 2j, 0.3], [0.5j, -1]], dtype=sg.complex128, requires_grad=True)
    for function in (lambda x: x.mH @ x, lambda x: (x.conj() * x).imag + x.conj().imag, lambda x: x.conj()._neg_view()):
        assert sg.autograd.gradcheck(function, x, check_forward_ad=True, check_batched_grad=True)
        assert sg.autograd.gradgradcheck(function, x)


def test_gradients_that_users_give(lib: ModuleType) -> None:
    """Custom Functions, hooks and callers of backward may give conjugates."""

    class PermutedNode(lib.autograd.Function):  # type: ignore[name-defined, misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x.conj())
            return x.conj()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return (grad * ctx.saved_tensors[0]).conj()

    x = leaf(lib)
    y = PermutedNode.apply(x * 1)
    y.register_hook(lambda grad: grad.conj())
    (y * 2).backward(lib.tensor([1j, 1, 2], dtype=lib.complex128).conj())
    expected = np.conj(np.conj(2 * np.array([-1j, 1, 2])) * np.conj([1 + 2j, 3j, -1 + 0.5j]))
    np.testing.assert_allclose(np.array(x.grad.tolist()), expected)
    x.grad = x.detach().conj()
    (x * 1).backward(lib.ones(3, dtype=lib.complex128))
    np.testing.assert_allclose(np.array(x.grad.tolist()), np.conj([1 + 2j, 3j, -1 + 0.5j]) + 1)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of PyTorch's own, when it first follows tangents
def test_tangents(lib: ModuleType) -> None:
    """Forward mode: tangents of views are views of tangents, and follow writes."""
    with lib.autograd.forward_ad.dual_level():
        along = lib.tensor([1j, 2 + 1j, 0j], dtype=lib.complex128)
        x = lib.autograd.forward_ad.make_dual(leaf(lib).detach(), along)
        unpack = lib.autograd.forward_ad.unpack_dual
        assert unpack(x.conj()).tangent.tolist() == [-1j, 2 - 1j, 0]
        assert unpack(x.conj().imag[:2]).tangent.tolist() == [-1, -1]
        assert unpack(x.conj() * 2j).tangent.tolist() == [2, 2 + 4j, 0]
        z = x * 1
        z.conj().mul_(2j)
        assert unpack(z).tangent.tolist() == [2, 2 - 4j, 0]


def test_vmap_and_transforms(lib: ModuleType) -> None:
    """Examples of a batch are conjugated, and written to, as tensors are."""
    x = leaf(lib).detach()
    for _ in range(2):
        assert lib.vmap(lambda v: v.conj() * 2)(x).tolist() == [2 - 4j, -6j, -2 - 1j]
        assert lib.vmap(lambda v: v.clone().conj().mul_(2j))(x).tolist() == (x.conj() * 2j).tolist()
    assert lib.func.grad(lambda v: (v.conj() * v).real.sum())(x).tolist() == (2 * x).tolist()
