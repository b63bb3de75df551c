"""Blocks of usual arguments are computed by shorter functions, which give the bits of the whole ones."""

from __future__ import annotations

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.kernels.cpu import add_tensor, exp, log
from specgrad.runtime.kernels.usual_blocks import BLOCK, in_blocks

LIMITS = {"log": (2.0**-126, np.finfo(np.float32).max), "sin": (0, 2.0**50), "cos": (0, 2.0**50)}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", LIMITS)
def test_neighbours_change_no_bit(name: str, dtype: type) -> None:
    """Usual arguments give the same bits in a block of their own and beside nan, and right results."""
    rng, function = np.random.default_rng(0), getattr(sg, name)
    low, high = LIMITS[name]
    signed = np.ldexp(rng.uniform(-2, 2, 3 * BLOCK + 7), rng.integers(-126, 127, 3 * BLOCK + 7)).astype(dtype)
    x = (np.abs(signed) if name == "log" else signed)[(np.abs(signed) >= low) & (np.abs(signed) < high)]
    mixed = np.full(2 * x.size, np.nan, dtype)
    mixed[::2] = x
    found, beside = function(sg.tensor(x)).numpy(), function(sg.tensor(mixed)).numpy()[::2]
    np.testing.assert_array_equal(found, beside)
    wanted = getattr(np, name)(x.astype(np.longdouble))
    assert (np.abs(found - wanted) <= 1.2 * np.spacing(np.abs(wanted).astype(dtype))).all()


@pytest.mark.parametrize("at", [0, BLOCK - 1, BLOCK, 2 * BLOCK + 4])
def test_unusual_arguments(at: int) -> None:
    """Zeros, infinities, nan and subnormal numbers anywhere in a block; sizes that are no multiple of it; in place."""
    for value in (0.0, -0.0, -1.0, np.inf, -np.inf, np.nan, 1e-45, 1e-40):
        x = np.full(2 * BLOCK + 5, 2.0, np.float32)
        x[at] = value
        with np.errstate(all="ignore"):
            wanted = {name: getattr(np, name)(x.astype(np.float64)) for name in LIMITS}
        for name in LIMITS:
            found = sg.tensor(x)
            getattr(found, f"{name}_")()
            np.testing.assert_allclose(found.numpy(), wanted[name], rtol=2e-7, atol=1e-45)
            if value == 0 and name == "sin":
                assert np.signbit(found.numpy()[at]) == np.signbit(value)


def test_other_kernels_stay() -> None:
    """A kernel is cut into blocks where it is one function that has a shorter form."""
    assert in_blocks(log.forward) is not log.forward
    assert in_blocks(exp.forward) is exp.forward and in_blocks(add_tensor.forward) is add_tensor.forward
    assert in_blocks(log.backward_1) is log.backward_1


def test_expanded_operand() -> None:
    """A row of one repeated number."""
    x = sg.full((1,), 0.5).expand(BLOCK + 3)
    np.testing.assert_array_equal(sg.log(x).numpy(), np.full(BLOCK + 3, np.float32(np.log(0.5))))
