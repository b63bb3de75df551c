"""Bools and integers that broadcast, in short rows and in rows longer than a tile, and masks times numbers: NumPy's."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.namespace import op

SHAPES = [
    ((4, 1), (7,)),
    ((3, 1), (3, 700)),
    ((2, 1, 1), (2, 9, 701)),
    ((2, 5000), (2, 1)),
    ((70, 1), (70, 3)),
    ((0, 1), (5,)),
]
OF_BOOLS = [operator.and_, operator.or_, operator.xor, operator.eq, operator.ne]
OF_INTEGERS = [*OF_BOOLS, operator.add, operator.sub, operator.mul, operator.lt, operator.ge]


def given(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    numbers = np.random.default_rng(sum(shape)).integers(0, 2 if dtype is np.bool_ else 9, shape)
    return numbers.astype(dtype)


def check(op: Any, *operands: Any) -> None:
    """Twice: what is found the first time is used the second time."""
    requested = op(*operands)
    for _ in range(3):
        found = op(*[sg.tensor(a) if isinstance(a, np.ndarray) else a for a in operands])
        np.testing.assert_array_equal(found.numpy(), requested)
        assert found.numpy().dtype == requested.dtype


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("op", OF_BOOLS)
def test_bools(op: Any, shapes: tuple[tuple[int, ...], ...]) -> None:
    one, other = (given(shape, np.bool_) for shape in shapes)
    check(op, one, other)
    check(op, other, one)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int16, np.int8, np.uint8])
@pytest.mark.parametrize("op", OF_INTEGERS)
def test_integers(op: Any, dtype: Any) -> None:
    for shapes in SHAPES:
        one, other = (given(shape, dtype) for shape in shapes)
        check(op, one, other)
        check(op, other, one)


@pytest.mark.parametrize("shapes", SHAPES)
def test_masks_times_numbers(shapes: tuple[tuple[int, ...], ...]) -> None:
    """One operand becomes what the other one is, whichever it is; the other one has a gradient."""
    mask, x = given(shapes[0], np.bool_), given(shapes[1], np.float32) / np.float32(8)
    check(operator.mul, mask, x)
    check(operator.mul, x, mask)
    check(operator.add, given(shapes[0], np.int64).astype(np.int32), given(shapes[1], np.int64))
    for _ in range(3):
        tensor = sg.tensor(x, requires_grad=True)
        (tensor * sg.tensor(mask)).sum().backward()
        every = np.broadcast_to(mask, np.broadcast_shapes(*shapes)).astype(np.float32)
        np.testing.assert_allclose(tensor.grad.numpy(), sg.tensor(every).sum_to_size(*x.shape).numpy())


@pytest.mark.parametrize("shapes", SHAPES)
def test_choices(shapes: tuple[tuple[int, ...], ...]) -> None:
    """None of what is chosen between has the shape of the result, or one is a number."""
    mask, x = given(shapes[0], np.bool_), given(shapes[1], np.float32)
    row, column = x.reshape(-1)[: x.shape[-1]], given(mask.shape, np.float32) + 3
    for _ in range(3):
        for chosen in ((row, column), (column, row), (x, column), (row, np.float32(0.5))):
            requested = np.where(mask, *chosen)
            found = sg.where(sg.tensor(mask), *[sg.tensor(a) if a.ndim else float(a) for a in chosen])
            np.testing.assert_array_equal(found.numpy(), requested)
            assert found.dtype is sg.float32


def test_views_and_what_is_written_in_place() -> None:
    """Columns of a transposed mask, and a mask that others are combined with where it lies."""
    mask, row = given((40, 900), np.bool_), given((900,), np.bool_)
    for _ in range(3):
        transposed = sg.tensor(mask).t()
        np.testing.assert_array_equal((transposed & sg.tensor(row)[:, None]).numpy(), mask.T & row[:, None])
        into = sg.tensor(mask)
        into &= sg.tensor(mask[:, :1])
        np.testing.assert_array_equal(into.numpy(), mask & mask[:, :1])
        numbers = sg.tensor(mask.astype(np.int64))
        numbers += sg.tensor(row.astype(np.int64))
        np.testing.assert_array_equal(numbers.numpy(), mask.astype(np.int64) + row)


@pytest.mark.parametrize("dtype", [sg.complex64, sg.complex128, sg.float16, sg.bool, sg.uint8])
def test_choices_of_every_dtype(dtype: sg.dtype) -> None:
    """Also of those that native code leaves to the general path."""
    mask = sg.tensor([[True], [False], [True]])
    for _ in range(3):
        found = sg.where(mask, sg.ones(4).to(dtype), sg.zeros(()).to(dtype))
        assert found.dtype is dtype
        assert found.tolist() == [[1] * 4, [0] * 4, [1] * 4]


@pytest.mark.parametrize("dtype", [sg.int64, sg.int32, sg.uint8])
def test_one_operand_of_long_rows_of_one_number(dtype: sg.dtype) -> None:
    """Of integers that are expanded, alone and beside a number."""
    column = sg.tensor([[1], [2], [3]], dtype=dtype)
    for size in (7, 513, 5000):
        full = np.tile(column.numpy(), size)
        for _ in range(3):
            expanded = column.expand(3, size)
            for apply in (lambda x: ~x, lambda x: x + 5, lambda x: x * x, lambda x: x == 2, lambda x: x - x):
                np.testing.assert_array_equal(apply(expanded).numpy(), apply(full))
            transposed = sg.tensor(full).t()
            np.testing.assert_array_equal((transposed + column.t()).numpy(), full.T + column.numpy().T)


def test_a_mask_that_has_to_have_the_shape() -> None:
    """Is refused where it would broadcast, as often as it is given."""
    for _ in range(3):
        with pytest.raises(RuntimeError, match="expected mask of shape"):
            op.masked_scale(sg.ones(4), sg.ones(3, 4) > 0, 2.0)
