"""Backward passes within backward passes: in hooks and in Functions, to great depth, and with errors."""

import sys
import threading
from typing import Any

import pytest

import specgrad as sg
from specgrad.autograd import forward_ad
from specgrad.runtime.autograd.engine import DEEPEST, in_new_thread
from tests.examples import leaf


class Deep(sg.autograd.Function):
    """Its backward starts a backward pass of the same Function, as often as its input says."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        with sg.enable_grad():
            ctx.x = x.detach().requires_grad_() - 1
        return ctx.x.detach()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        if ctx.x.item() < 0:
            Deep.threads.add(threading.get_ident())
            return grad
        with sg.enable_grad():
            Deep.apply(ctx.x).sum().backward()
        return grad

    threads: set[int] = set()


@pytest.mark.parametrize("depth", [DEEPEST - 2, DEEPEST + 1, 2000])
def test_deep(depth: int) -> None:
    """A backward pass may nest 2,000 deep within Python's limit of recursion, and again in the next one."""
    for _ in range(2):
        Deep.threads.clear()
        x = leaf(float(depth))
        Deep.apply(x).sum().backward()
        assert x.grad.item() == 1.0
        assert (threading.get_ident() in Deep.threads) == (depth < DEEPEST)


def test_deep_in_hooks() -> None:
    """Passes that hooks start may nest as deep."""
    x = leaf(1.0)

    def start(left: int) -> None:
        with sg.enable_grad():
            y = x * 1
        y.register_hook(lambda grad: start(left - 1) if left else None)
        y.backward()

    start(300)
    assert x.grad.item() == 301.0


def test_error_from_deep_inside() -> None:
    """An error of the innermost pass comes out of the outermost, with its own class."""

    class Failing(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, left: int) -> Any:
            ctx.left = left
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            if not ctx.left:
                raise KeyError("innermost")
            with sg.enable_grad():
                Failing.apply(leaf(1.0), ctx.left - 1).backward()

    with pytest.raises(KeyError, match="innermost"):
        Failing.apply(leaf(1.0), 100).backward()
    assert sg.is_grad_enabled()
    y = leaf(2.0)
    (y * y).backward()
    assert y.grad.item() == 4.0


def test_other_thread_goes_on_in_the_same_state() -> None:
    """Where a pass goes on in another thread, modes, dual levels and saved-tensor hooks are those of the caller."""
    x = leaf(2.0)

    def look() -> list[Any]:
        y = x * x
        packed = y.grad_fn is not None and type(y.grad_fn._raw_saved_self.data) is str
        tangent = forward_ad.unpack_dual(dual * 3).tangent.item()
        return [sg.is_grad_enabled(), sg.is_inference_mode_enabled(), packed, tangent]

    with forward_ad.dual_level():
        dual = forward_ad.make_dual(sg.ones(1), sg.ones(1))
        with sg.autograd.graph.saved_tensors_hooks(lambda t: "packed", lambda t: x):
            assert in_new_thread(look) == look() == [True, False, True, 3.0]
        with sg.no_grad():
            assert in_new_thread(look) == look() == [False, False, False, 3.0]
        with sg.inference_mode():
            assert in_new_thread(look) == look() == [False, True, False, 3.0]


def test_same_graph_again_from_a_hook() -> None:
    """A hook may run the very graph that is running; both passes count."""
    x = leaf(2.0)
    y = x * x
    z = y * y
    started: list[int] = []

    def hook(grad: Any) -> None:
        if not started:
            started.append(1)
            z.backward(retain_graph=True)

    y.register_hook(hook)
    z.backward(retain_graph=True)
    assert x.grad.item() == 64.0


def test_mode_that_a_hook_leaves_behind() -> None:
    """A hook that switches recording on has no effect on the nodes that run after it."""
    x = leaf(2.0)
    y = x * x
    y.register_hook(lambda grad: sg.set_grad_enabled(True) and None)
    y.backward()
    assert x.grad.requires_grad is False
    assert sg.is_grad_enabled()


def test_recursion_limit_is_left_alone() -> None:
    """Nesting changes no setting of the interpreter."""
    before = (sys.getrecursionlimit(), threading.active_count())
    Deep.apply(leaf(100.0)).sum().backward()
    assert (sys.getrecursionlimit(), threading.active_count()) == before
