"""Transforms and ordinary autograd: parameters outside, gradient modes, hooks, custom Functions."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.autograd.grad_mode import watch
from specgrad.runtime.batching.levels import running_levels
from tests.runtime.examples import array, close, reals

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Any:
    """After each test no vmap runs and nothing watches ops."""
    yield
    assert not watch.active and not running_levels()


def test_backward_through_gradients(lib: Any) -> None:
    """A gradient is a function of what requires grad outside: of the argument, and of what the function captures."""
    x, w = reals(lib, 3).requires_grad_(), reals(lib, 3, seed=1).requires_grad_()
    lib.func.grad(lambda x: (w * x**3).sum())(x).sum().backward()
    close(x.grad, 6 * w * x)
    close(w.grad, 3 * x**2)


def test_backward_through_values(lib: Any) -> None:
    """So are values, other outputs, and what vjp, jvp and Jacobians return."""
    for call, expected in (
        (lambda x, w: lib.func.grad_and_value(lambda x: (w * x).sum())(x)[1], lambda x, w: x),
        (lambda x, w: lib.func.grad(lambda x: (x.sum(), w * x), has_aux=True)(x)[1], lambda x, w: x),
        (lambda x, w: lib.func.vjp(lambda x: w * x * x, x)[0], lambda x, w: x * x),
        (lambda x, w: lib.func.vjp(lambda x: w * x * x, x)[1](lib.ones_like(x))[0], lambda x, w: 2 * x),
        (lambda x, w: lib.func.jvp(lambda x: w * x * x, (x,), (x,))[1], lambda x, w: 2 * x * x),
        (lambda x, w: lib.func.jacrev(lambda x: w * x * x)(x), lambda x, w: 2 * x),
        (lambda x, w: lib.func.jacfwd(lambda x: w * x * x)(x), lambda x, w: 2 * x),
        (lambda x, w: lib.vmap(lambda e: w * e)(lib.stack([x, x])), lambda x, w: 2 * x),
        (lambda x, w: lib.vmap(lib.func.grad(lambda e: (w * e * e).sum()))(lib.stack([x, x])), lambda x, w: 4 * x),
    ):
        x, w = reals(lib, 3), reals(lib, 3, seed=1).requires_grad_()
        call(x, w).sum().backward()
        close(w.grad, expected(x, w))


def test_what_leads_nowhere_else_is_outside_the_graph(lib: Any) -> None:
    """Results that depend on the arguments alone do not require grad, and hold no graph."""
    x = reals(lib, 3)
    gradient, (value, aux) = lib.func.grad_and_value(lambda x: ((x**2).sum(), x * 2), has_aux=True)(x)
    output, pull = lib.func.vjp(lib.sin, x)
    assert not any(t.requires_grad for t in (gradient, value, aux, output, pull(x)[0], lib.func.jacrev(lib.sin)(x)))
    assert not x.requires_grad and x.grad is None


def test_gradient_modes(lib: Any) -> None:
    """A transform differentiates whatever is switched off outside; what is switched off inside is constant."""
    x, w = reals(lib, 3).requires_grad_(), reals(lib, 3, seed=1).requires_grad_()
    for mode in (lib.no_grad, lib.inference_mode):
        with mode():
            found = lib.func.grad(lambda x: (w * x**2).sum())(reals(lib, 3))
            output, pull = lib.func.vjp(lambda x: w * x**2, reals(lib, 3))
            close(pull(lib.ones(3).double())[0], 2 * w * x)
        close(found, 2 * w * x)
        assert not found.requires_grad and not output.requires_grad

    def partly(x: Any) -> Any:
        with lib.no_grad():
            constant = x**2
        return (x - constant).sum()

    close(lib.func.grad(partly)(reals(lib, 3)), np.ones(3))
    close(lib.func.grad(lib.no_grad()(lambda x: (x**2).sum()))(reals(lib, 3)), np.zeros(3))
    seen: list[bool] = []
    with lib.no_grad():
        lib.func.grad(lambda x: seen.append(lib.is_grad_enabled()) or x.sum())(reals(lib, 3))
        lib.vmap(lambda x: seen.append(lib.is_grad_enabled()) or x.sum())(reals(lib, 3))
    assert seen == [True, False]


def test_leaves_keep_their_grad(lib: Any) -> None:
    """Transforms never touch .grad, also of leaves that the function captures."""
    x, w = reals(lib, 3).requires_grad_(), reals(lib, 3, seed=1).requires_grad_()
    lib.func.grad(lambda x: (w * x).sum())(x)
    lib.vmap(lib.func.grad(lambda e: (w * e).sum()))(reals(lib, 4, 3))
    assert x.grad is None and w.grad is None


def test_autograd_inside(lib: Any) -> None:
    """autograd.grad works in a function being differentiated, and for a batch of cotangents; on examples it refuses."""

    def slope(x: Any) -> Any:
        (found,) = lib.autograd.grad((x**3).sum(), x, create_graph=True)
        return found.sum()

    x = reals(lib, 3)
    close(lib.func.grad(slope)(x), 6 * x)
    leaf = reals(lib, 3).requires_grad_()
    y = leaf**3
    rows = lib.vmap(lambda v: lib.autograd.grad(y, leaf, v, retain_graph=True)[0])(lib.eye(3).double())
    close(rows, lib.diag(3 * x**2))
    (batched,) = lib.autograd.grad(y, leaf, lib.eye(3).double(), is_grads_batched=True, create_graph=True)
    batched.sum().backward()
    close(batched, lib.diag(3 * x**2))
    close(leaf.grad, 6 * x)
    with pytest.raises(RuntimeError, match=r"backward\(\) called inside a functorch transform"):
        lib.vmap(lambda e: (leaf * e).sum().backward())(reals(lib, 4, 3))


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

    values, kept = sg.vmap(hooked)(x)
    values.sum().backward()
    rows = array(x)
    close(x.grad, 2 * rows / np.linalg.norm(rows, axis=1, keepdims=True))
    assert kept.shape == (4, 3)


def test_recording_tools() -> None:
    """Anomaly mode, the profiler, saved-tensor hooks and checkpoints work around transforms, and inside."""
    x = reals(sg, 4, 3)
    sample = sg.vmap(sg.func.grad(lambda e: (e**3).sum()))
    expected = 3 * array(x) ** 2
    with sg.autograd.detect_anomaly(), pytest.warns(UserWarning, match="Anomaly"):
        pass
    with sg.autograd.set_detect_anomaly(True):
        close(sample(x), expected)
    with sg.profiler.profile() as profile:
        close(sample(x), expected)
    assert any("pow" in event.key for event in profile.key_averages())
    with sg.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2):
        close(sample(x), expected)
    checkpoint = sg.utils.checkpoint.checkpoint
    kept = sg.vmap(sg.func.grad(lambda e: checkpoint(lambda v: (v**3).sum(), e, use_reentrant=False)))
    close(kept(x), expected)


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
