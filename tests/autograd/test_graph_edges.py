"""Gradient edges in the place of tensors, and counts of writes that autograd does not see. So is PyTorch."""

from typing import Any

import pytest


def leaf(lib: Any, *values: float) -> Any:
    """A float32 vector that requires grad."""
    return lib.tensor(values, requires_grad=True)


def edge(lib: Any, tensor: Any) -> Any:
    """The tensor's gradient edge."""
    return lib.autograd.graph.get_gradient_edge(tensor)


def test_edge_of_a_tensor(lib: Any) -> None:
    """It is the tensor's node and the number of its output; of a leaf the AccumulateGrad."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    node, number, *_ = edge(lib, y)
    assert node is y.grad_fn and number == 0 and edge(lib, y).node is node and edge(lib, y).output_nr == 0
    assert edge(lib, x).node.variable is x
    assert edge(lib, y) == lib.autograd.graph.GradientEdge(y.grad_fn, 0)
    with pytest.raises(RuntimeError, match="gradient edge for a Tensor that does not require gradients"):
        edge(lib, lib.ones(2))


def test_edges_as_inputs(lib: Any) -> None:
    """grad with respect to an edge is that with respect to the tensor, which need not exist any more."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    loss = y.square().sum()
    positions = [edge(lib, x), edge(lib, y)]
    made = lib.autograd.graph.GradientEdge(y.grad_fn, 0)
    del y
    found = lib.autograd.grad(loss, [*positions, x, made], retain_graph=True)
    assert [g.tolist() for g in found] == [[8.0, 16.0], [4.0, 8.0], [8.0, 16.0], [4.0, 8.0]]
    assert lib.autograd.grad(loss, positions[1])[0].tolist() == [4.0, 8.0]


def test_edges_as_outputs(lib: Any) -> None:
    """Differentiation may begin at an edge."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    index, total = edge(lib, y), edge(lib, y.sum())
    assert lib.autograd.grad(total, x, retain_graph=True)[0].tolist() == [2.0, 2.0]
    assert lib.autograd.grad([index], [x], [lib.ones(2)], retain_graph=True)[0].tolist() == [2.0, 2.0]
    assert lib.autograd.grad(edge(lib, x), x, lib.full((2,), 3.0))[0].tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="can be implicitly created only for scalar outputs"):
        lib.autograd.grad(index, x, retain_graph=True)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        lib.autograd.grad(index, x, lib.ones(3), retain_graph=True)


def test_edge_of_one_output(lib: Any) -> None:
    """The number says which of several outputs it is; the node lives as long as the edge."""

    class Two(lib.autograd.Function):
        forward = staticmethod(lambda ctx, t: (t * 2, t * 3))
        backward = staticmethod(lambda ctx, a, b: a * 2 + b * 3)

    x = leaf(lib, 1.0, 2.0)
    outputs = Two.apply(x)
    index = edge(lib, outputs[1])
    del outputs
    assert index.output_nr == 1
    assert lib.autograd.grad(index, x, lib.ones(2))[0].tolist() == [3.0, 3.0]


def test_edges_for_backward(lib: Any) -> None:
    """backward takes edges too, to begin at and as inputs; a non-leaf's `.grad` is not filled through an edge."""
    x, other = leaf(lib, 1.0, 2.0), leaf(lib, 1.0)
    y = x * 2
    loss = y.sum() * other.sum()
    lib.autograd.backward(edge(lib, loss), retain_graph=True)
    assert x.grad.tolist() == [2.0, 2.0] and other.grad.item() == 6.0
    lib.autograd.backward([edge(lib, y)], [lib.ones(2)], retain_graph=True)
    assert x.grad.tolist() == [4.0, 4.0]
    lib.autograd.backward(loss, inputs=[edge(lib, x)], retain_graph=True)
    assert x.grad.tolist() == [6.0, 6.0] and other.grad.item() == 6.0
    lib.autograd.backward(loss, inputs=edge(lib, y), retain_graph=True)
    assert not y.retains_grad and x.grad.tolist() == [6.0, 6.0]


def test_edges_that_are_not_in_the_graph(lib: Any) -> None:
    """They count as unused inputs; there are no zeros to be made for them."""
    loss = leaf(lib, 1.0).sum()
    other = edge(lib, leaf(lib, 1.0))
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        lib.autograd.grad(loss, other, retain_graph=True)
    assert lib.autograd.grad(loss, other, retain_graph=True, allow_unused=True) == (None,)
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given input is a GradientEdge"):
        lib.autograd.grad(loss, other, materialize_grads=True)


def test_increment_version(lib: Any) -> None:
    """Counted as a write: of one tensor or of several; saved tensors over that memory are then an error."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 1
    z = y * y
    lib.autograd.graph.increment_version(y)
    assert y._version == 1
    lib.autograd.graph.increment_version([y, x])
    lib.autograd.graph.increment_version(iter((y,)))
    assert y._version == 3 and x._version == 1
    with pytest.raises(RuntimeError, match="is at version 3; expected version 0"):
        z.sum().backward()
    with pytest.raises(RuntimeError, match="increment_version expect"):
        lib.autograd.graph.increment_version(3)
