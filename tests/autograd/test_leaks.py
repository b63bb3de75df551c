"""Memory stays flat: whatever a training step makes dies by its reference count, the garbage collector being off."""

import gc
import mmap
import sys
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import specgrad as sg
from specgrad.utils.checkpoint import checkpoint

pytestmark = pytest.mark.usefixtures("no_collector")


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE


def growth(step: Callable[[], Any], steps: int) -> tuple[int, int]:
    """How many blocks of Python's memory, and how many bytes of all memory, the last nine tenths of the steps add.

    Of both three times what the best third of them adds: the system may give a process far more than it asked for,
    once, but what leaks does so in each.
    """
    for _ in range(steps // 10):
        step()
    counts, sizes = [blocks_in_use()], [resident()]
    for _ in range(3):
        for _ in range(steps * 3 // 10):
            step()
        counts.append(blocks_in_use())
        sizes.append(resident())
    blocks, size = (3 * min(after - before for before, after in pairwise(found)) for found in (counts, sizes))
    return blocks, size


def blocks_in_use() -> int:
    """Those of Python's memory, without what the interpreter keeps for reuse.

    That are freed numbers, dicts, tuples and contexts, which a full collection gives back (it finds no circles, as all
    objects are frozen), and up to 4096 names of attributes that were looked up, which may be strings made for it.
    """
    gc.freeze()
    gc.collect()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Python 3.13, which has no other function for it
        sys._clear_type_cache()
    return sys.getallocatedblocks()


class Cube(sg.autograd.Function):
    """A Function that saves its input and its output, and keeps the output on ctx."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x**3
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return 3 * grad * ctx.saved_tensors[0] ** 2


@pytest.mark.cpu("so many launches take minutes on a simulated device")
def test_training_over_ten_thousand_steps() -> None:
    """10,000 steps of a network with an optimizer take no memory."""
    model = sg.nn.Sequential(sg.nn.Linear(4, 8), sg.nn.Tanh(), sg.nn.Dropout(0.1), sg.nn.Linear(8, 1))
    optimizer = sg.optim.Adam(model.parameters())
    inputs, target = sg.randn(16, 4), sg.randn(16, 1)

    def step() -> None:
        optimizer.zero_grad()
        sg.nn.functional.mse_loss(model(inputs), target).backward()
        optimizer.step()

    blocks, size = growth(step, 10_000)
    assert blocks < 30
    assert size < 2**18


X = sg.tensor([0.1, 0.2, 0.3, 0.4], dtype=sg.float64, requires_grad=True)


def hooked() -> None:
    """Hooks of every kind, retain_grad, and handles that are removed."""
    y = X * 2
    handles = [y.register_hook(lambda g: g * 2), X.register_post_accumulate_grad_hook(lambda p: None)]
    handles.append(y.grad_fn.register_hook(lambda gi, go: None))
    y.retain_grad()
    (y * y).sum().backward()
    for handle in handles:
        handle.remove()


def written() -> None:
    """Views and in-place writes through them."""
    y = X * 1
    y.view(2, 2)[0].sin_()
    y[1:3] = 7.0
    for part in y.unbind():
        part.exp()
    y.sum().backward()


def second_order() -> None:
    """Gradients of gradients, also of a Function, and batched ones."""
    (g,) = sg.autograd.grad(Cube.apply(X.exp()).sum(), X, create_graph=True)
    sg.autograd.grad((g * g).sum(), X)
    y = X.sin()
    sg.autograd.grad(y, X, sg.eye(4, dtype=sg.float64), is_grads_batched=True)


def checkpointed() -> None:
    """Checkpoints of both kinds, nested."""

    def inner(t: Any) -> Any:
        return checkpoint(lambda u: Cube.apply(u.sin()).exp(), t, use_reentrant=False) * t

    checkpoint(inner, X, use_reentrant=False).sum().backward()
    checkpoint(lambda t: inner(t.cos()), X, use_reentrant=True).sum().backward()


def packed() -> None:
    """Saved-tensor hooks."""
    with sg.autograd.graph.save_on_cpu():
        y = Cube.apply(X.exp()).tanh()
    y.sum().backward()


def failed() -> None:
    """Backward passes that break off: in a hook, in a second pass, with a gradient of the wrong shape."""
    y = X.exp()
    handle = y.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        y.sum().backward()
    handle.remove()
    with pytest.raises(RuntimeError, match="shape"):
        y.backward(sg.ones(3))
    y.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()


def looked_at() -> None:
    """Anomaly mode, and what nodes show of themselves."""
    with sg.autograd.set_detect_anomaly(True):
        y = (X * X).exp()
        y.grad_fn.metadata["mine"] = y.grad_fn.next_functions
        assert y.grad_fn._saved_result is not None
        (g,) = sg.autograd.grad(y.sum(), X, create_graph=True)
        g.sum().backward()


@pytest.mark.parametrize("step", [hooked, written, second_order, checkpointed, packed, failed, looked_at])
def test_features(step: Callable[[], None]) -> None:
    """So does every feature of autograd in turn, over three hundred steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        blocks, size = growth(step, 300)
    assert blocks < 30
    assert size < 2**18


def test_cycle_of_create_graph() -> None:
    """backward(create_graph=True) makes a cycle through .grad, as it warns; resetting .grad breaks it."""

    def step() -> None:
        (X * X).sum().backward(create_graph=True)
        X.grad = None

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert growth(step, 300)[0] < 30
