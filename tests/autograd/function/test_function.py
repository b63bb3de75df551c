"""Custom `autograd.Function`s: what forward may say through ctx, what backward gets and must return."""

from typing import Any

import pytest

import specgrad as sg
from tests.examples import leaf


def randn(*shape: int) -> Any:
    """A float64 tensor that requires grad."""
    return sg.randn(*shape, dtype=sg.float64, requires_grad=True)


class LinearFunction(sg.autograd.Function):
    """The example of PyTorch's notes: forward with ctx first, gradients only where they are needed."""

    @staticmethod
    def forward(ctx: Any, input: Any, weight: Any, bias: Any = None) -> Any:
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        if bias is not None:
            output += bias.unsqueeze(0).expand_as(output)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class MulConstant(sg.autograd.Function):
    """The setup_context style, with an argument that is no tensor."""

    @staticmethod
    def forward(tensor: Any, constant: float) -> Any:
        return tensor * constant

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        _, constant = inputs
        ctx.set_materialize_grads(False)
        ctx.constant = constant

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return (None, None) if grad_output is None else (grad_output * ctx.constant, None)


def test_linear_function() -> None:
    """It agrees with finite differences, at second order too, with and without the optional argument."""
    arguments = (randn(4, 3), randn(2, 3), randn(2))
    assert sg.autograd.gradcheck(LinearFunction.apply, arguments)
    assert sg.autograd.gradcheck(LinearFunction.apply, arguments[:2])
    assert sg.autograd.gradgradcheck(LinearFunction.apply, arguments)


def test_setup_context() -> None:
    """forward without ctx, then setup_context with inputs and output."""
    assert sg.autograd.gradcheck(lambda t: MulConstant.apply(t, 3.0), randn(2, 2))
    assert sg.autograd.gradgradcheck(lambda t: MulConstant.apply(t, 3.0), randn(2, 2))


def test_needs_input_grad() -> None:
    """needs_input_grad says for each argument whether it requires grad; others get no gradient computed."""
    seen = []

    class Product(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, k: float, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            return a * k * b

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            seen.append(ctx.needs_input_grad)
            a, b = ctx.saved_tensors
            return grad * b, None, grad * a

    a, b = leaf(2.0), sg.tensor([3.0], dtype=sg.float64)
    Product.apply(a, 1.0, b).backward()
    assert seen == [(True, False, False)]
    assert a.grad.item() == 3.0 and b.grad is None


def test_nothing_recorded() -> None:
    """Inside forward nothing is recorded; without inputs that require grad, or under no_grad, nothing is at all."""
    modes = []

    class Double(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            modes.append((sg.is_grad_enabled(), (x * 2).requires_grad))
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    assert not Double.apply(sg.ones(1)).requires_grad
    x = leaf(1.0)
    with sg.no_grad():
        assert not Double.apply(x).requires_grad
    y = Double.apply(x)
    assert modes == [(False, False)] * 3
    assert y.requires_grad and not y.is_leaf
    assert y.grad_fn.name() == type(y.grad_fn).__name__ == "DoubleBackward"


def test_several_outputs() -> None:
    """Each output has its own gradient; one that was not used arrives as zeros."""
    seen: list[Any] = []

    class SumDifference(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            return a + b, a - b

        @staticmethod
        def backward(ctx: Any, gs: Any, gd: Any) -> Any:
            seen.append((gs.tolist(), gd.tolist()))
            return gs + gd, gs - gd

    a, b = leaf(1.0), leaf(2.0)
    s, d = SumDifference.apply(a, b)
    (s * 3 + d * 5).backward(retain_graph=True)
    assert (a.grad.item(), b.grad.item()) == (8.0, -2.0)
    s.backward()
    assert seen == [([3.0], [5.0]), ([1.0], [0.0])]
    assert sg.autograd.gradcheck(SumDifference.apply, (randn(2), randn(2)))
    assert sg.autograd.gradgradcheck(SumDifference.apply, (randn(2), randn(2)))


def test_set_materialize_grads() -> None:
    """With set_materialize_grads(False) an unused output's gradient is None."""
    seen: list[Any] = []

    class Pair(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.set_materialize_grads(False)
            return a * 2, a * 3

        @staticmethod
        def backward(ctx: Any, first: Any, second: Any) -> Any:
            seen.append((first, second is None))
            return None

    Pair.apply(leaf(1.0))[1].backward(sg.ones(1, dtype=sg.float64))
    assert seen == [(None, False)]


def test_mark_non_differentiable() -> None:
    """Outputs so marked, and integer ones, do not require grad; their gradients arrive as zeros."""

    class Sort(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            value, index = x.max(0)
            floor = x.floor()
            ctx.mark_non_differentiable(floor)
            ctx.save_for_backward(index)
            ctx.size = x.shape
            return value, index, floor

        @staticmethod
        def backward(ctx: Any, g: Any, g_index: Any, g_floor: Any) -> Any:
            assert g_floor.tolist() == [0.0, 0.0]
            return sg.zeros(ctx.size, dtype=sg.float64).index_put((ctx.saved_tensors[0],), g)

    x = leaf(1.5, 2.5)
    value, index, floor = Sort.apply(x)
    assert value.requires_grad and not index.requires_grad and not floor.requires_grad
    value.backward()
    assert x.grad.tolist() == [0.0, 1.0]


def test_outputs_that_are_no_tensors() -> None:
    """Other objects among the outputs are handed through."""

    class WithNote(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2, "note", None

        @staticmethod
        def backward(ctx: Any, grad: Any, *_: Any) -> Any:
            return grad * 2

    x = leaf(1.0)
    y, note, nothing = WithNote.apply(x)
    y.backward()
    assert (note, nothing, x.grad.item()) == ("note", None, 2.0)


def test_any_name_may_be_put_on_ctx() -> None:
    """Attributes of ctx are the user's, whatever their name, and grad_fn shows them."""
    names = ["function", "edges", "metas", "hooks", "sequence", "op_name", "output_count", "saved_slots", "inner"]

    class Notes(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            for name in names:
                setattr(ctx, name, name.upper())
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            assert [getattr(ctx, name) for name in names] == [name.upper() for name in names]
            return grad * 2

    x = leaf(1.0)
    y = Notes.apply(x)
    assert y.grad_fn.inner == "INNER"
    y.backward()
    assert x.grad.item() == 2.0


def test_missing_forward() -> None:
    """A Function without forward says so."""
    with pytest.raises(NotImplementedError, match="must implement .*forward"):
        type("Empty", (sg.autograd.Function,), {}).apply(leaf(1.0))
