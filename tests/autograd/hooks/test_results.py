"""What hooks may return, when they may be added and removed, and None in the place of gradients. So is PyTorch."""

from typing import Any

import pytest


def leaf(lib: Any, *values: float) -> Any:
    """A float32 vector that requires grad."""
    return lib.tensor(values, requires_grad=True)


def on_tensor(lib: Any, answer: Any) -> Any:
    """The gradient of a leaf where the hook of an intermediate gives this answer."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    y.register_hook(lambda g: answer(lib))
    y.sum().backward()
    return x.grad


def on_leaf(lib: Any, answer: Any) -> Any:
    """Where the hook of the leaf itself does."""
    x = leaf(lib, 1.0, 2.0)
    x.register_hook(lambda g: answer(lib))
    (x * 2).sum().backward()
    return x.grad


def before_node(lib: Any, answer: Any) -> Any:
    """Where a node's pre-hook does."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    y.grad_fn.register_prehook(lambda go: answer(lib))
    y.sum().backward()
    return x.grad


def after_node(lib: Any, answer: Any) -> Any:
    """Where a post-hook of the node does: it has two inputs, one of which needs no gradient."""
    x = leaf(lib, 1.0, 2.0)
    y = x * lib.ones(2)
    y.grad_fn.register_hook(lambda gi, go: answer(lib))
    y.sum().backward()
    return x.grad


WRONG = [
    (on_tensor, lambda lib: 3, TypeError, "expected Variable, but hook returned 'int'"),
    (on_tensor, lambda lib: (lib.ones(2),), TypeError, "expected Variable, but hook returned 'tuple'"),
    (on_tensor, lambda lib: lib.ones(3), RuntimeError, "hook '<lambda>' has changed the size of value"),
    (on_tensor, lambda lib: lib.ones(1), RuntimeError, "has changed the size of value"),
    (on_tensor, lambda lib: lib.ones(2).double(), RuntimeError, "hook '<lambda>' has changed the type of value"),
    (on_leaf, lambda lib: "text", TypeError, "expected Variable, but hook returned 'str'"),
    (on_leaf, lambda lib: lib.ones(3), RuntimeError, "has changed the size of value"),
    (on_leaf, lambda lib: lib.ones(2, dtype=lib.complex64), RuntimeError, "has changed the type of value"),
    (before_node, lambda lib: lib.ones(2), TypeError, "expected tuple, but hook returned 'Tensor'"),
    (before_node, lambda lib: [lib.ones(2)], TypeError, "expected tuple, but hook returned 'list'"),
    (before_node, lambda lib: (), RuntimeError, r"incorrect number of values \(got 0, but expected 1\)"),
    (before_node, lambda lib: (lib.ones(3),), RuntimeError, "has changed the size of value"),
    (before_node, lambda lib: (lib.ones(2).double(),), RuntimeError, "has changed the type of value"),
    (after_node, lambda lib: lib.ones(2), TypeError, "expected tuple, but hook returned 'Tensor'"),
    (after_node, lambda lib: (lib.ones(2),), RuntimeError, r"incorrect number of values \(got 1, but expected 2\)"),
    (after_node, lambda lib: (lib.ones(3), None), RuntimeError, "has changed the size of value"),
    (after_node, lambda lib: (3, None), TypeError, "expected Variable, but hook returned 'int'"),
    (after_node, lambda lib: (lib.ones(2), lib.ones(2)), RuntimeError, "can't replace a None gradient with a non-None"),
]


@pytest.mark.parametrize(("at", "answer", "error", "says"), WRONG)
def test_wrong_answers(lib: Any, at: Any, answer: Any, error: Any, says: str) -> None:
    """A hook must return what it was given one of: a tensor of the same dtype and shape, or as many in a tuple."""
    with pytest.raises(error, match=says):
        at(lib, answer)


@pytest.mark.parametrize("at", [before_node, after_node])
def test_none_among_the_answers_of_a_node(lib: Any, at: Any) -> None:
    """A node's hook may take a gradient away: nothing arrives below."""
    assert at(lib, lambda lib: (None,) if at is before_node else (None, None)) is None


def test_right_answers(lib: Any) -> None:
    """None changes nothing, a tensor replaces."""
    assert on_tensor(lib, lambda lib: None).tolist() == [2.0, 2.0]
    assert on_tensor(lib, lambda lib: lib.full((2,), 5.0)).tolist() == [10.0, 10.0]
    assert before_node(lib, lambda lib: (lib.full((2,), 5.0),)).tolist() == [10.0, 10.0]
    assert after_node(lib, lambda lib: (lib.full((2,), 5.0), None)).tolist() == [5.0, 5.0]


def test_answers_of_accumulation_hooks(lib: Any) -> None:
    """A hook that runs after accumulation returns None, or the tensor itself."""
    for answer, error, says in [
        (lambda t: 3, TypeError, "expected Variable, but hook returned 'int'"),
        (lambda t: lib.ones(3), RuntimeError, "has changed the size of value"),
        (lambda t: lib.ones(2), RuntimeError, "Tensor post accumulate grad hooks should return None"),
    ]:
        x = leaf(lib, 1.0, 2.0)
        x.register_post_accumulate_grad_hook(answer)
        with pytest.raises(error, match=says):
            (x * 2).sum().backward()
    x = leaf(lib, 1.0, 2.0)
    x.register_post_accumulate_grad_hook(lambda t: t)
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_hooks_changed_while_they_run(lib: Any) -> None:
    """Hooks that are added or removed by a hook count from the next time on."""
    x = leaf(lib, 1.0)
    y = x * 2
    seen: list[str] = []
    handles: list[Any] = []

    def first(grad: Any) -> None:
        seen.append("first")
        handles[0].remove()
        handles[1].remove()
        y.register_hook(lambda g: seen.append("new"))

    handles.append(y.register_hook(first))
    handles.append(y.register_hook(lambda g: seen.append("second")))
    y.backward(retain_graph=True)
    assert seen == ["first", "second"]
    y.backward(retain_graph=True)
    assert seen == ["first", "second", "new"]


def test_post_hooks_removed_while_they_run(lib: Any) -> None:
    """The same for hooks of nodes."""
    y = leaf(lib, 1.0) * 2
    seen: list[str] = []
    handles: list[Any] = []

    def first(grad_inputs: Any, grad_outputs: Any) -> None:
        seen.append("first")
        handles[1].remove()

    handles.append(y.grad_fn.register_hook(first))
    handles.append(y.grad_fn.register_hook(lambda gi, go: seen.append("second")))
    y.backward(retain_graph=True)
    y.backward()
    assert seen == ["first", "second", "first"]


def nothing(lib: Any) -> Any:
    """The apply of a Function whose backward returns None."""

    class Nothing(lib.autograd.Function):
        forward = staticmethod(lambda ctx, t: t * 1)
        backward = staticmethod(lambda ctx, g: None)

    return Nothing.apply


def test_hooks_see_none(lib: Any) -> None:
    """Where no gradient comes, hooks of tensors, nodes and leaves are called with None, which they cannot replace."""
    x = leaf(lib, 1.0, 2.0)
    y = x * 2
    seen: list[Any] = []
    y.retain_grad()
    y.register_hook(lambda g: seen.append(("tensor", g)))
    y.grad_fn.register_prehook(lambda go: seen.append(("pre", go)))
    y.grad_fn.register_hook(lambda gi, go: seen.append(("post", gi, go)))
    x.register_hook(lambda g: seen.append(("leaf", g)))
    x.register_post_accumulate_grad_hook(lambda t: seen.append(("accumulated", t.grad)))
    nothing(lib)(y).sum().backward()
    assert seen == [
        ("tensor", None),
        ("pre", (None,)),
        ("post", (None, None), (None,)),
        ("leaf", None),
        ("accumulated", None),
    ]
    assert y.grad is None and x.grad is None
    z = x * 2
    z.register_hook(lambda g: lib.ones(2))
    with pytest.raises(RuntimeError, match="can't replace a None gradient with a non-None value"):
        nothing(lib)(z).sum().backward()


def test_hooks_of_an_output_that_nothing_used(lib: Any) -> None:
    """Of several outputs those without a gradient have None for their hooks, and for those of the node."""

    class Two(lib.autograd.Function):
        forward = staticmethod(lambda ctx, t: (t * 2, t * 3))
        backward = staticmethod(lambda ctx, a, b: a * 2 + b * 3)

    x = leaf(lib, 1.0, 2.0)
    used, unused = Two.apply(x)
    seen: list[Any] = []
    used.register_hook(lambda g: seen.append(g.tolist()))
    unused.register_hook(lambda g: seen.append(g))
    unused.retain_grad()
    used.grad_fn.register_prehook(lambda go: seen.append((go[0].tolist(), go[1])))
    used.sum().backward()
    assert seen == [[1.0, 1.0], None, ([1.0, 1.0], None)]
    assert unused.grad is None and x.grad.tolist() == [2.0, 2.0]
