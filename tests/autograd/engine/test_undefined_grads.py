"""Gradients that are None: who still runs, what hooks see, and what is freed, as in PyTorch."""

from typing import Any

import pytest

import specgrad as sg
from tests.examples import leaf


class Nothing(sg.autograd.Function):
    """x * 2, whose gradient is None."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return None


def function(log: list[Any], materialize: bool = True, outputs: int = 1) -> Any:
    """A Function that logs the gradients it gets and returns 1."""

    class Logged(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(materialize)
            return x * 2 if outputs == 1 else (x * 2, x * 3)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            log.append([None if g is None else g.tolist() for g in grads])
            return sg.ones(1, dtype=sg.float64)

    return Logged.apply


def test_leaf_gets_nothing() -> None:
    """A leaf below None keeps its .grad as it was, and autograd.grad says that it was not used."""
    x, w = leaf(2.0), leaf(2.0)
    Nothing.apply(x * 3).backward()
    assert x.grad is None
    assert sg.autograd.grad(Nothing.apply(x * 3), x, allow_unused=True) == (None,)
    (Nothing.apply(w) + w * 3).backward()
    assert w.grad.item() == 3.0


def test_functions_below_get_zeros() -> None:
    """A custom Function below runs, with zeros; with None where it asked for that; also through ordinary ops."""
    for materialize, expected in ((True, [0.0]), (False, None)):
        log: list[Any] = []
        x = leaf(2.0)
        Nothing.apply(function(log, materialize)(x).exp() * 3).backward()
        assert log == [[expected]]
        assert x.grad.item() == 1.0
    log = []
    first, _ = function(log, outputs=2)(leaf(2.0))
    Nothing.apply(first).backward()
    assert log == [[[0.0], [0.0]]]


def test_hooks_see_none() -> None:
    """Hooks below are called with None, in their usual order; a leaf's too, and those after it was reached."""
    x = leaf(2.0)
    log: list[Any] = []
    y = x * 3
    y.retain_grad()
    y.register_hook(lambda g: log.append(("tensor", g)))
    y.grad_fn.register_prehook(lambda g: log.append(("before", g)))
    y.grad_fn.register_hook(lambda gi, go: log.append(("after", gi, go)))
    x.register_hook(lambda g: log.append(("leaf", g)))
    x.register_post_accumulate_grad_hook(lambda p: log.append(("accumulated", p.grad)))
    Nothing.apply(y).backward()
    *max_count, leaf_seen, accumulated = log
    assert max_count == [("tensor", None), ("before", (None,)), ("after", (None,) * len(max_count[2][1]), (None,))]
    assert leaf_seen == ("leaf", None) and accumulated == ("accumulated", None)
    assert y.grad is None


def test_hook_must_not_replace_none() -> None:
    """A tensor hook that makes a gradient of None is refused."""
    y = leaf(2.0) * 3
    y.register_hook(lambda g: sg.ones(1, dtype=sg.float64))
    with pytest.raises(RuntimeError, match="can't replace a None gradient"):
        Nothing.apply(y).backward()


def test_nodes_below_are_freed() -> None:
    """What nodes below have saved is gone afterwards, as if they had run."""
    y = leaf(2.0).exp()
    Nothing.apply(y).backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_none_and_a_gradient_meet() -> None:
    """A node that gets None from one side and a gradient from the other runs once, with the gradient."""
    for order in (0, 1):
        x = leaf(2.0, 3.0)
        calls: list[Any] = []
        y = x * 3
        y.register_hook(lambda g, calls=calls: calls.append(g.tolist()))
        parts = [Nothing.apply(y), y * 5]
        (parts[order] + parts[1 - order]).sum().backward()
        assert calls == [[5.0, 5.0]]
        assert x.grad.tolist() == [15.0, 15.0]


def test_outputs_of_several() -> None:
    """Of a node with several outputs one may get None and another a gradient."""
    x = leaf(2.0, 3.0)
    a, b = (x * 1).unbind()
    (Nothing.apply(a) + b).backward()
    assert x.grad.tolist() == [0.0, 1.0]


def test_post_hook_that_takes_the_gradient_away() -> None:
    """A post-hook may return None for a gradient: nothing arrives below."""
    x = leaf(2.0)
    y = x * 3
    y.grad_fn.register_hook(lambda gi, go: (None, *gi[1:]))
    y.backward()
    assert x.grad is None
