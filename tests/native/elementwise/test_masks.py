"""Choices by masks, and numbers written over elements: native code takes masks that broadcast, numbers and int64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.nodes import comparison, indexing
from specgrad.runtime.dispatch.elementwise.general import elementwise_ops
from specgrad.runtime.native.check_mode import native_alone

rng = np.random.default_rng(0)
X, Y = (rng.normal(size=(6, 5)).astype(np.float32) for _ in range(2))
MASK = rng.random((6, 5)) < 0.4
MASKS = {
    "full": MASK,
    "row": MASK[0],
    "column": MASK[:, 1:2],
    "number": MASK[0, 0],
    "transposed": np.asfortranarray(MASK),
}
INTEGRAL = rng.integers(-9, 9, (6, 5))


def launched(name: str, *arguments: Any, in_place: bool = False) -> Any:
    """The answer of native code, which has to give one."""
    op = elementwise_ops[name]
    found = (op.launch_in_place if in_place else op.launch)(*arguments)
    assert found is not None
    return found


def mask_of(name: str) -> Any:
    """A tensor of bools; the turned one lies in columns."""
    return sg.tensor(MASK.T.copy()).mT if name == "transposed" else sg.tensor(MASKS[name])


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16, sg.float16, sg.int64])
@pytest.mark.parametrize("name", MASKS)
def test_masks_that_broadcast(name: str, dtype: Any) -> None:
    """Filling gives what NumPy gives, into a new tensor and in place."""
    x, mask = sg.tensor(INTEGRAL).to(dtype), mask_of(name)
    expected = np.where(MASKS[name], 3, INTEGRAL).tolist()
    assert launched("masked_fill_scalar", x, mask, 3).tolist() == expected
    with sg.no_grad():
        assert launched("masked_fill_scalar", x, mask, 3, in_place=True) is x
    assert x.tolist() == expected and x.dtype is dtype


@pytest.mark.parametrize("name", MASKS)
def test_gradients_through_masks_that_broadcast(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The node brings its mask into the gradient's shape by itself."""
    x = sg.tensor(X, requires_grad=True)
    given = sg.tensor(Y)
    with native_alone():
        x.masked_fill(mask_of(name), 0.5).backward(given)
        x.grad = None

        def no_python(*_: Any) -> Any:
            raise AssertionError("a node came to Python")

        monkeypatch.setattr(indexing.MaskedFillBackward0, "apply", no_python)
        x.masked_fill(mask_of(name), 0.5).backward(given)
    np.testing.assert_array_equal(x.grad.numpy(), np.where(MASKS[name], 0, Y))


def test_a_mask_that_was_written_to_is_found_out() -> None:
    """Also one that broadcasts."""
    x, mask = sg.tensor(X, requires_grad=True), sg.tensor(MASK[0])
    y = x.masked_fill(mask, 0.0)
    mask.logical_not_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_masks_that_do_not_broadcast_are_refused() -> None:
    """By the general path, and so are those that are no bools."""
    x = sg.tensor(X)
    for mask in (sg.tensor(MASK[:, 0]), sg.tensor(MASK[:3])):
        with pytest.raises(RuntimeError):
            x.masked_fill(mask, 0.0)
    with pytest.raises(RuntimeError, match="bool"):
        x.masked_fill(sg.tensor(X), 0.0)
    assert x.masked_fill(sg.ones(2, 6, 5, dtype=sg.bool), 1.0).shape == (2, 6, 5)


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16, sg.float16])
def test_one_of_two_may_be_a_number(dtype: Any) -> None:
    """On either side, with gradients for the other."""
    mask, x = sg.tensor(MASK), sg.tensor(X).to(dtype)
    stored = x.double().numpy()
    tenth = sg.tensor(0.1, dtype=dtype).item()
    np.testing.assert_array_equal(launched("where_self", mask, x, 0.1).double().numpy(), np.where(MASK, stored, tenth))
    np.testing.assert_array_equal(launched("where_self", mask, 0.1, x).double().numpy(), np.where(MASK, tenth, stored))
    np.testing.assert_array_equal(launched("where_self", mask, 2, x).double().numpy(), np.where(MASK, 2, stored))
    x.requires_grad_()
    assert type(launched("where_self", mask, -1.0, x).grad_fn) is comparison.WhereBackward0
    sg.where(mask, 7.0, x).sum().backward()
    assert x.grad.tolist() == np.where(MASK, 0.0, 1.0).tolist()
    x.grad = None
    sg.where(mask, x, 7).sum().backward()
    assert x.grad.tolist() == np.where(MASK, 1.0, 0.0).tolist()


@pytest.mark.parametrize(
    ("dtype", "largest", "beyond"),
    [
        (sg.float16, 65504.0, 65505.0),
        (sg.bfloat16, 3.3895313892515355e38, 3.39e38),
        (sg.float32, 3.4028234663852886e38, 3.5e38),
        (sg.float64, 1.7976931348623157e308, None),
    ],
)
def test_numbers_that_a_dtype_does_not_have_are_refused(dtype: Any, largest: float, beyond: float | None) -> None:
    """As the general path refuses them; infinities and nan are numbers of all."""
    x, mask = sg.zeros(2, dtype=dtype), sg.tensor([True, False])
    for value in (largest, -largest, np.inf, -np.inf):
        assert launched("masked_fill_scalar", x, mask, value).double().tolist() == [value, 0.0]
        assert launched("fill__scalar", x.clone(), value, in_place=True).double().tolist() == [value] * 2
    assert np.isnan(launched("masked_fill_scalar", x, mask, np.nan).double().numpy()[0])
    if beyond is not None:
        for write in (lambda v: x.masked_fill(mask, v), lambda v: x.fill_(v), lambda v: x.masked_fill_(mask, -v)):
            with pytest.raises(RuntimeError, match="overflow"):
                write(beyond)
    assert x.tolist() == [0.0, 0.0]


def test_overwriting_counts_writes_and_respects_the_graph() -> None:
    """A leaf refuses, a view changes its base, and what was saved and then written to is found out."""
    leaf = sg.tensor(X, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        leaf.fill_(1.0)
    with pytest.raises(RuntimeError, match="leaf"):
        leaf[0] = 1.0
    base = sg.zeros(3, 4)
    assert launched("fill__scalar", base[:, 1:3], 2, in_place=True)._version == 1
    assert base.tolist() == [[0.0, 2.0, 2.0, 0.0]] * 3
    y = leaf * 1.0
    z = y.exp() + y * y
    y.detach().zero_()
    with pytest.raises(RuntimeError, match="zero_"):
        z.sum().backward()
    inner = leaf * 2.0
    inner[1] = 5.0
    inner.masked_fill_(sg.tensor(MASK), 0.0)
    inner.sum().backward()
    retained = ~MASK
    retained[1] = False
    np.testing.assert_array_equal(leaf.grad.numpy(), 2.0 * retained)


KEYS: dict[str, Any] = {
    "row": 2,
    "last": -1,
    "column": (slice(None), 1),
    "part": (slice(1, 4), slice(0, 5, 2)),
    "element": (2, 3),
    "mask": MASK,
    "mask of rows": MASK[:, 0],
    "indices": np.array([0, 2, -1]),
    "pairs": (np.array([0, 5]), np.array([1, 1])),
}


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.float16, sg.int64])
@pytest.mark.parametrize("value", [3, 2.0, -0.0, 1e4])
@pytest.mark.parametrize("name", KEYS)
def test_numbers_written_by_a_key(name: str, value: float, dtype: Any) -> None:
    """What NumPy writes, the first time and later ones."""
    x, expected, key = sg.tensor(INTEGRAL).to(dtype), sg.tensor(INTEGRAL).to(dtype).numpy().copy(), KEYS[name]
    parts = key if isinstance(key, tuple) else (key,)
    given = tuple(sg.tensor(part) if isinstance(part, np.ndarray) else part for part in parts)
    for number in (value, value + 1, value):
        x[given if len(given) > 1 else given[0]] = number
        expected[key] = number
        assert x.numpy().tobytes() == expected.tobytes()


WITH_INTEGERS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "number": lambda x, y: 3 * x + y * -2 - 1,
    "compared": lambda x, y: (x == y) | (x > 2),
    "clamp": lambda x, y: x.clip(-2, 5),
    "maximum": lambda x, y: abs(x) * (x < y),
}


@pytest.mark.parametrize("name", WITH_INTEGERS)
def test_int64_as_floats(name: str) -> None:
    """Element-wise ops on int64 whose results are int64 or bool."""
    program, x, y = WITH_INTEGERS[name], sg.tensor(INTEGRAL), sg.tensor(INTEGRAL[::-1].copy())
    for first, second in ((x, y), (x.mT, y.mT)):
        expected = program(first.numpy(), second.numpy())
        found = program(first, second)
        assert found.numpy().dtype == expected.dtype
        np.testing.assert_array_equal(found.numpy(), expected)


def test_integers_and_numbers_of_other_kinds() -> None:
    """A float beside int64 gives floats; integers that a float64 has not are exact all the same."""
    x = sg.tensor([1, -2])
    assert launched("add_tensor", x, x, 2).tolist() == [3, -6]
    assert launched("mul_tensor", x, 3).tolist() == [3, -6]
    assert (x * 1.5).tolist() == [1.5, -3.0] and (x * 1.5).dtype is sg.float32
    assert (x + (2**60 + 1)).tolist() == [2**60 + 2, 2**60 - 1]
    assert x.clone().fill_(2**62 + 1).tolist() == [2**62 + 1] * 2
    assert sg.where(x > 0, x, 2**60 + 1).tolist() == [1, 2**60 + 1]
    assert launched("eq_tensor", x, x).dtype is sg.bool
    with pytest.raises(RuntimeError):
        x.fill_(2**70)


@pytest.mark.parametrize("dtype", [sg.float64, sg.float16, sg.int64, sg.int32, sg.bool])
def test_copies_of_another_dtype(dtype: Any) -> None:
    """In the dtype of what is written to, in any layout."""
    source = sg.tensor(INTEGRAL).to(dtype)
    for _ in range(12):
        full, transposed, column = sg.zeros(6, 5), sg.zeros(5, 6), sg.zeros(6, 5)
        assert full.copy_(source) is full
        transposed.mT.copy_(source)
        column[:, 1].copy_(source[:, 1])
    expected = source.numpy().astype(np.float32)
    np.testing.assert_array_equal(full.numpy(), expected)
    np.testing.assert_array_equal(transposed.numpy(), expected.T)
    np.testing.assert_array_equal(column.numpy()[:, 1], expected[:, 1])


MOVES: dict[str, tuple[Callable[[Any], Any], Callable[[np.ndarray], Any]]] = {
    "clone": (lambda x: x.clone(), lambda a: a),
    "clone of columns": (lambda x: x[:, 1::2].clone(), lambda a: a[:, 1::2]),
    "contiguous": (lambda x: x.mT.contiguous(), lambda a: a.T),
    "cat": (lambda x: sg.cat([x, x[:2], x], 0), lambda a: np.concatenate([a, a[:2], a])),
    "stack": (lambda x: sg.stack([x, x + x], 1), lambda a: np.stack([a, a + a], 1)),
    "index": (lambda x: x[sg.tensor([3, 0, -1])], lambda a: a[[3, 0, -1]]),
    "index_select": (lambda x: x.index_select(1, sg.tensor([4, 0])), lambda a: a[:, [4, 0]]),
    "gather": (
        lambda x: x.gather(0, sg.tensor([[5, 1]])),
        lambda a: np.take_along_axis(a[:, :2], np.array([[5, 1]]), 0),
    ),
    "copy_": (lambda x: sg.zeros_like(x).copy_(x), lambda a: a),
    "copy_ of a row": (lambda x: sg.zeros_like(x).copy_(x[1]), lambda a: np.broadcast_to(a[1], a.shape)),
}


@pytest.mark.parametrize("dtype", [np.int64, np.bool_, np.int32])
@pytest.mark.parametrize("name", MOVES)
def test_moves_of_integers_and_bools(name: str, dtype: Any) -> None:
    """Found at the first call, and then known."""
    program, expected = MOVES[name]
    values = INTEGRAL.astype(dtype) if dtype is not np.bool_ else MASK
    for _ in range(3):
        found = program(sg.tensor(values)).numpy()
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, expected(values))


@pytest.mark.parametrize("dtype", [sg.float32, sg.int64, sg.complex64])
def test_detached_tensors_share_memory_and_the_count_of_writes(dtype: Any) -> None:
    """In any layout, also of what is in a graph."""
    base = sg.tensor(INTEGRAL).to(dtype)
    if dtype.is_floating_point:
        base = base.requires_grad_() * 1
    for x in (base, base.mT, base[1:4, ::2], base[0, 0]):
        y = x.detach()
        assert not y.requires_grad and y.grad_fn is None and y._base is None and not y._is_view()
        assert y.shape == x.shape and y.stride() == x.stride() and y.storage_offset() == x.storage_offset()
        assert y.data_ptr() == x.data_ptr() and y.dtype is dtype
        before = x._version
        y.zero_()
        assert x._version == before + 1 and not y.tolist() or np.count_nonzero(x.detach().numpy()) == 0
