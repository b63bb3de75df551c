"""What `backward` and `autograd.grad` accept: gradients, edges, inputs of any kind, batches; and what they refuse."""

from typing import Any

import pytest

import specgrad as sg
from specgrad.autograd.graph import GradientEdge, get_gradient_edge
from tests.examples import leaf


def test_gradient_is_cast_to_the_output() -> None:
    """A gradient of another dtype of the same kind is cast, integers too."""
    for dtype in (sg.float32, sg.int64, sg.float16):
        x = leaf(1.0, 2.0)
        (x * 2).backward(sg.ones(2, dtype=dtype))
        assert x.grad.tolist() == [2.0, 2.0] and x.grad.dtype is sg.float64
    z = sg.ones(2, dtype=sg.complex64, requires_grad=True)
    (z * 2).backward(sg.ones(2, dtype=sg.complex128))
    assert z.grad.dtype is sg.complex64


def test_output_of_one_element_needs_no_gradient() -> None:
    """The implicit gradient is 1, in the shape of the output."""
    x = sg.ones(1, 1, requires_grad=True)
    (x * 2).backward()
    assert x.grad.tolist() == [[2.0]]


def test_any_iterable_of_tensors() -> None:
    """Several tensors may come from a generator, and none at all is nothing to do."""
    x = leaf(1.0)
    sg.autograd.backward(y for y in (x * 1, x * 2))
    assert x.grad.item() == 3.0
    sg.autograd.backward([])
    assert sg.autograd.grad([], [x], allow_unused=True) == (None,)


def test_same_output_and_input_several_times() -> None:
    """An output that is given twice counts twice; an input that is given twice is answered twice, not twofold."""
    x = leaf(2.0)
    y = x * 2
    assert [g.item() for g in sg.autograd.grad([y, y], [x, x], retain_graph=True)] == [4.0, 4.0]
    (y * y).backward(inputs=[y, x, y, x])
    assert (y.grad.item(), x.grad.item()) == (8.0, 16.0)


def test_outputs_that_are_inputs() -> None:
    """The gradient of an output with respect to itself is the given one itself; what is below still counts."""
    x = leaf(2.0)
    given = sg.ones(1, dtype=sg.float64)
    assert sg.autograd.grad(x, x, given)[0] is given
    y = x * 2
    z = y * y
    assert [g.item() for g in sg.autograd.grad([y, z], [y, z, x])] == [9.0, 1.0, 18.0]


def test_non_leaf_inputs_of_backward() -> None:
    """They are treated as if retain_grad had been called on them: .grad adds up, now and in later passes."""
    x = leaf(2.0)
    y = x * 3
    z = y * y
    z.backward(inputs=[y], retain_graph=True)
    first = y.grad
    assert (first.item(), x.grad, y.retains_grad) == (12.0, None, True)
    z.backward()
    assert (first.item(), y.grad.item(), x.grad.item()) == (12.0, 24.0, 36.0)


def test_inputs_below_which_nothing_runs() -> None:
    """Neither nodes nor hooks where nothing is asked for run, and graphs that are freed there do not matter."""
    x, w, log = leaf(2.0), leaf(3.0), []
    a, b = x * 2, w.exp()
    b.backward()
    b.register_hook(lambda g: log.append("b"))
    b.grad_fn.register_prehook(lambda g: log.append("before b"))
    w.register_hook(lambda g: log.append("w"))
    b.retain_grad()
    loss = a * b * w
    sg.autograd.grad(loss, x, retain_graph=True)
    loss.backward(inputs=[x])
    assert log == [] and b.grad is None


def test_captured_before_the_hooks_of_a_node_that_runs() -> None:
    """As in PyTorch: hooks on an input change its gradient, unless the pass goes on below; pre-hooks never do."""
    x = leaf(2.0)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    y.grad_fn.register_prehook(lambda g: (g[0] * 100,))
    z = y * y
    assert [g.item() for g in sg.autograd.grad(z, [y], retain_graph=True)] == [80.0]
    assert [g.item() for g in sg.autograd.grad(z, [x, y])] == [16000.0, 8.0]


def test_gradient_edges() -> None:
    """Edges stand for their tensors, as outputs and as inputs, leaves and results alike."""
    x = leaf(2.0, 3.0)
    y = x * 3
    a, b = y.unbind()
    edges = [get_gradient_edge(t) for t in (b, a, y, x)]
    found = sg.autograd.grad(a * b, edges, retain_graph=True)
    assert [g.tolist() for g in found] == [6.0, 9.0, [9.0, 6.0], [27.0, 18.0]]
    sg.autograd.backward(get_gradient_edge(a), retain_graph=True)
    assert x.grad.tolist() == [3.0, 0.0]
    (x * 2).sum().backward(inputs=[get_gradient_edge(x)])
    assert x.grad.tolist() == [5.0, 2.0]
    assert sg.autograd.grad(GradientEdge(y.grad_fn, 0), x, sg.ones(2))[0].tolist() == [3.0, 3.0]


def test_legacy_name_of_the_gradients() -> None:
    """grad_variables is grad_tensors, with a warning; both at once are refused."""
    x = leaf(2.0)
    with pytest.warns(FutureWarning, match="`grad_variables` is deprecated"):
        sg.autograd.backward(x * 2, grad_variables=sg.ones(1))
    assert x.grad.item() == 2.0
    with (
        pytest.warns(FutureWarning, match="deprecated"),
        pytest.raises(RuntimeError, match="arguments both passed"),
    ):
        sg.autograd.backward(x * 2, sg.ones(1), grad_variables=sg.ones(1))


def test_batched_gradients() -> None:
    """is_grads_batched gives each vector's gradient: the Jacobian for the identity's, also to be differentiated."""
    x, unused = leaf(1.0, 2.0, 3.0), leaf(1.0)
    eye = sg.eye(3, dtype=sg.float64)
    found = sg.autograd.grad([x * x, x**3], [x, unused], [eye, eye], is_grads_batched=True, allow_unused=True)
    assert found[0].tolist() == [[5.0, 0.0, 0.0], [0.0, 16.0, 0.0], [0.0, 0.0, 33.0]]
    assert found[1] is None
    (first,) = sg.autograd.grad(x * x, x, eye, is_grads_batched=True, create_graph=True)
    assert sg.autograd.grad(first.sum(), x)[0].tolist() == [2.0, 2.0, 2.0]
    zeros = sg.autograd.grad(x * x, unused, eye, is_grads_batched=True, materialize_grads=True)
    assert zeros[0].tolist() == [0.0]


def test_batched_gradients_of_a_network() -> None:
    """They are the stacked results of single calls through matrix products, reductions, views and in-place writes."""
    sg.manual_seed(0)
    weight = sg.randn(3, 4, dtype=sg.float64, requires_grad=True)
    x = sg.randn(5, 4, dtype=sg.float64)
    hidden = (x @ weight.t()).tanh() * 1
    hidden[0] = hidden[1:].sum(0)
    out = sg.softmax(hidden, 1).log().sum(0, keepdim=True)[0]
    v = sg.randn(2, 3, dtype=sg.float64)
    (batched,) = sg.autograd.grad(out, weight, v, is_grads_batched=True, retain_graph=True)
    single = [sg.autograd.grad(out, weight, row, retain_graph=True)[0] for row in v]
    assert sg.allclose(batched, sg.stack(single), rtol=1e-12, atol=0)


X = leaf(1.0, 2.0)
ERRORS: list[tuple[type[Exception], str, Any]] = [
    (RuntimeError, r"Mismatch in shape: grad_output\[0\] has a shape of .*\[3\]", lambda: (X * 2).backward(sg.ones(3))),
    (RuntimeError, r"grad_output\[1\]", lambda: sg.autograd.grad([X, X], X, [X.detach(), sg.ones(1)])),
    (RuntimeError, "For complex Tensors.*complex64", lambda: (X * 2).backward(sg.ones(2, dtype=sg.complex64))),
    (RuntimeError, "does not require grad", lambda: sg.ones(3).backward()),
    (RuntimeError, "got 2 tensors and 1 gradients", lambda: sg.autograd.backward([X, X], sg.ones(2))),
    (TypeError, "gradients can be either Tensors or None, but got float", lambda: sg.autograd.grad(X, X, [3.0])),
    (TypeError, "grad_outputs.* must be Tensor or tuple of Tensors, not int", lambda: sg.autograd.grad(X, X, 3)),
    (TypeError, "argument 'tensors' must be Tensor or tuple of Tensors", lambda: sg.autograd.backward(None)),
    (TypeError, "expected Tensor as element 1 of the outputs", lambda: sg.autograd.backward([X.sum(), 3.0])),
    (RuntimeError, "`inputs` argument to `backward.*` cannot be empty", lambda: X.sum().backward(inputs=[])),
    (RuntimeError, "`inputs` argument to `grad.*` cannot be empty", lambda: sg.autograd.grad(X.sum(), [])),
    (
        RuntimeError,
        "all inputs have to be Tensors or GradientEdges, but got str",
        lambda: sg.autograd.grad(X.sum(), "a"),
    ),
    (RuntimeError, "can't retain_grad", lambda: X.sum().backward(inputs=[sg.ones(1)])),
    (RuntimeError, "index 1 appears to not have been used", lambda: sg.autograd.grad(X.sum(), [X, leaf(1.0)])),
    (
        RuntimeError,
        "materialize_grads cannot be used when the given input is a GradientEdge",
        lambda: sg.autograd.grad(X.sum(), get_gradient_edge(leaf(1.0)), materialize_grads=True),
    ),
    (RuntimeError, "has 1 outputs, but", lambda: sg.autograd.grad(X.sum(), GradientEdge((X * 2).grad_fn, 1))),
    (RuntimeError, "only for scalar outputs", lambda: sg.autograd.backward(GradientEdge((X * 2).grad_fn, 0))),
    (RuntimeError, "first dimension.*batch", lambda: sg.autograd.grad(X * 2, X, sg.ones(2), is_grads_batched=True)),
    (IndexError, "at least 1", lambda: sg.autograd.grad(X * 2, X, sg.ones(0, 2), is_grads_batched=True)),
]


@pytest.mark.parametrize(("error", "match", "call"), ERRORS, ids=[str(i) for i in range(len(ERRORS))])
def test_errors(error: type[Exception], match: str, call: Any) -> None:
    """Each mistake is an error of PyTorch's class, in its words."""
    with pytest.raises(error, match=match):
        call()
