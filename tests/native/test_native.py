"""What runs in machine code: references, threads, and what it leaves to Python."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.autograd.node import LEAF, NODE, Node
from specgrad.runtime.autograd.view_history import Nowhere, Outdated
from specgrad.runtime.compiler.language.structs import fields
from specgrad.runtime.native.objects import layout
from specgrad.runtime.native.objects.layout import slots_of, supported

F = sg.nn.functional
A, B = (sg.randn(6, 5, requires_grad=True) for _ in range(2))
X = sg.randn(3, 4, 5, requires_grad=True)
ROW, SHIFT, COLUMN = (sg.randn(size, requires_grad=True) for size in ((5,), (5,), (6, 1)))
WEIGHT, BIAS = sg.randn(7, 5, requires_grad=True), sg.randn(7, requires_grad=True)
LEAVES = (A, B, X, ROW, SHIFT, COLUMN, WEIGHT, BIAS)
CLASSES = sg.tensor([0, 4, 1, -100, 2, 2])

PROGRAMS = {
    "arithmetic": lambda: (A * B + A / 3 - 0.5 * B).tanh() ** 2,
    "a fork": lambda: A * A + A,
    "a mask": lambda: sg.where(A > 0, A, 0.1 * B),
    "rows": lambda: A * COLUMN - ROW,
    "matrices": lambda: A @ B.t() @ A,
    "linear": lambda: F.linear(X, WEIGHT, BIAS),
    "linear without bias": lambda: F.linear(X, WEIGHT),
    "views": lambda: X[1:, :, 2].t().unsqueeze(0).expand(2, 4, 2).reshape(-1),
    "joined": lambda: sg.cat([A, B, A], 1).sum(0) + sg.stack([A, B], 1).mean((0, 1)).sum(),
    "statistics": lambda: X.var(1) + X.max() + X.mean(1, keepdim=True).min(),
    "softmax": lambda: X.softmax(-1) * F.log_softmax(X, 2),
    "layer norm": lambda: F.layer_norm(X, (5,), ROW, SHIFT),
    "cross-entropy": lambda: F.cross_entropy(A, CLASSES, label_smoothing=0.1),
    "copies": lambda: X.permute(2, 0, 1).contiguous() + 1,
}


def gradients(program: Any) -> list[Any]:
    """The result of a program, and the gradients of all leaves."""
    result = program()
    found = sg.autograd.grad(result.sum(), LEAVES, allow_unused=True)
    return [result.detach(), *found]


@pytest.mark.parametrize("name", PROGRAMS)
def test_gives_what_python_gives(name: str) -> None:
    """The first call finds what the next look up; one that is watched never runs natively."""
    native = [gradients(PROGRAMS[name]) for _ in range(3)]
    with sg.autograd.forward_ad.dual_level():
        watched = gradients(PROGRAMS[name])
    for first, second, third, general in zip(*native, watched, strict=True):
        if first is not None:
            assert first.tolist() == second.tolist() == third.tolist()
            assert sg.allclose(first, general, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_counts_references_right(name: str) -> None:
    """However often it runs, no object is held once too often or too rarely, and nothing is left for the collector."""
    shared = [None, True, False, 0, 1, 2, "", sg.float32, sg.int64, A.device, A.dtype.np, A._shape, A, A._storage, X]
    for _ in range(20):
        gradients(PROGRAMS[name])
    gc.collect()
    before = [sys.getrefcount(obj) for obj in shared]
    gc.disable()
    try:
        for _ in range(200):
            gradients(PROGRAMS[name])
        gc.set_debug(gc.DEBUG_SAVEALL)  # keeps what is found: other threads may leave something of their own meanwhile
        gc.collect()
        assert [left for left in gc.garbage if isinstance(left, (sg.Tensor, Node, np.ndarray))] == []
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    after = [sys.getrefcount(obj) for obj in shared]
    assert all(abs(x - y) < 100 for x, y in zip(before, after, strict=True)), (before, after)


def test_slots_are_where_they_were_measured() -> None:
    """What native code reads of a tensor and of a node is what Python reads."""
    result = A * B
    slot_values = slots_of(result, type(result).__basicsize__)
    for name in layout.Tensor.__annotations__:
        assert slot_values[fields(layout.Tensor)[name].distance // 8] == id(getattr(result, f"_{name}"))
    node = result.grad_fn
    for name in layout.Node.__annotations__:
        slot_values = slots_of(node, type(node).__basicsize__)
        assert slot_values[fields(layout.Node)[name].distance // 8] == id(getattr(node, name))


def test_only_what_lies_nowhere_is_a_leaf_among_nodes() -> None:
    """The backward pass tells nodes from leaves by their class."""
    todo, seen = [Node], []
    while todo:
        kind = todo.pop()
        todo += kind.__subclasses__()
        seen.append((kind, kind.edge_kind))
    assert {kind for kind, edge in seen if edge == LEAF} == {Nowhere, Outdated}
    assert {edge for _, edge in seen} == {NODE, LEAF}


def test_each_thread_has_its_own_mode() -> None:
    """A thread that records nothing changes nothing in another, however they take turns."""
    switch, wrong = sys.getswitchinterval(), []

    def work(grad: bool) -> None:
        with sg.set_grad_enabled(grad):
            wrong.extend(i for i in range(3000) if (A * B).requires_grad is not grad)

    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(i % 2 == 0,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(switch)
    assert not wrong


def test_a_gradient_that_somebody_holds_stays_as_it_is() -> None:
    """Gradients are written over only where the backward pass made them, and leaves share memory with none of them."""
    for program in (lambda x: x.tanh().exp(), lambda x: x + 1, lambda x: ((x + 1) * 2).sin(), lambda x: x * 3 + x):
        x, given = sg.randn(64, requires_grad=True), sg.randn(64)
        before, seen = given.clone(), []
        center = x * 1
        center.register_hook(lambda grad, seen=seen: seen.append((grad, grad.clone())))
        program(center).backward(given)
        assert given.equal(before) and all(grad.equal(copy) for grad, copy in seen)
        retained = x.grad.clone()
        given.zero_()
        seen[0][0].zero_()
        assert x.grad.equal(retained)
        x.grad = None
        program(x).backward(before)
        assert x.grad is not before and x.grad._storage is not before._storage
        assert sg.allclose(x.grad, retained, rtol=1e-6, atol=1e-7)


def test_a_gradient_that_is_lent_stays_as_it_is() -> None:
    """CPython 3.14 counts no reference for an argument that a local variable of the caller's holds."""
    held, call = [sg.full((64,), 2.0)], ctypes.pythonapi.PyObject_Vectorcall
    kinds = ctypes.py_object, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p
    call.restype, call.argtypes = ctypes.py_object, kinds
    node = sg.randn(64, requires_grad=True).tanh().grad_fn
    with sg.no_grad():
        found = call(node.elementwise.gradients, (ctypes.c_void_p * 2)(id(node), id(held[0])), 2, None)
    assert found[0] is not held[0] and (held[0] == 2).all()


def test_gradients_of_more_tensors_than_a_word_has_bits() -> None:
    """Each tensor of a long list gets its own gradient, and none in the place of another."""
    for op in (sg.cat, sg.stack):
        for requested in ((0,), (64,), (0, 64), (1, 69), (5,)):
            for _ in range(2):
                tensors = [sg.ones(2, requires_grad=i in requested) for i in range(70)]
                op(tensors).sum().backward()
                assert tuple(i for i, tensor in enumerate(tensors) if tensor.grad is not None) == requested


def test_a_plan_is_for_the_dtypes_that_it_was_found_for() -> None:
    """A target of uint8, which is for the general path, leaves nothing behind for one of int64."""
    expected = None
    for dtype in (sg.uint8, sg.uint8, sg.int64, sg.int64):
        x = sg.arange(14.0).reshape(7, 2).requires_grad_()
        F.cross_entropy(x, sg.tensor([0, 1, 1, 0, 1, 0, 0], dtype=dtype)).backward()
        expected = x.grad if expected is None else expected
        assert x.grad.equal(expected)


@pytest.mark.parametrize("op", [lambda x: x.tanh(), lambda x: x * x, lambda x: x.softmax(0), lambda x: sg.cat([x, x])])
def test_an_input_that_needs_no_gradient_any_more(op: Any) -> None:
    """A finalizer may say so while the op runs: then it is in no graph, or its gradient goes where it should."""
    for _ in range(3):
        op(sg.ones(8, requires_grad=True)).sum().backward()
    threshold = gc.get_threshold()
    for number in range(1, 8):
        x, calls = sg.ones(8, requires_grad=True), []

        def collected(phase: str, info: Any, x: Any = x, calls: Any = calls, number: int = number) -> None:
            calls.append(phase)
            if len(calls) == number:
                x.requires_grad_(False)

        gc.callbacks.append(collected)
        gc.set_threshold(1)
        try:
            result = op(x)
        finally:
            gc.set_threshold(*threshold)
            gc.callbacks.remove(collected)
        x.requires_grad_()
        if result.requires_grad:
            result.backward(sg.ones(result.shape))
            assert x.grad.shape == (8,)


def test_numbers_beyond_floats_are_for_python() -> None:
    """An int too large for a float gives the error, or the inf, that the general path gives."""
    for _ in range(2):
        with pytest.raises((RuntimeError, OverflowError)):
            A.detach() * 10**400


def test_a_target_that_is_no_class_is_an_error_in_words() -> None:
    """What a native kernel refuses, the general path explains."""
    for _ in range(3):
        with pytest.raises(IndexError, match=r"cross_entropy_loss\(\): Target 9 is out of bounds"):
            F.cross_entropy(A, CLASSES * 0 + 9)


@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 2), (3000, 3, 40)])
def test_a_target_that_is_no_class_any_more(shape: tuple[int, ...]) -> None:
    """An array that a target shares memory with may change unseen: no gradient is written beside its row."""
    for bad in (3, -1, 10**12):
        for _ in range(2):
            x, classes = sg.zeros(shape, requires_grad=True), np.zeros((shape[0], *shape[2:]), np.int64)
            loss = F.cross_entropy(x, sg.from_numpy(classes))
            classes.flat[-1] = bad
            with pytest.raises(IndexError, match=rf"Target {bad} is out of bounds"):
                loss.backward()


WITHOUT = """
import specgrad.runtime.native.objects.layout as layout
if {without}: layout.supported = lambda: False
import specgrad as sg
sg.manual_seed(0)
model = sg.nn.Sequential(sg.nn.Linear(4, 8), sg.nn.LayerNorm(8), sg.nn.Tanh(), sg.nn.Linear(8, 3))
optimizer = sg.optim.SGD(model.parameters(), lr=0.1)
x, target = sg.randn(5, 4), sg.tensor([0, 1, 2, 1, 0])
for _ in range(4):
    loss = sg.nn.functional.cross_entropy(model(x[1:] * 2 + x[0]), target[1:])
    optimizer.zero_grad(); loss.backward(); optimizer.step()
print(repr([p.tolist() for p in model.parameters()]))
"""


def test_python_alone_gives_the_same_bits() -> None:
    """Where the interpreter is not supported, everything works without native code."""
    assert supported()
    outputs = [
        subprocess.run(
            [sys.executable, "-c", WITHOUT.format(without=without)], capture_output=True, text=True, check=True
        ).stdout
        for without in (False, True)
    ]
    assert outputs[0] == outputs[1] != ""
