"""Gradients of what autocast has cast arrive in the dtypes of leaves, in every mode and from every kind of graph."""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg
from specgrad.func import grad, jvp, vmap
from specgrad.utils.checkpoint import checkpoint

F = sg.nn.functional
HALF = 2.0**-8  # what a number of bfloat16 may be off


def leaf(*shape: int, start: float = -1.0) -> Any:
    size = int(sg.Size(shape).numel())
    return sg.linspace(start, 1, size).reshape(shape).clone().requires_grad_()


def losses(w: Any, x: Any) -> Any:
    """Two products with one weight, one of them recorded through a cast back."""
    return F.mse_loss(F.linear(x, w), F.linear(x * 2, w) + 1)


def test_leaves_get_gradients_of_their_dtype() -> None:
    """Close to those of float32, and the same weight is cast once for both products."""
    x, w = leaf(3, 4), leaf(2, 4, start=-0.5)
    requested = sg.autograd.grad(losses(w, x), (w, x))
    with sg.autocast("cpu"):
        loss = losses(w, x)
    found = sg.autograd.grad(loss, (w, x))
    assert [g.dtype for g in (loss, *found)] == [sg.float32] * 3
    for one, other in zip(found, requested, strict=True):
        assert sg.allclose(one, other, rtol=8 * HALF, atol=8 * HALF)


def casts(*outputs: Any) -> list[Any]:
    """The nodes that made the first operands of products."""
    return [output.grad_fn.next_functions[0][0] for output in outputs]


def test_parameters_are_cast_once() -> None:
    """In the outermost region, unless the cache is off; other tensors each time."""
    w, ones = leaf(2, 2), sg.ones(2, 2)
    with sg.autocast("cpu"):
        with sg.autocast("cpu"):
            first = sg.mm(w, ones)
        one, other = casts(first, sg.mm(w, ones))
        assert one is other
        sg.clear_autocast_cache()
        assert casts(sg.mm(w, ones))[0] is not one
    with sg.autocast("cpu"):
        assert casts(sg.mm(w, ones))[0] is not one
    with sg.autocast("cpu", cache_enabled=False):
        one, other = casts(sg.mm(w, ones), sg.mm(w, ones))
        assert one is not other
        product = w * 1
        one, other = casts(sg.mm(product, ones), sg.mm(product, ones))
        assert one is not other


def test_a_cast_follows_writes_and_modes() -> None:
    """What was cast without recording serves no recorded op, and what has been written to is cast anew."""
    w = sg.nn.Parameter(sg.ones(2, 2))
    optimizer = sg.optim.SGD([w], lr=0.5)
    seen = []
    with sg.autocast("cpu"):
        with sg.no_grad():
            assert not sg.mm(sg.ones(2, 2), w).requires_grad
        for _ in range(3):
            loss = sg.mm(sg.ones(2, 2), w).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            seen.append(loss.item())
    assert seen == [8.0, 0.0, -8.0]
    assert w.grad is not None and w.grad.tolist() == [[2, 2], [2, 2]]


def test_backward_inside_a_region_casts_nothing() -> None:
    """Formulas get what forward has had; hooks see the gradient, and no region."""
    w, seen = leaf(2, 2), []
    with sg.autocast("cpu"):
        hidden = w.double().mm(w.double())
        hidden.register_hook(lambda g: seen.append((g.dtype, sg.is_autocast_enabled("cpu"), sg.mm(g, g).dtype)))
        hidden.sum().backward()
        assert sg.is_autocast_enabled("cpu")
    assert seen == [(sg.float64, False, sg.float64)]
    assert w.grad is not None and w.grad.dtype is sg.float32


def test_second_derivatives() -> None:
    """Of (x w)^2, summed, with respect to both."""
    x, w = sg.ones(2, 2, requires_grad=True), sg.full((2, 2), 3.0, requires_grad=True)
    with sg.autocast("cpu"):
        y = (x @ w).pow(2).sum()
    (g,) = sg.autograd.grad(y, x, create_graph=True)
    assert (g.dtype, g.tolist()) == (sg.float32, [[72, 72], [72, 72]])
    g.pow(2).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [[10368, 10368], [10368, 10368]]


@pytest.mark.parametrize("use_reentrant", [False, True])
def test_a_checkpoint_is_repeated_in_its_region(use_reentrant: bool) -> None:
    """Backward, outside of it, calls the function in bfloat16 again; gradients are those without a checkpoint."""
    x, w, seen = leaf(2, 2), leaf(2, 2, start=0.1), []

    def function(a: Any) -> Any:
        product = a @ w
        seen.append(product.dtype)
        return product.float().tanh()

    with sg.autocast("cpu"):
        plain = function(x).sum()
    requested = sg.autograd.grad(plain, (x, w))
    with sg.autocast("cpu"):
        y = checkpoint(function, x, use_reentrant=use_reentrant)
    y.sum().backward()
    assert seen == [sg.bfloat16] * 3
    assert x.grad.equal(requested[0]) and w.grad.equal(requested[1])


def test_a_checkpoint_without_a_region_is_repeated_without_one() -> None:
    """Also where backward is called in one."""
    x, seen = leaf(2, 2), []

    def function(a: Any) -> Any:
        seen.append(a.mm(a).dtype)
        return a.exp()

    y = checkpoint(function, x, use_reentrant=False)
    with sg.autocast("cpu"):
        y.sum().backward()
    assert seen == [sg.float32] * 2


def test_transforms_inside_a_region() -> None:
    """vmap, grad, both together, and forward mode give what loops and tensors cast by hand do."""
    w, rows = sg.full((3, 3), 0.5), sg.ones(4, 3)
    with sg.autocast("cpu"):
        assert vmap(lambda v: v @ w)(rows).dtype is sg.bfloat16
        assert vmap(F.mse_loss)(rows.bfloat16(), rows).dtype is sg.float32
        one = grad(lambda m: (rows @ m).float().sum())(w)
        each = vmap(grad(lambda m, v: (v @ m).float().sum()), in_dims=(None, 0))(w, rows)
        out, tangent = jvp(lambda m: (rows @ m).float().tanh(), (w,), (w,))
    assert (one.dtype, one.tolist()) == (sg.float32, [[4.0] * 3] * 3)
    assert each.dtype is sg.float32 and each.sum(0).equal(one)
    assert (out.dtype, tangent.dtype) == (sg.float32, sg.float32)
    assert sg.allclose(tangent, 1.5 * (1 - out * out), atol=1e-6)


class Product(sg.autograd.Function):
    """A product that notes what it is given."""

    seen: list[Any] = []

    @staticmethod
    @sg.amp.custom_fwd(device_type="cpu")
    def forward(ctx: Any, a: Any, b: Any) -> Any:
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    @sg.amp.custom_bwd(device_type="cpu")
    def backward(ctx: Any, *grads: Any) -> Any:
        a, b = ctx.saved_tensors
        wide = grads[0].float()
        Product.seen.append((sg.is_autocast_enabled("cpu"), (wide @ b.T).dtype))
        return (wide @ b.T).to(a.dtype), (a.T @ wide).to(b.dtype)


def test_a_custom_function_runs_backward_in_its_region() -> None:
    """Outside a region too, and after a forward without one in none."""
    a, b = leaf(2, 2), leaf(2, 2)
    with sg.autocast("cpu"):
        y = Product.apply(a, b)
    assert y.dtype is sg.bfloat16
    y.float().sum().backward()
    y = Product.apply(a, b)
    with sg.autocast("cpu"):
        y.sum().backward()
    assert Product.seen == [(True, sg.bfloat16), (False, sg.float32)]
    assert a.grad is not None and a.grad.dtype is sg.float32


def test_inputs_of_a_custom_function_are_cast() -> None:
    """Inside a region alone, which is none for `forward` then; containers, and neither integers nor float64."""
    seen: list[Any] = []

    class Noting:
        @staticmethod
        @sg.amp.custom_fwd(device_type="cpu", cast_inputs=sg.float32)
        def forward(ctx: Any, x: Any, others: Any, **named: Any) -> None:
            dtypes = [x.dtype, others[0].dtype, others[1]["k"].dtype, named["n"].dtype]
            seen.append((dtypes, sg.is_autocast_enabled("cpu")))

    class Context:
        pass

    half, integer, double = sg.ones(1).bfloat16(), sg.ones(1).long(), sg.ones(1).double()
    with sg.autocast("cpu"):
        Noting.forward(Context(), half, [integer, {"k": half}], n=double)
    Noting.forward(Context(), half, [integer, {"k": half}], n=double)
    assert seen[0] == ([sg.float32, sg.int64, sg.float32, sg.float64], False)
    assert seen[1] == ([sg.bfloat16, sg.int64, sg.bfloat16, sg.float64], False)
