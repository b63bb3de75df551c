"""Blocks of usual arguments are computed by shorter functions, which give the bits of the whole ones."""

from __future__ import annotations

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.kernels.cpu import arithmetic, exponential, trigonometric
from specgrad.runtime.kernels.cpu.elementwise_fast_range import BLOCK, in_blocks

REFERENCES = {
    "log": np.log,
    "log1p": np.log1p,
    "exp": np.exp,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
}
LIMITS = {
    "log": (2.0**-126, np.finfo(np.float32).max),
    "log1p": (0, np.finfo(np.float32).max),
    "exp": (0, 87),
    "sigmoid": (0, 40),
    "sin": (0, 2.0**17),
    "cos": (0, 2.0**17),
    "tan": (0, 2.0**17),
}
ULPS = {"sigmoid": 1.8}  # of others 1.2


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", LIMITS)
def test_neighbours_change_no_bit(name: str, dtype: type) -> None:
    """Usual arguments give the same bits in a block of their own and beside nan, and right results."""
    rng, function = np.random.default_rng(0), getattr(sg, name)
    low, high = LIMITS[name]
    signed = np.ldexp(rng.uniform(-2, 2, 3 * BLOCK + 7), rng.integers(-126, 127, 3 * BLOCK + 7)).astype(dtype)
    x = (np.abs(signed) if name in ("log", "log1p") else signed)[(np.abs(signed) >= low) & (np.abs(signed) < high)]
    mixed = np.full(2 * x.size, np.nan, dtype)
    mixed[::2] = x
    found, beside = function(sg.tensor(x)).numpy(), function(sg.tensor(mixed)).numpy()[::2]
    np.testing.assert_array_equal(found, beside)
    requested = REFERENCES[name](x.astype(np.longdouble))
    assert (np.abs(found - requested) <= ULPS.get(name, 1.2) * np.spacing(np.abs(requested).astype(dtype))).all()


@pytest.mark.parametrize("at", [0, BLOCK - 1, BLOCK, 2 * BLOCK + 4])
def test_unusual_arguments(at: int) -> None:
    """Zeros, infinities, nan and subnormal numbers anywhere in a block; sizes that are no multiple of it; in place."""
    for value in (0.0, -0.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, 1e-40, 88.0, 89.0, -88.0, -100.0, -110.0, 41.0):
        x = np.full(2 * BLOCK + 5, 2.0, np.float32)
        x[at] = value
        with np.errstate(all="ignore"):
            requested = {name: REFERENCES[name](x.astype(np.float64)).astype(np.float32) for name in LIMITS}
        for name in LIMITS:
            found = sg.tensor(x)
            getattr(found, f"{name}_")()
            np.testing.assert_allclose(found.numpy(), requested[name], rtol=2e-7, atol=1e-45)
            if value == 0 and name == "sin":
                assert np.signbit(found.numpy()[at]) == np.signbit(value)


def test_other_kernels_stay() -> None:
    """A kernel is cut into blocks where it is one function that has a shorter form."""
    assert in_blocks(exponential.log_forward) is not exponential.log_forward
    assert in_blocks(arithmetic.remainder_forward) is not arithmetic.remainder_forward
    assert in_blocks(arithmetic.remainder_forward_number) is not arithmetic.remainder_forward_number
    assert in_blocks(exponential.exp_forward) is not exponential.exp_forward
    assert (
        in_blocks(trigonometric.tanh_forward) is trigonometric.tanh_forward
        and in_blocks(arithmetic.add_tensor_forward) is arithmetic.add_tensor_forward
    )
    assert in_blocks(exponential.log_backward_1) is exponential.log_backward_1
    assert (
        in_blocks(trigonometric.sin_backward_1) is not trigonometric.sin_backward_1
        and in_blocks(trigonometric.cos_backward_1) is not trigonometric.cos_backward_1
    )
    assert in_blocks(trigonometric.sinh_backward_1) is trigonometric.sinh_backward_1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_in_blocks(dtype: type) -> None:
    """Derivatives that are products with such a function, or negative ones: of usual elements and of others."""
    rng, size = np.random.default_rng(3), 3 * BLOCK + 9
    x, grad = rng.uniform(-9, 9, size).astype(dtype), rng.uniform(-2, 2, size).astype(dtype)
    x[BLOCK + 5] = 1e30
    for name, derivative in {"sin": sg.cos, "cos": lambda y: -sg.sin(y)}.items():
        operand = sg.tensor(x, requires_grad=True)
        getattr(sg, name)(operand).backward(sg.tensor(grad))
        found = operand.grad
        assert found is not None
        np.testing.assert_array_equal(found.numpy(), grad * derivative(sg.tensor(x)).numpy())


def test_expanded_operand() -> None:
    """A row of one repeated number."""
    x = sg.full((1,), 0.5).expand(BLOCK + 3)
    np.testing.assert_array_equal(sg.log(x).numpy(), np.full(BLOCK + 3, np.float32(np.log(0.5))))


REMAINDERS = {"fmod": np.fmod, "remainder": np.remainder, "floor_divide": np.floor_divide}


def same_bits(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether all numbers agree, zeros in their signs too; any nan is one."""
    return bool((((x == y) & (np.signbit(x) == np.signbit(y))) | (np.isnan(x) & np.isnan(y))).all())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", REMAINDERS)
def test_remainders_are_exact(name: str, dtype: type) -> None:
    """Those of NumPy, for quotients of any size, whole ones and their neighbours, and whatever else is in a block."""
    rng, size = np.random.default_rng(1), 4 * BLOCK + 9
    y = (rng.uniform(0.5, 2, size) * rng.choice([-1, 1], size)).astype(dtype)
    entire = (y * np.rint(rng.uniform(-1e5, 1e5, size))).astype(dtype)
    large = np.ldexp(y, rng.integers(-120, 120, size)).astype(dtype)
    special = np.where(np.arange(size) % 700 == 3, rng.choice([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-42], size), y)
    operands = [
        entire,
        np.nextafter(entire, dtype(0)),
        np.nextafter(entire, dtype(np.inf)),
        rng.uniform(-3, 3, size),
        large,
    ]
    with np.errstate(all="ignore"):
        for x in (*operands, special):
            for by in (y, special, large):
                first, second = x.astype(dtype), by.astype(dtype)
                found = getattr(sg, name)(sg.tensor(first), sg.tensor(second)).numpy()
                assert same_bits(found, REMAINDERS[name](first, second))


@pytest.mark.parametrize("number", [2, -0.3, 1e30, 0.0])
@pytest.mark.parametrize("name", REMAINDERS)
def test_remainders_beside_a_number(name: str, number: float) -> None:
    """One number for all elements, also of integers, which have no blocks of their own."""
    x = np.random.default_rng(2).uniform(-50, 50, 2 * BLOCK + 1).astype(np.float32)
    with np.errstate(all="ignore"):
        requested = REMAINDERS[name](x, np.float32(number))
    assert same_bits(getattr(sg, name)(sg.tensor(x), number).numpy(), requested)
    if number == 2:
        entire = x.astype(np.int64)
        np.testing.assert_array_equal(getattr(sg, name)(sg.tensor(entire), 2).numpy(), REMAINDERS[name](entire, 2))
