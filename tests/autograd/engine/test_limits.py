"""Long graphs, the life time of graphs, threads, and backward within backward."""

import contextlib
import functools
import gc
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from tests.examples import leaf


def once_compiled(test: Callable[..., None]) -> Callable[..., None]:
    """Let a test count the second time: what numba leaves behind when it compiles holds the frames of who asked."""

    @functools.wraps(test)
    def twice(*arguments: Any, **named: Any) -> None:
        with contextlib.suppress(AssertionError):
            test(*arguments, **named)
        gc.collect()
        test(*arguments, **named)

    return twice


@pytest.mark.cpu("so many launches take minutes on a simulated device")
@pytest.mark.usefixtures("no_collector")
def test_chain_of_a_million_nodes() -> None:
    """A chain of 1,000,000 nodes runs backward without recursion and is freed at once when dropped."""
    x = leaf(1.0)
    y = x
    nodes = []
    for i in range(1_000_000):
        y = y + 1e-6
        if i % 1000 == 0:
            nodes.append(weakref.ref(y.grad_fn))
    assert y.item() == pytest.approx(2.0)
    y.backward()
    assert x.grad.item() == 1.0
    assert all(node() is not None for node in nodes)
    del y
    assert all(node() is None for node in nodes)


@pytest.mark.cpu("so many launches take minutes on a simulated device")
@pytest.mark.usefixtures("no_collector")
def test_deep_chain_with_saved_outputs_and_views() -> None:
    """A deep graph of ops that save outputs, views and in-place writes is freed without recursion too."""
    deep_chain(1)  # compiles what it needs
    gc.collect()
    first, x = deep_chain(20_000)
    assert first() is None
    assert x.grad[0].item() == 0.0


def deep_chain(steps: int) -> tuple[Any, Any]:
    """The last node of such a graph, weakly, after it has run, and the leaf."""
    x = leaf(0.1, 0.2)
    y = x * 1
    for _ in range(steps):
        y = y.tanh().view(1, 2)[0].exp() * 1
        y[0] = 0.1
        y.sub_(1)
    first = weakref.ref(y.grad_fn)
    y.sum().backward()
    return first, x


SAVES_OUTPUT: dict[str, Any] = {
    "exp": lambda x: x.exp(),
    "sqrt": lambda x: x.sqrt(),
    "tanh": lambda x: x.tanh(),
    "sigmoid": lambda x: x.sigmoid(),
    "softmax": lambda x: x.softmax(0),
    "logsumexp": lambda x: x.logsumexp(0),
    "norm": lambda x: x.norm(),
    "prod": lambda x: x.prod(),
    "std": lambda x: x.std(),
    "amax": lambda x: x.amax(0),
    "max": lambda x: x.max(0).values,
    "reciprocal": lambda x: 1 / x,
    "in place": lambda x: (x * 1).exp_(),
    "in place on a view": lambda x: (x * 1).view(3)[:2].tanh_(),
    "setitem": lambda x: (x * 1).index_put((sg.tensor([0]),), x[:1]),
    "unbind": lambda x: (x * 1).unbind()[1],
    "matmul": lambda x: x @ x,
}


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("name", SAVES_OUTPUT)
@pytest.mark.parametrize("run", [False, True])
@once_compiled
def test_no_reference_cycle(name: str, run: bool) -> None:
    """A result, its node and what that saved die with the last reference, whether backward ran or not."""
    x = leaf(0.5, 1.0, 1.5)
    y = SAVES_OUTPUT[name](x)
    alive = [weakref.ref(y), weakref.ref(y.grad_fn)]
    memory = weakref.ref(y._storage)
    if run:
        y.sum().backward()
    del y
    assert [reference() for reference in alive] == [None, None]
    assert memory() is None


@pytest.mark.usefixtures("no_collector")
@once_compiled
def test_no_cycle_with_create_graph() -> None:
    """The graph of a gradient dies with the gradient, and retain_grad or hooks hold nothing back."""
    x = leaf(0.5, 1.0)
    y = x.tanh()
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    (g,) = sg.autograd.grad(y.sum(), x, create_graph=True)
    (g2,) = sg.autograd.grad(g.sum(), x, create_graph=True)
    alive = [weakref.ref(t) for t in (y, g, g2, y.grad_fn, g.grad_fn, g2.grad_fn)]
    del y, g, g2
    assert [reference() for reference in alive] == [None] * 6


@pytest.mark.usefixtures("no_collector")
@once_compiled
def test_no_cycle_in_a_custom_function() -> None:
    """A Function that saves its output, and its context, die with the output."""

    class Exp(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.exp()
            ctx.save_for_backward(x, y)
            ctx.note = "mine"
            return y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.saved_tensors[1]

    y = Exp.apply(leaf(1.0))
    y.backward(retain_graph=True)
    alive = [weakref.ref(y), weakref.ref(y.grad_fn)]
    del y
    assert [reference() for reference in alive] == [None, None]


def test_saved_tensors_go_when_their_node_has_run() -> None:
    """During backward, memory that only newer nodes needed is free already when an older node runs."""
    x = leaf(1.0, 2.0)
    y = x * 1
    z = y.exp()
    memory = weakref.ref(z._storage)
    out = (z * z).sum()
    del z
    found = []
    y.register_hook(lambda g: found.append(memory() is None))
    out.backward()
    assert found == [True]


def test_two_threads_on_separate_graphs() -> None:
    """Threads that each build and run their own graph get their own results."""
    failures: list[Any] = []

    def work(seed: int) -> None:
        for i in range(200):
            x = leaf(float(seed), float(i))
            with sg.set_grad_enabled(i % 3 > 0):
                y = (x * x).sum()
            if i % 3 > 0:
                y.backward()
                if x.grad.tolist() != [2.0 * seed, 2.0 * i]:
                    failures.append((seed, i, x.grad.tolist()))
            elif y.requires_grad:
                failures.append((seed, i, "recorded"))
            time.sleep(0)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_backward_inside_a_hook() -> None:
    """A hook may run a backward of its own; neither disturbs the other."""
    x, w = leaf(2.0), leaf(5.0)
    y = x * 3

    def hook(grad: Any) -> Any:
        with sg.enable_grad():
            (w * w).backward()
        return grad * w.grad

    y.register_hook(hook)
    (y * y).backward()
    assert w.grad.item() == 10.0
    assert x.grad.item() == pytest.approx(12 * 3 * 10.0)


class Checkpoint(sg.autograd.Function):
    """Runs a function without recording it, and again, recorded, when its gradient is wanted."""

    @staticmethod
    def forward(ctx: Any, function: Any, x: Any) -> Any:
        ctx.function = function
        ctx.save_for_backward(x)
        return function(x)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        x = ctx.saved_tensors[0].detach().requires_grad_()
        with sg.enable_grad():
            y = ctx.function(x)
        sg.autograd.backward(y, grad)
        return None, x.grad


def test_backward_inside_a_function() -> None:
    """Checkpointing, nested three deep, gives the gradients of the plain computation."""

    def inner(t: Any) -> Any:
        return (t * t).sin()

    def nested(t: Any) -> Any:
        return Checkpoint.apply(lambda u: Checkpoint.apply(inner, u) * u, Checkpoint.apply(inner, t))

    x, same = leaf(0.3, 0.7), leaf(0.3, 0.7)
    nested(x).sum().backward()
    (inner(inner(same)) * inner(same)).sum().backward()
    assert x.grad.tolist() == pytest.approx(same.grad.tolist())


def test_interrupted_backward_can_be_repeated() -> None:
    """After an exception in the middle of a backward the next one starts afresh."""
    x = leaf(2.0)
    y = x * x
    handle = y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        (y * 2).backward()
    handle.remove()
    (y * 2).backward()
    assert x.grad.item() == 8.0
