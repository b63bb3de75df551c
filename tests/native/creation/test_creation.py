"""New tensors by native code: bit for bit what the general path makes, and nothing where that has something to say."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.compiler import native_unit
from specgrad.runtime.compiler.native_unit import Unit
from specgrad.runtime.native.objects.layout import supported
from specgrad.runtime.tensor.dtypes import WITH_KERNELS
from tests.native.creation.creations import SOURCE, Call, is_native, native_outcome
from tests.repository import ROOT

pytestmark = pytest.mark.skipif(not supported(), reason="there is no native code here")

MADE = sg.Tensor, np.ndarray, ValueError  # by calls that are answered, and that are refused
SIZES: list[Any] = [(), (0,), (5,), (2, 0, 3), (3, 4), (1, 2, 3, 4), [2, 3], sg.Size([4, 1]), (300,), (701, 801)]
NUMBERS = [0, 1, -1, 7, 127, 128, 200, -129, 2**31, -(2**63), 2**63 - 1, True, False]
NUMBERS += [0.0, -0.0, 0.5, 1.25, -2.75, 1e-5, 6.1e-5, 65504.0, 65520.0, 1e10, 3.5e38, 1e300, 0.1, 1 / 3]
NUMBERS += [float("inf"), float("-inf"), float("nan"), 2.0**62, 2.0**63]


@pytest.mark.parametrize("kind", WITH_KERNELS, ids=str)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_constants_of_any_dtype_and_size(kind: Any, size: Any) -> None:
    """zeros, ones, full and eye, by sizes in all forms, and what is like a tensor."""
    for function in (sg.zeros, sg.ones):
        assert is_native(function, size, dtype=kind)
        assert is_native(function, size=size, dtype=kind)
        assert is_native(function, *size, dtype=kind) == (len(size) > 0)
    assert is_native(sg.full, size, 1, dtype=kind)
    source = sg.zeros(size, dtype=kind)
    assert is_native(sg.zeros_like, source) and is_native(sg.ones_like, source)
    assert is_native(sg.full_like, source, 0) and is_native(source.new_full, size, True)
    assert is_native(source.new_zeros, size) and is_native(source.new_ones, size)
    if len(size) == 2:
        assert is_native(sg.eye, *size, dtype=kind) == (int(np.prod(size)) < 2**19)
        assert is_native(sg.eye, size[0], dtype=kind)


@pytest.mark.parametrize("kind", WITH_KERNELS, ids=str)
def test_threads_share_what_is_large(kind: Any) -> None:
    """All elements are written, also those behind the last whole word; many zeros are the operating system's."""
    threads = sg.get_num_threads()
    sg.set_num_threads(2)
    try:
        for value in (0, 1, 2.5):
            made = sg.full((1001, 1399), value, dtype=kind)
            assert is_native(sg.full, (1001, 1399), value, dtype=kind)
            assert bool((made == sg.tensor(value, dtype=kind)).all())
        assert not is_native(sg.zeros, (2**25 + 1,), dtype=kind)
        assert is_native(sg.ones, (2**25 + 1,), dtype=sg.bool)
    finally:
        sg.set_num_threads(threads)


@pytest.mark.parametrize("kind", [None, *WITH_KERNELS], ids=str)
def test_numbers_become_elements_as_the_general_path_converts_them(kind: Any) -> None:
    """Or native code leaves them to it: what does not fit, and what is rounded to 16 bits."""
    native = 0
    for number in NUMBERS:
        native += is_native(sg.full, (3,), number, dtype=kind)
        native += is_native(sg.tensor, number, dtype=kind)
        is_native(sg.tensor, [number, 1], dtype=kind)
        is_native(sg.tensor, [[True], [number]], dtype=kind)
        is_native(sg.scalar_tensor, number, dtype=kind)
        is_native(sg.zeros(2, dtype=kind).new_tensor, [0.5, number])
    assert native > len(NUMBERS) / 2


@pytest.mark.parametrize("kind", [sg.bfloat16, sg.float16], ids=str)
def test_every_number_of_16_bits(kind: Any) -> None:
    """Those between two of them are rounded by the general path."""
    for pattern in range(0, 2**16, 37):
        number = sg.from_numpy(np.array([pattern], np.uint16).view(np.int16)).view(kind).item()
        is_native(sg.full, (2,), number, dtype=kind)
        is_native(sg.full, (2,), number * (1 + 2.0**-12), dtype=kind)


@pytest.mark.parametrize("kind", [None, *WITH_KERNELS], ids=str)
def test_ranges(kind: Any) -> None:
    """Element by element as NumPy computes them in float64, or in int64."""
    rng, native = np.random.default_rng(3), 0
    for _ in range(150):
        first, last, step = rng.normal(size=3) * 10.0 ** rng.integers(-3, 3)
        native += is_native(sg.arange, first.item(), last.item(), step.item() / 7, dtype=kind)
        a, b, c = map(int, rng.integers(-50, 50, 3))
        native += is_native(sg.arange, a, b, c, dtype=kind) + is_native(sg.arange, abs(a), dtype=kind)
        native += is_native(sg.linspace, first.item(), b, abs(c), dtype=kind)
    assert native > 100 or kind in (sg.bool, sg.float16, sg.bfloat16, sg.complex64, sg.complex128)
    for size in range(4):
        assert is_native(sg.linspace, -1, 2.5, size) and is_native(sg.arange, 1.5, 1.5 + size)


def test_ranges_beside_a_reference() -> None:
    """Computed with exact fractions of powers of two, so that nothing is rounded."""
    assert sg.arange(-1, 2, 0.25).tolist() == [-1 + 0.25 * i for i in range(12)]
    assert sg.arange(10, 0, -3).tolist() == [10, 7, 4, 1]
    assert sg.linspace(0, 1, 5).tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert sg.eye(2, 3).tolist() == [[1, 0, 0], [0, 1, 0]]


def test_what_native_code_leaves_to_the_general_path_is_said_there() -> None:
    """Wrong arguments are errors with the same words, and unusual ones mean the same."""
    wrong: list[Call] = [
        sg.zeros,
        lambda: sg.zeros(-1),
        lambda: sg.zeros(2.5),
        lambda: sg.zeros("2"),
        lambda: sg.zeros(True),
        lambda: sg.zeros(2, size=(2,)),
        lambda: sg.zeros((2, -3)),
        lambda: sg.zeros((2, None)),
        lambda: sg.zeros(2**40, 2**40),
        lambda: sg.zeros(2**70),
        lambda: sg.zeros(0, 2**62),
        lambda: sg.zeros(*[1] * 65),
        lambda: sg.zeros(2, dtype="float32"),
        lambda: sg.zeros(2, device="nowhere"),
        lambda: sg.zeros(2, device=1.5),
        lambda: sg.zeros(2, requires_grad="yes"),
        lambda: sg.zeros(2, requires_grad=True, dtype=sg.int64),
        lambda: sg.zeros(2, pin_memory=True),
        lambda: sg.zeros(2, pin_memory="no"),
        lambda: sg.full(3, 1.0),
        lambda: sg.full((2,), "1"),
        lambda: sg.full((2,), 1e50, dtype=sg.float32),
        lambda: sg.full((2,), 300, dtype=sg.uint8),
        lambda: sg.full((2,), 2**64),
        lambda: sg.full((2,), 1j),
        lambda: sg.full((2,), 7, requires_grad=True),
        lambda: sg.arange(),
        lambda: sg.arange(0, 1, 0),
        lambda: sg.arange(0, 1, -1),
        lambda: sg.arange(0, float("inf")),
        lambda: sg.arange(1j),
        lambda: sg.linspace(0, 1, -1),
        lambda: sg.linspace(0, 1, 2.0),
        lambda: sg.eye(-1),
        lambda: sg.eye(2, 2.5),
        lambda: sg.zeros_like([1]),
        lambda: sg.zeros_like(SOURCE, memory_format="strange"),
        lambda: sg.rand(2, dtype=sg.int64),
        lambda: sg.rand(2, generator=3),
        lambda: sg.randint(3, 3, (2,)),
        lambda: sg.randint(0, 300, (2,), dtype=sg.uint8),
        lambda: sg.randint(2, (2,), requires_grad=True),
        lambda: sg.tensor([[1, 2], [3]]),
        lambda: sg.tensor([1, "2"]),
        lambda: sg.tensor([2**70]),
        lambda: sg.tensor([1, [2]]),
        lambda: sg.tensor("text"),
        lambda: sg.tensor([1.5, None]),
        lambda: sg.tensor([1, 2], requires_grad=True),
        lambda: sg.tensor({1: 2}),
    ]
    assert not any(is_native(call) for call in wrong)
    unusual: list[Call] = [
        lambda: sg.zeros(np.int64(3)),
        lambda: sg.zeros(sg.tensor(3), 2),
        lambda: sg.zeros((np.int32(2), 2)),
        lambda: sg.zeros(2, dtype=float),
        lambda: sg.full((2,), np.float32(1.5)),
        lambda: sg.full((2,), sg.tensor(2.5)),
        lambda: sg.full((2,), 1j, dtype=sg.complex64),
        lambda: sg.tensor(np.ones((2, 2))),
        lambda: sg.tensor([np.float32(1), 2]),
        lambda: sg.tensor([sg.tensor(1.0), 2]),
        lambda: sg.tensor(SOURCE),
        lambda: sg.tensor([1, 2j]),
        lambda: sg.tensor(range(3)),
        lambda: sg.rand(3, dtype=sg.float16),
        lambda: sg.randn(3, dtype=sg.complex64),
        lambda: sg.randint(5, (4,), dtype=sg.int32),
    ]
    for call in unusual:
        is_native(call)


def test_usual_arguments_are_taken() -> None:
    """Devices by any name, requires_grad, lists and tuples in each other, and both forms of `randint`."""
    common: list[Call] = [
        lambda: sg.zeros(3, device="cpu"),
        lambda: sg.zeros(3, device=sg.device("cpu")),
        lambda: sg.zeros(3, device=SOURCE.device),
        lambda: sg.ones(2, 2, requires_grad=True, pin_memory=False),
        lambda: sg.ones(SOURCE.shape, dtype=sg.complex64, requires_grad=True),
        lambda: sg.ones_like(SOURCE, requires_grad=True, memory_format=None),
        lambda: sg.full([], 3.5),
        lambda: sg.tensor([[1, 2], (3, 4.5)]),
        lambda: sg.tensor([]),
        lambda: sg.tensor([[], []]),
        lambda: sg.tensor([[[True, False]]] * 3),
        lambda: sg.tensor((1, 2), dtype=sg.float16, requires_grad=True),
        lambda: sg.as_tensor([1.5, 2]),
        lambda: SOURCE.new_tensor([1, 2]),
        lambda: SOURCE.new_zeros(2, 3),
        lambda: SOURCE.new_zeros(size=(2, 3), dtype=sg.int8),
        lambda: sg.randint(10, (2,)),
        lambda: sg.randint(0, 10, size=[2, 2]),
    ]
    assert [number for number, call in enumerate(common) if not is_native(call)] == []


def test_empty_tensors_have_memory_of_their_own() -> None:
    """Their elements may be anything."""
    for make in (lambda: sg.empty(5, 2), lambda: sg.empty_like(SOURCE), lambda: SOURCE.new_empty(3)):
        assert native_outcome(make)[1]
        first, second = make(), make()
        assert first.data_ptr() != second.data_ptr() and first.dtype is sg.float32
        assert first.fill_(2).tolist() != second.fill_(3).tolist()


def test_the_default_dtype_and_device_hold() -> None:
    """As soon as they are set."""
    try:
        sg.set_default_dtype(sg.float64)
        for make in (lambda: sg.zeros(2), lambda: sg.tensor([1.5]), lambda: sg.arange(2.0), lambda: sg.rand(2)):
            assert is_native(make) and make().dtype is sg.float64
        assert sg.tensor([1]).dtype is sg.int64
    finally:
        sg.set_default_dtype(sg.float32)
    with sg.device("cpu"):
        assert is_native(sg.zeros, 2)


def test_examples_of_a_batch_are_for_the_general_path() -> None:
    """What is like an example, and what draws, is vmap's to decide."""
    batch = sg.arange(6.0).reshape(2, 3)
    assert sg.vmap(lambda x: sg.ones_like(x) + x.new_zeros(3))(batch).tolist() == [[1.0] * 3] * 2
    with pytest.raises(RuntimeError, match="randomness"):
        sg.vmap(lambda x: x + sg.rand(3))(batch)
    first, second = sg.vmap(lambda x: sg.rand(3) + 0 * x, randomness="different")(batch)
    assert first.tolist() != second.tolist()


def test_what_is_made_is_a_leaf_like_any_other() -> None:
    """Gradients arrive, and writes are counted."""
    x = sg.full((3,), 2.0, requires_grad=True)
    (x * x).sum().backward()
    assert x.grad.tolist() == [4.0] * 3 and x.is_leaf and x.grad_fn is None
    y = sg.zeros(2)
    y.add_(1)
    assert y._version == 1 and y.tolist() == [1.0, 1.0]


def test_references_are_counted_right() -> None:
    """However often tensors are made, or refused, nothing is held, and nothing is left for the collector."""
    retained = [None, True, False, 0, sg.float32, sg.int64, sg.float32.np, SOURCE, SOURCE._shape, SOURCE.device, (3, 4)]
    size, numbers = (3, 4), [1.0, 2.0]

    def make() -> None:
        for draw in (sg.rand, sg.randn):
            draw(3, 5)
        made = [sg.zeros(size), sg.zeros(SOURCE.shape), sg.ones_like(SOURCE), sg.tensor([numbers] * 2), sg.eye(300, 2)]
        made += [sg.arange(1000, 1003), sg.full([300], 1.0, requires_grad=True), sg.zeros(3, dtype=sg.complex128)]
        with pytest.raises(ValueError, match="sequence"):
            sg.tensor([numbers, numbers[:1]])

    retained += [size, numbers, numbers[0]]
    make()
    gc.collect()
    before = [sys.getrefcount(obj) for obj in retained]
    gc.disable()
    try:
        for _ in range(200):
            make()
        gc.set_debug(gc.DEBUG_SAVEALL)  # keeps what is found: other threads may leave something of their own meanwhile
        gc.collect()
        assert [left for left in gc.garbage if isinstance(left, MADE)] == []
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
    after = [sys.getrefcount(obj) for obj in retained]
    assert all(abs(x - y) < 100 for x, y in zip(before, after, strict=True)), (before, after)


def test_new_tensors_load_no_compiler() -> None:
    """Before an op does, the general path makes them; from then on native code."""
    program = """
import sys
import specgrad as sg
x = sg.zeros(3), sg.tensor([1.0, 2.0]), sg.arange(4), sg.ones_like(sg.ones(2))
before = "numba" in sys.modules
x[1] + x[1]
sg.zeros(3)
from specgrad.runtime.ops.creation.constants import ZEROS
print(before, type(ZEROS.launch).__name__)
"""
    environment = {**os.environ, "SPECGRAD_NATIVE": "1", "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "False builtin_function_or_method\n"


def test_who_can_do_without_native_code_does_not_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """While other processes compile it for the next program."""
    unit = Unit("never compiled", (), lambda: "some version")
    monkeypatch.setattr(native_unit.precompile, "begin", lambda: True)
    monkeypatch.setattr(native_unit.store, "lookup", lambda digest: None)
    assert unit.comes_later()
    monkeypatch.setattr(native_unit.store, "lookup", lambda digest: b"code")
    assert not unit.comes_later()
    monkeypatch.setattr(native_unit.store, "lookup", lambda digest: None)
    monkeypatch.setattr(native_unit.precompile, "begin", lambda: False)
    assert not unit.comes_later()
