"""Numbers of Python's in the place of tensors of bools and int64, and int64 with ops that refuse some numbers."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.dispatch.elementwise.general import elementwise_ops

rng = np.random.default_rng(0)
MASK, INTEGRAL = rng.random((3, 5)) > 0.5, rng.integers(-9, 10, (3, 5))


def thrice(function: Callable[[], Any]) -> Iterator[Any]:
    """What a call gives before and after its kernel has been found."""
    for _ in range(3):
        yield function()


@pytest.mark.parametrize("numbers", [(1.0, 0.0), (1, 0), (True, False), (2, 0.5), (-3, True), (1e300, 1), (2**40, 7)])
@pytest.mark.parametrize("default", [sg.float32, sg.float64], ids=str)
def test_a_mask_chooses_between_two_numbers(numbers: tuple[Any, Any], default: Any) -> None:
    """In the dtype of the numbers: the default one where one of them is a float, int64 or bool else."""
    full = bool if all(type(n) is bool for n in numbers) else np.int64
    common = np.float32 if default is sg.float32 else np.float64
    dtype = common if float in map(type, numbers) else full
    if numbers[0] == 1e300 and common is np.float32:
        return
    sg.set_default_dtype(default)
    try:
        for mask in (MASK, MASK.T, MASK[:, :1], np.array(True), np.zeros((0, 2), bool)):
            for found in thrice(lambda mask=mask: sg.where(sg.tensor(mask), *numbers)):  # type: ignore[misc]
                assert found.numpy().dtype == dtype
                np.testing.assert_array_equal(found.numpy(), np.where(mask, *numbers).astype(dtype))
    finally:
        sg.set_default_dtype(sg.float32)


def test_numbers_beyond_the_dtype() -> None:
    """Native code leaves them to Python, which gives inf or says what is wrong."""
    mask = sg.tensor(MASK)
    for _ in range(2):
        with pytest.raises((RuntimeError, OverflowError)):
            sg.where(mask, 2**70, 1)
        with pytest.raises((RuntimeError, OverflowError)):
            sg.tensor(INTEGRAL) & 2**70


@pytest.mark.parametrize("number", [True, False])
def test_bools_in_the_place_of_tensors(number: bool) -> None:
    """With bools, and with int64, of which they are 1 and 0; also in place, and of tensors that lie apart."""
    mask, full = sg.tensor(MASK), sg.tensor(INTEGRAL)
    calls: list[tuple[Callable[[], Any], np.ndarray]] = [
        (lambda: mask & number, MASK & number),
        (lambda: number | mask, MASK | number),
        (lambda: mask.t() ^ number, MASK.T ^ number),
        (lambda: mask == number, number == MASK),
        (lambda: full & number, INTEGRAL & number),
        (lambda: full + number, INTEGRAL + number),
        (lambda: full[:, ::2] * number, INTEGRAL[:, ::2] * number),
        (lambda: sg.where(mask, full, number), np.where(MASK, INTEGRAL, number)),
        (lambda: sg.where(mask, 5, full), np.where(MASK, 5, INTEGRAL)),
        (lambda: mask.clone().logical_and_(mask).__iand__(number), MASK & number),
    ]
    for call, expected in calls:
        for found in thrice(call):
            assert found.numpy().dtype == expected.dtype
            np.testing.assert_array_equal(found.numpy(), expected)
    with pytest.raises(RuntimeError):
        full - number


def test_native_code_answers() -> None:
    """So these calls do not come to Python."""
    mask, full = sg.tensor(MASK), sg.tensor(INTEGRAL)
    where, both, power = (elementwise_ops[n].launch for n in ("where_self", "bitwise_and_tensor", "pow_tensor_scalar"))
    answers = where(mask, 1.0, 0.0), where(mask, full, 1), both(mask, True), power(full, 3)
    if answers[0] is None:  # without native code
        return
    assert all(answer is not None for answer in answers)
    assert power(full, -1) is None


def test_divisors_and_exponents() -> None:
    """Positive divisors and exponents are for native code, others for Python, all the same; zero is an error."""
    x, zero = sg.tensor(INTEGRAL), sg.zeros(3, 5, dtype=sg.int64)
    for divisor in (np.abs(INTEGRAL) + 1, -np.abs(INTEGRAL) - 1, np.arange(1, 6), np.arange(1, 4)[:, None]):
        by = sg.tensor(divisor)
        for found in thrice(lambda by=by: x % by):  # type: ignore[misc]
            np.testing.assert_array_equal(found.numpy(), INTEGRAL % divisor)
        for found in thrice(lambda by=by: x // by):  # type: ignore[misc]
            np.testing.assert_array_equal(found.numpy(), INTEGRAL // divisor)
        other = by.clone()
        other.view(-1)[0] = 0  # a layout that has been seen
        for wrong in (other, zero):
            with pytest.raises(RuntimeError, match="divisors other than 0"):
                x % wrong
    for exponent in (0, 1, 2, 3, 7):
        for found in thrice(lambda exponent=exponent: x**exponent):  # type: ignore[misc]
            np.testing.assert_array_equal(found.numpy(), INTEGRAL**exponent)
    with pytest.raises(RuntimeError, match="negative integer powers"):
        x**-1
