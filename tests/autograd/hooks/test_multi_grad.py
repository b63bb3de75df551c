"""Hooks that wait for several tensors: when they are called, and with what. So is PyTorch."""

from typing import Any

import pytest


def leaves(lib: Any, count: int) -> list[Any]:
    """Float32 vectors that require grad."""
    return [lib.tensor([1.0, 2.0], requires_grad=True) for _ in range(count)]


def values(grads: Any) -> Any:
    """Gradients as lists."""
    return [None if g is None else g.tolist() for g in grads]


def test_all(lib: Any) -> None:
    """Called once in each pass, when the last gradient that the pass computes is known; None for the others."""
    a, b, c = leaves(lib, 3)
    seen: list[Any] = []
    handle = lib.autograd.graph.register_multi_grad_hook((a, b, c), lambda grads: seen.append(values(grads)))
    (a * b).sum().backward()
    assert seen == [[[1.0, 2.0], [1.0, 2.0], None]]
    (a * b * c).sum().backward()
    assert seen[1:] == [[[1.0, 4.0]] * 3]
    leaves(lib, 1)[0].sum().backward()
    (a * b).sum().backward(inputs=[b])
    assert seen[2:] == [[None, [1.0, 2.0], None]]
    handle.remove()
    handle.remove()
    (a * b).sum().backward()
    assert len(seen) == 3


def test_any(lib: Any) -> None:
    """Called once in each pass, with the first gradient."""
    a, b = leaves(lib, 2)
    seen: list[Any] = []
    with lib.autograd.graph.register_multi_grad_hook((a, b), lambda g: seen.append(g.tolist()), mode="any"):
        (a * b).sum().backward()
        lib.autograd.grad((a * 3).sum(), a)
        leaves(lib, 1)[0].sum().backward()
    (a * b).sum().backward()
    assert seen == [[1.0, 2.0], [3.0, 3.0]]


def test_intermediates(lib: Any) -> None:
    """Tensors inside the graph are waited for too, as far as the pass goes."""
    (a,) = leaves(lib, 1)
    y = a * 2
    z = y * 3
    seen: list[Any] = []
    lib.autograd.graph.register_multi_grad_hook((y, z), lambda grads: seen.append(values(grads)))
    z.sum().backward(retain_graph=True)
    assert seen == [[[3.0, 3.0], [1.0, 1.0]]]
    y.sum().backward(retain_graph=True)
    assert seen[1:] == [[[1.0, 1.0], None]]
    lib.autograd.grad(z.sum(), y, retain_graph=True)
    assert seen[2:] == [[[3.0, 3.0], [1.0, 1.0]]]


def test_outputs_of_one_node(lib: Any) -> None:
    """An output that nothing used counts as known, as None; a tensor may be given twice."""

    class Two(lib.autograd.Function):
        forward = staticmethod(lambda ctx, t: (t * 2, t * 3))
        backward = staticmethod(lambda ctx, a, b: a * 2 + b * 3)

    (a,) = leaves(lib, 1)
    first, second = Two.apply(a)
    seen: list[Any] = []
    lib.autograd.graph.register_multi_grad_hook((first, second, first), lambda grads: seen.append(values(grads)))
    first.sum().backward()
    assert seen == [[[1.0, 1.0], None, [1.0, 1.0]]]


def test_missing_gradients(lib: Any) -> None:
    """A leaf to which only None comes is waited for all the same."""

    class Nothing(lib.autograd.Function):
        forward = staticmethod(lambda ctx, t: t * 1)
        backward = staticmethod(lambda ctx, g: None)

    a, b = leaves(lib, 2)
    seen: list[Any] = []
    lib.autograd.graph.register_multi_grad_hook((a, b), lambda grads: seen.append(values(grads)))
    (Nothing.apply(a) * b).sum().backward()
    assert seen == [[None, [1.0, 2.0]]]


def test_a_pass_within_a_pass(lib: Any) -> None:
    """Each pass is on its own: one that a hook begins in the middle of another is counted apart."""
    a, b = leaves(lib, 2)
    seen: list[Any] = []
    lib.autograd.graph.register_multi_grad_hook((a, b), lambda grads: seen.append(values(grads)))
    y = a * 2
    inner = [True]

    def again(grad: Any) -> None:
        if inner.pop():
            inner.append(False)
            with lib.enable_grad():
                (a * 5 + b).sum().backward()

    y.register_hook(again)
    (y * b).sum().backward()
    assert seen == [[[5.0, 5.0], [1.0, 1.0]], [[2.0, 4.0], [2.0, 4.0]]]


def test_after_an_exception(lib: Any) -> None:
    """A pass that failed leaves nothing behind for the next."""
    a, b = leaves(lib, 2)
    seen: list[Any] = []
    lib.autograd.graph.register_multi_grad_hook((a, b), lambda grads: seen.append(values(grads)))
    y = a * 2
    handle = y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (y * b).sum().backward()
    handle.remove()
    (a * b).sum().backward()
    assert seen == [[[1.0, 2.0], [1.0, 2.0]]]


def test_what_is_refused(lib: Any) -> None:
    """Other modes are errors, and so are tensors without gradient where all are waited for."""
    (a,) = leaves(lib, 1)
    with pytest.raises(ValueError, match="Expects mode to be one of .*'all', 'any'.* but got some"):
        lib.autograd.graph.register_multi_grad_hook((a,), print, mode="some")
    with pytest.raises(AssertionError, match="Expected gradient function to be set"):
        lib.autograd.graph.register_multi_grad_hook((a, lib.ones(2)), print)
    seen: list[Any] = []
    lib.autograd.graph.register_multi_grad_hook((a, lib.ones(2)), lambda g: seen.append(g.tolist()), mode="any")
    (a * 2).sum().backward()
    assert seen == [[2.0, 2.0]]
