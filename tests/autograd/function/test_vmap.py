"""Custom Functions under vmap: the user's rule, generated rules, and derivatives in every order of transforms."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import func


def grid(*shape: int) -> Any:
    """The numbers from 1, in float64."""
    return (sg.arange(int(np.prod(shape)), dtype=sg.float64) + 1).reshape(shape)


def make(forward: Any, backward: Any = lambda ctx, *g: g[0], context: Any = lambda ctx, i, o: None, **more: Any) -> Any:
    """A Function of these static methods, with a generated rule unless it has one of its own."""
    named = {"forward": forward, "backward": backward, "setup_context": context, **more}
    methods = {name: staticmethod(m) if callable(m) else m for name, m in named.items() if m is not None}
    return type("Made", (sg.autograd.Function,), {"generate_vmap_rule": "vmap" not in more, **methods})


class Product(sg.autograd.Function):
    """x * w with all rules; what backward needs is saved, and put on ctx as well."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any, w: Any) -> Any:
        return x * w

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)
        ctx.nested = {"x": [inputs[0]]}

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x, w = ctx.saved_tensors
        assert ctx.nested["x"][0].shape == x.shape and grad.shape == (x * w).shape
        return grad * w, grad * ctx.nested["x"][0]

    @staticmethod
    def jvp(ctx: Any, x_t: Any, w_t: Any) -> Any:
        x, w = ctx.saved_tensors
        return x_t * w + x * w_t


class Exp(sg.autograd.Function):
    """Derivatives from the saved output."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any) -> Any:
        return x.exp()

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(output)
        ctx.save_for_forward(output)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.saved_tensors[0]

    jvp = backward


def test_own_rule() -> None:
    """It is told of the batch and gets whole batches, each with its dimension; nested arguments by their leaves."""
    seen: list[Any] = []

    def rule(info: Any, in_dims: Any, x: Any, k: Any, nested: Any) -> Any:
        seen.append((info._fields, tuple(info), in_dims, x.shape, k, nested[0].shape))
        return (x * k * nested[0]).t(), 1

    function = make(lambda x, k, nested: x * k * nested[0], vmap=rule)
    x, y = grid(3, 2), grid(2)
    result = func.vmap(lambda x: function.apply(x, 5, [y, None]), randomness="same")(x)
    assert result.tolist() == (x * 5 * y).tolist()
    assert seen == [(("batch_size", "randomness"), (3, "same"), (0, None, [None, None]), (3, 2), 5, (2,))]


def test_own_rule_for_several_outputs() -> None:
    """One dimension for all outputs or one for each; None for what all examples share."""
    rule = lambda info, dims, x: ((x * 2, x.t(), grid(2), "text"), (0, -1, None, None))  # noqa: E731
    function = make(lambda x: None, vmap=rule)
    a, b, c = func.vmap(lambda x: function.apply(x)[:3])(grid(3, 2))
    assert a.tolist() == b.mul(2).tolist() and c.tolist() == [[1.0, 2.0]] * 3
    function = make(lambda x: None, vmap=lambda info, dims, x: ([x, x * 2], 0))
    assert [t.tolist() for t in func.vmap(function.apply)(grid(2))] == [[1.0, 2.0], [2.0, 4.0]]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (
            type("F", (sg.autograd.Function,), {"forward": lambda ctx, x: x}),
            "must override the setup_context staticmethod",
        ),
        (make(lambda x: x, generate_vmap_rule=False), "You tried to vmap over Made, but it does not have vmap support"),
        (
            make(lambda x: x, vmap=lambda *_: 0, generate_vmap_rule=True),
            "has both generate_vmap_rule=True and an overrid",
        ),
        (make(lambda x: x, vmap=lambda info, dims, x: x), "Expected the vmap staticmethod to have two returns"),
        (make(lambda x: x, vmap=lambda info, dims, x: (x, 0, 0)), "Got 3 returns instead"),
        (
            make(lambda x: x, vmap=lambda info, dims, x: ((x, x), (0,))),
            "returned an incompatible (output, out_dims) tuple",
        ),
    ],
)
def test_missing_and_wrong_rules(function: Any, expected: str) -> None:
    """Each is an error in PyTorch's words; where no argument is part of a batch no rule is needed."""
    with pytest.raises(RuntimeError) as caught:
        func.vmap(function.apply)(grid(3))
    assert expected in str(caught.value)
    plain = make(lambda x: x * 2, generate_vmap_rule=False)
    assert func.vmap(lambda x: x + plain.apply(grid(1)[0]))(grid(2)).tolist() == [3.0, 4.0]


DERIVATIVES = {
    "vmap": lambda f: func.vmap(f),
    "vmap(grad)": lambda f: func.vmap(func.grad(f)),
    "grad(vmap)": lambda f: func.grad(lambda x: func.vmap(f)(x).sum()),
    "vmap(vmap(grad))": lambda f: func.vmap(lambda x: func.vmap(func.grad(f))(x.reshape(1, -1))),
    "vmap(hessian)": lambda f: func.vmap(func.hessian(f)),
    "vmap(jacrev(jacrev))": lambda f: func.vmap(func.jacrev(func.jacrev(f))),
    "vmap(jacfwd(jacrev))": lambda f: func.vmap(func.jacfwd(func.jacrev(f))),
    "vmap(jacrev(jacfwd))": lambda f: func.vmap(func.jacrev(func.jacfwd(f))),
    "jacrev(vmap)": lambda f: func.jacrev(func.vmap(f)),
    "jacfwd(vmap)": lambda f: func.jacfwd(func.vmap(f)),
    "vmap(jvp)": lambda f: func.vmap(lambda x: func.jvp(f, (x,), (x * 2,))[1]),
    "jvp(vmap)": lambda f: lambda x: func.jvp(func.vmap(f), (x,), (x * 2,))[1],
}


@pytest.mark.parametrize("name", DERIVATIVES)
def test_generated_rules_in_all_orders(name: str) -> None:
    """A program of Functions with generated rules has the derivatives of the same program of plain ops."""
    w = grid(2) / 3
    transform, x = DERIVATIVES[name], grid(3, 2) / 10
    custom = transform(lambda x: Product.apply(Exp.apply(Product.apply(x, w)), x).sum())
    plain = transform(lambda x: ((x * w).exp() * x).sum())
    assert sg.allclose(custom(x), plain(x), rtol=1e-12)


def test_what_all_examples_share() -> None:
    """The gradient of a shared input is the sum over the examples; its tangent may differ between them."""
    x, w = grid(3, 2), grid(2).requires_grad_()
    out = func.vmap(lambda x: Product.apply(x, w))(x)
    assert out.grad_fn.name() == "VmappedProductBackward"
    (out * out).sum().backward()
    assert w.grad.tolist() == (2 * x * x * w).sum(0).tolist()
    v = grid(3, 2) * 7
    along = func.vmap(lambda x, v: func.jvp(lambda w: Product.apply(x, w), (w.detach(),), (v,))[1])(x, v)
    assert along.tolist() == (x * v).tolist()


def test_broadcast_and_missing_gradients() -> None:
    """Gradients of a broadcast shape are summed for each example; None and an unused output are nothing."""
    x, w = grid(3).requires_grad_(), grid(2).requires_grad_()
    y = func.vmap(lambda x: Product.apply(x, w))(x)  # each x is a number, w a vector
    y.sum().backward()
    assert x.grad.tolist() == [3.0] * 3 and w.grad.tolist() == [6.0] * 2
    seen: list[Any] = []

    def backward(ctx: Any, g: Any, h: Any, *_: Any) -> Any:
        seen.append((g if g is None else g.shape, h.shape))
        return h * 3, None

    for materialize in (True, False):
        context = lambda ctx, i, o, m=materialize: ctx.set_materialize_grads(m)  # noqa: E731
        function = make(lambda x, w: (x * 2, x * 3, "text", None), backward, context)
        x.grad = w.grad = None
        func.vmap(lambda x, f=function: f.apply(x, w)[1])(x).sum().backward()
        assert x.grad.tolist() == [3.0] * 3 and w.grad is None
    assert seen == [((), ()), (None, ())]


def test_inputs_returned_and_changed() -> None:
    """An input as it is, a view, and an input changed in place; outputs that all examples share or without gradient."""
    x = grid(3, 2).requires_grad_()
    func.vmap(make(lambda x: x, lambda ctx, g: g * 10).apply)(x).sum().backward()
    assert x.grad.tolist() == [[10.0] * 2] * 3
    y = func.vmap(make(lambda x: x.view(1, 2), lambda ctx, g: g.view(2) * 3).apply)(x)
    assert y.shape == (3, 1, 2)
    changed = make(lambda x: x.mul_(2), lambda ctx, g: g * 2, lambda ctx, i, o: ctx.mark_dirty(i[0]))
    x.grad = None
    y = x * 1
    z = func.vmap(changed.apply)(y)
    z.sum().backward()
    assert y.tolist() == z.tolist() == (x * 2).tolist() and x.grad.tolist() == [[2.0] * 2] * 3
    w = grid(2).requires_grad_()
    lazy_conj = lambda ctx, i, o: ctx.mark_non_differentiable(o[2])  # noqa: E731
    shared = make(lambda x, w: (x * 2, w * 3, x.floor()), lambda ctx, g, h, f: (g * 2, h * 3), lazy_conj)
    a, b, c = func.vmap(lambda x: shared.apply(x, w))(x)
    assert a.requires_grad and b.shape == (3, 2) and not c.requires_grad
    (b * b).sum().backward()
    assert w.grad.tolist() == (2 * 3 * 3 * 3 * w).tolist()


def test_gradients_of_a_generated_rule_are_checked() -> None:
    """Number and shape, by the user's own count of arguments and shape of one example."""
    x = grid(3, 2).requires_grad_()
    with pytest.raises(
        RuntimeError, match=r"MadeBackward returned an incorrect number of gradients \(expected 2, got 1\)"
    ):
        func.vmap(lambda x: make(lambda x, k: x * k).apply(x, 2))(x).sum().backward()
    with pytest.raises(
        RuntimeError, match=r"invalid gradient at index 0 - got \[5\] but expected shape compatible with \[2\]"
    ):
        func.vmap(make(lambda x: x * 2, lambda ctx, g: g.new_zeros(5)).apply)(x).sum().backward()


def test_a_rule_that_computes_outside_the_graph() -> None:
    """Where the user's rule loses the derivatives, those of backward and jvp hold, for each example."""

    def square(x: Any) -> Any:
        return sg.tensor(x.detach().numpy() ** 2)

    save = lambda ctx, i, o: (ctx.save_for_backward(*i), ctx.save_for_forward(*i))  # noqa: E731
    derivative = lambda ctx, g: 2 * g * ctx.saved_tensors[0]  # noqa: E731
    function = make(square, derivative, save, jvp=derivative, vmap=lambda info, dims, x: (square(x), dims[0]))
    x = grid(2, 3)
    assert func.vmap(func.grad(lambda x: function.apply(x).sum()))(x).tolist() == (2 * x).tolist()
    assert func.vmap(lambda x: func.jvp(function.apply, (x,), (x,))[1])(x).tolist() == (2 * x * x).tolist()


def test_batches_of_gradients() -> None:
    """is_grads_batched runs any backward on examples, also one that calls a Function without rule."""

    class Double(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return Double.apply(g)

    x = grid(2).requires_grad_()
    (rows,) = sg.autograd.grad(Double.apply(x), x, sg.eye(2, dtype=sg.float64), is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0], [0.0, 2.0]]
