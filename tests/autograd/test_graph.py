"""What a graph shows of itself: nodes, what they saved, and where their gradients go. So is PyTorch."""

import weakref
from typing import Any

import pytest

import specgrad as sg

FREED = "Trying to backward through the graph a second time.*retain_graph=True"


def leaf(lib: Any, *values: float) -> Any:
    """A float32 vector that requires grad."""
    return lib.tensor(values, requires_grad=True)


def test_nodes(lib: Any) -> None:
    """Everything that `grad_fn` gives is a Node with a name, notes of its user, and a number that grows."""
    node_class = lib.autograd.graph.Node
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    z = y.exp()
    assert isinstance(z.grad_fn, node_class) and issubclass(type(z.grad_fn), node_class)
    assert not isinstance(z, node_class) and x.grad_fn is None
    assert z.grad_fn.name() == type(z.grad_fn).__name__ == "ExpBackward0"
    assert z.grad_fn.requires_grad and z.grad_fn is z.grad_fn
    assert z.grad_fn._sequence_nr() > y.grad_fn._sequence_nr()
    z.grad_fn.metadata["note"] = 1
    assert z.grad_fn.metadata == {"note": 1} and y.grad_fn.metadata == {}


def test_next_functions(lib: Any) -> None:
    """Each is a node and the number of its output; None for what needs no gradient; a leaf is an AccumulateGrad."""
    x = leaf(lib, 1.0, 2.0)

    class Two(lib.autograd.Function):
        forward = staticmethod(lambda ctx, t: (t * 2, t * 3))
        backward = staticmethod(lambda ctx, a, b: a + b)

    first, second = Two.apply(x)
    y = second * 2
    assert y.grad_fn.next_functions == ((second.grad_fn, 1), (None, 0))
    assert (first * second).grad_fn.next_functions == ((first.grad_fn, 0), (first.grad_fn, 1))
    assert first.grad_fn is second.grad_fn and (first.output_nr, second.output_nr) == (0, 1)
    end, number = first.grad_fn.next_functions[0]
    assert type(end).__name__ == "AccumulateGrad" and "AccumulateGrad" in end.name() and number == 0
    assert end.variable is x and end.next_functions == () and isinstance(end, lib.autograd.graph.Node)
    assert end._sequence_nr() == 2**64 - 1


def test_one_node_for_a_leaf(lib: Any) -> None:
    """All graphs see the same AccumulateGrad, as long as somebody holds it."""
    x = leaf(lib, 1.0)
    node = x.expand_as(x).grad_fn.next_functions[0][0]
    assert (x * 2).grad_fn.next_functions[0][0] is node
    assert lib.autograd.graph.get_gradient_edge(x).node is node
    assert leaf(lib, 1.0).exp().grad_fn.next_functions[0][0] is not node


def test_calling_a_node(lib: Any) -> None:
    """A node can be called with a gradient; that of a leaf adds to `.grad`."""
    x = leaf(lib, 1.0, 2.0)
    y = x.square()
    assert y.grad_fn(lib.ones(2)).tolist() == [2.0, 4.0]
    end = y.grad_fn.next_functions[0][0]
    assert end(lib.full((2,), 3.0)) == () and x.grad.tolist() == [3.0, 3.0]


def test_saved_tensors(lib: Any) -> None:
    """`_saved_self` is the tensor itself, `_saved_result` the output at its place; None for what is not needed."""
    x = leaf(lib, 1.0, 2.0)
    constant = lib.ones(2)
    y = x.exp()
    z = y * constant
    assert z.grad_fn._saved_self is None
    assert z.grad_fn._saved_other.tolist() == [1.0, 1.0]
    assert (y * x).grad_fn._saved_other.requires_grad
    assert y.grad_fn._saved_result.tolist() == y.tolist()
    assert y.grad_fn._saved_result.grad_fn is y.grad_fn
    assert (y * x).grad_fn._saved_self.grad_fn is y.grad_fn
    assert x.square().grad_fn._saved_self.tolist() == [1.0, 2.0]


def test_saved_values(lib: Any) -> None:
    """Numbers, shapes and flags are there as they are, also after the tensors are gone."""
    x = lib.ones(2, 3, requires_grad=True)
    y = x.sum(1, keepdim=True)
    assert y.grad_fn._saved_keepdim is True
    assert tuple(y.grad_fn._saved_self_sym_sizes) == (2, 3)
    z = x.pow(3.0)
    z.sum().backward()
    assert z.grad_fn._saved_exponent == 3.0


def test_dir_lists_what_is_saved(lib: Any) -> None:
    """Programs that draw graphs look for these names."""
    names = dir((leaf(lib, 1.0) * leaf(lib, 2.0)).grad_fn)
    requested = {
        "_saved_self",
        "_saved_other",
        "_raw_saved_self",
        "next_functions",
        "metadata",
        "name",
        "register_hook",
    }
    assert requested <= set(names)


def test_saved_tensors_cannot_be_set(lib: Any) -> None:
    """They are for reading."""
    node = leaf(lib, 1.0).exp().grad_fn
    with pytest.raises(AttributeError, match="_saved_result.*is not writable"):
        node._saved_result = lib.ones(1)
    assert not hasattr(node, "_saved_self")


def test_freed(lib: Any) -> None:
    """After backward the saved tensors are an error that names retain_graph, however they are asked for."""
    x = leaf(lib, 1.0, 2.0)
    y = x.exp()
    raw = y.grad_fn._raw_saved_result
    y.sum().backward()
    with pytest.raises(RuntimeError, match=FREED):
        _ = y.grad_fn._saved_result
    for saved in (raw, y.grad_fn._raw_saved_result):
        with pytest.raises(RuntimeError, match=FREED):
            saved.unpack()
        with pytest.raises(RuntimeError, match="register_hooks on a saved tensor after it has been freed"):
            saved.register_hooks(lambda t: t, lambda t: t)
    z = x * 2.0
    z.sum().backward()
    assert z.grad_fn._saved_self is None


def test_written_to(lib: Any) -> None:
    """Reading a saved tensor that was written to since is the same error as using it."""
    y = leaf(lib, 1.0) * 1
    z = y * y
    with lib.no_grad():
        y.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation.*at version 1; expected version 0"):
        _ = z.grad_fn._saved_self


def test_hooks_on_one_saved_tensor(lib: Any) -> None:
    """register_hooks packs at once, outside the graph; backward then uses what is unpacked."""
    x = leaf(lib, 1.0, 2.0)
    y = x.square()
    seen: list[Any] = []
    saved = y.grad_fn._raw_saved_self
    saved.register_hooks(lambda t: seen.append((t.requires_grad, lib.is_grad_enabled())) or t * 10, lambda t: t)
    assert seen == [(False, False)]
    assert y.grad_fn._saved_self.tolist() == [10.0, 20.0] and y.grad_fn._saved_self.requires_grad
    with pytest.raises(RuntimeError, match="whose hooks have already been set"):
        y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
    y.sum().backward()
    assert x.grad.tolist() == [20.0, 40.0]


def test_hooks_on_a_saved_output(lib: Any) -> None:
    """The unpacked output is at the output's place in the graph."""
    x = leaf(lib, 1.0, 2.0)
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda t: t.tolist(), lambda values: lib.tensor(values))
    assert y.grad_fn._saved_result.grad_fn is y.grad_fn
    (first,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = lib.autograd.grad(first.sum(), x)
    assert second.tolist() == pytest.approx(y.tolist())


def test_hooks_on_nothing(lib: Any) -> None:
    """There is no hook for a tensor that was not needed."""
    node = (leaf(lib, 1.0) * lib.ones(1)).grad_fn
    with pytest.raises(RuntimeError, match="register_hooks on a saved tensor with value None is forbidden"):
        node._raw_saved_self.register_hooks(lambda t: t, lambda t: t)


def test_saved_tensors_of_a_function(lib: Any) -> None:
    """A custom Function's node has saved_tensors, and _raw_saved_tensors to put hooks on."""

    class Product(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            a, b = ctx.saved_tensors
            return grad * b, grad * a

    a, b = leaf(lib, 2.0), leaf(lib, 3.0)
    y = Product.apply(a, b)
    assert y.grad_fn.saved_tensors[0] is a and y.grad_fn.name() == "ProductBackward"
    y.grad_fn._raw_saved_tensors[1].register_hooks(lambda t: t * 10, lambda t: t)
    y.backward()
    assert (a.grad.item(), b.grad.item()) == (30.0, 2.0)
    with pytest.raises(RuntimeError, match=FREED):
        _ = y.grad_fn._raw_saved_tensors


def test_saved_lists(lib: Any) -> None:
    """What an op saved of a list of tensors is a tuple."""
    x = leaf(lib, 1.0, 2.0)
    node = x[lib.tensor([0, 1])].grad_fn
    assert isinstance(node._saved_indices, tuple) and [t.tolist() for t in node._saved_indices] == [[0, 1]]
    (raw,) = node._raw_saved_indices
    raw.register_hooks(lambda t: t.tolist(), lambda values: lib.tensor([1, 1]))
    assert node._saved_indices[0].tolist() == [1, 1]
    assert node(lib.ones(2)).tolist() == [0.0, 2.0]


def test_integer_outputs_have_no_place() -> None:
    """A saved output without gradient is a plain tensor."""
    best = sg.tensor([[1.0, 3.0], [4.0, 2.0]], requires_grad=True).max(1)
    saved = best.values.grad_fn._saved_indices
    assert saved.tolist() == [1, 0] and not saved.requires_grad and saved.grad_fn is None


@pytest.mark.usefixtures("no_collector")
def test_looking_makes_no_cycle() -> None:
    """A graph that was looked at in every way is freed as soon as nobody holds it."""
    x = leaf(sg, 1.0, 2.0)
    y = (x * x.exp()).logsumexp(0)
    nodes, ends = [y.grad_fn], []
    for node in nodes:
        nodes += [n for n, _ in node.next_functions if n is not None and n not in nodes]
        ends += [getattr(node, name) for name in dir(node) if name.startswith(("_saved_", "_raw_saved_"))]
        node.register_hook(lambda *_: None)
    sg.autograd.graph.get_gradient_edge(x).node.register_hook(lambda *_: None)
    alive = [weakref.ref(node) for node in nodes]
    del nodes, ends, node, y
    assert [node() for node in alive] == [None] * len(alive)
