"""Transforms with hooks, custom Functions and recording tools; threads, exceptions and memory: nothing stays behind."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.extensions.vmap.dims import running_levels
from specgrad.runtime.tensor.observers import watch
from tests.examples import array, close, reals


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Any:
    """After each test no vmap runs and nothing watches ops."""
    yield
    assert not watch.active and not running_levels()


def test_hooks_see_examples(lib: Any) -> None:
    """A hook inside vmap is called with the gradient of an example; what it returns is the gradient from there on."""
    shapes: list[tuple[int, ...]] = []

    def normed(x: Any) -> Any:
        y = x * 2
        y.register_hook(lambda g: shapes.append(tuple(g.shape)) or g / g.norm())
        return (y * y).sum()

    x = reals(lib, 4, 3)
    rows = array(x)
    expected = 2 * rows / np.linalg.norm(rows, axis=1, keepdims=True)
    close(lib.func.grad(normed)(x[0]), expected[0])
    close(lib.vmap(lib.func.grad(normed))(x), expected)
    assert shapes == [(3,), (3,)]


def test_hooks_that_run_when_vmap_is_over() -> None:
    """Backward of a batch calls the hooks that were registered on examples, still with examples."""
    x = reals(sg, 4, 3).requires_grad_()

    def hooked(e: Any) -> Any:
        y = e * 2
        y.retain_grad()
        y.register_hook(lambda g: g / g.norm())
        return (y * y).sum(), y

    values, retained = sg.vmap(hooked)(x)
    values.sum().backward()
    rows = array(x)
    close(x.grad, 2 * rows / np.linalg.norm(rows, axis=1, keepdims=True))
    assert retained.shape == (4, 3)


def test_recording_tools() -> None:
    """Anomaly mode, the profiler, saved-tensor hooks and checkpoints work around transforms, and inside."""
    x = reals(sg, 4, 3)
    sample = sg.vmap(sg.func.grad(lambda e: (e**3).sum()))
    expected = 3 * array(x) ** 2
    with sg.autograd.set_detect_anomaly(True):
        close(sample(x), expected)
    with sg.profiler.profile() as profile:
        close(sample(x), expected)
    assert any("pow" in event.key for event in profile.key_averages())
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2):
        close(sample(x), expected)
    checkpoint = sg.utils.checkpoint.checkpoint
    again = sg.func.grad(lambda x: checkpoint(lambda v: (v**3).sum(), x, use_reentrant=False))
    close(again(x), expected)


class Cube(sg.autograd.Function):
    """x^3, with rules for batches and for forward mode."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Any) -> Any:
        return x**3

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return 3 * ctx.saved_tensors[0] ** 2 * grad

    @staticmethod
    def jvp(ctx: Any, tangent: Any) -> Any:
        return 3 * ctx.saved_tensors[0] ** 2 * tangent


def test_custom_functions() -> None:
    """They take part in all transforms."""
    x, v = reals(sg, 4, 3), reals(sg, 3, seed=1)

    def cubes(x: Any) -> Any:
        return Cube.apply(x).sum()

    close(sg.func.grad(cubes)(x), 3 * x**2)
    close(sg.vmap(sg.func.grad(cubes))(x), 3 * x**2)
    close(sg.func.jvp(Cube.apply, (x[0],), (v,))[1], 3 * x[0] ** 2 * v)
    close(sg.vmap(sg.func.jacrev(Cube.apply))(x), sg.stack([sg.diag(3 * row**2) for row in x]))
    close(sg.func.hessian(cubes)(x[0]), sg.diag(6 * x[0]))


def test_exceptions_leave_nothing_behind() -> None:
    """Whatever a function raises at any depth, ops afterwards are ordinary, and the next transform works."""

    def fail(x: Any) -> Any:
        raise KeyError("inside")

    x = reals(sg, 3)
    for call in (
        lambda: sg.func.grad(sg.func.grad(fail))(x),
        lambda: sg.vmap(sg.func.grad(fail))(x),
        lambda: sg.func.jvp(sg.vmap(fail), (x,), (x,)),
        lambda: sg.vmap(sg.func.jacfwd(sg.func.jacrev(fail)))(x),
        lambda: sg.func.vjp(lambda x: sg.vmap(fail, randomness="same", chunk_size=2)(x), x),
    ):
        with pytest.raises(KeyError, match="inside"):
            call()
        assert not watch.active and not running_levels() and sg.is_grad_enabled()
    close(sg.vmap(sg.func.grad(sg.sin))(x), x.cos())


def test_threads() -> None:
    """Each thread has vmaps of its own, also while another one runs; all get what one alone gets."""
    x = reals(sg, 8, 5)
    expected = array(sg.vmap(sg.func.hessian(lambda e: (e.sin() * e.sum()).sum()))(x))
    failures: list[str] = []
    start = threading.Barrier(4)

    def work(number: int) -> None:
        start.wait()
        for _ in range(10):
            if number % 2:
                found = sg.vmap(sg.func.hessian(lambda e: (e.sin() * e.sum()).sum()))(x)
                plain = array(found)
            else:
                rows = [sg.func.hessian(lambda e: (e.sin() * e.sum()).sum())(row) for row in x]
                plain = np.stack([array(row) for row in rows])
            if not np.allclose(plain, expected):
                failures.append(f"thread {number}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_no_reference_cycles() -> None:
    """With the garbage collector off, tensors and closures die with the last reference."""

    def run() -> list[Any]:
        x, w = reals(sg, 4, 3), reals(sg, 3).requires_grad_()
        seen: list[Any] = []

        def function(e: Any) -> Any:
            y = (w * e).sin()
            seen.append(weakref.ref(y))
            return y.sum()

        results = [
            sg.func.grad(function)(w),
            *sg.func.vjp(function, x[0])[:1],
            sg.func.vjp(function, x[0])[1](sg.tensor(1.0).double())[0],
            sg.vmap(sg.func.grad(function))(x),
            sg.func.jacrev(function)(x[0]),
            sg.func.jacfwd(function)(x[0]),
            sg.func.hessian(function)(x[0]),
            sg.func.jvp(function, (x[0],), (x[1],))[1],
            sg.func.linearize(function, x[0])[1](x[1]),
        ]
        return [*seen, *map(weakref.ref, (x, w, function, *results))]

    run()
    gc.collect()
    gc.disable()
    try:
        assert [reference() for reference in run()] == [None] * len(run())
    finally:
        gc.enable()
