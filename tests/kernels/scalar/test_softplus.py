"""ln(1 + e^x) and the logarithm of the logistic function as kernels have them: errors, blocks, and limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.kernels.cpu.elementwise_fast_range import BLOCK

logsigmoid, softplus = sg.nn.functional.logsigmoid, sg.nn.functional.softplus
ULP = {np.float32: 1.9, np.float64: 1.5}


def points(dtype: type) -> np.ndarray:
    """From where the result is no normal number any more to where it is the argument itself."""
    rng, max_count = np.random.default_rng(0), 87.0 if dtype is np.float32 else 700.0
    return np.concatenate([rng.uniform(-max_count, max_count, 40 * BLOCK), rng.normal(0, 1e-3, BLOCK)]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_errors(dtype: type) -> None:
    """Against logaddexp of the platform's longdouble; softplus without its threshold."""
    x = points(dtype)
    requested = np.logaddexp(np.longdouble(0), x.astype(np.longdouble))
    unit = ULP[dtype] * np.spacing(requested.astype(dtype))
    assert (np.abs(softplus(sg.tensor(x), threshold=math.inf).numpy() - requested) <= unit).all()
    assert (np.abs(logsigmoid(sg.tensor(-x)).numpy() + requested) <= unit).all()


def test_neighbours_change_no_bit() -> None:
    """A block of usual arguments gives the same bits as arguments beside nan."""
    x = points(np.float32)
    mixed = np.full(2 * x.size, np.nan, np.float32)
    mixed[::2] = x
    np.testing.assert_array_equal(logsigmoid(sg.tensor(x)).numpy(), logsigmoid(sg.tensor(mixed)).numpy()[::2])


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64])
def test_limits(dtype: sg.dtype) -> None:
    """Infinities, nan, zeros, and powers that underflow; zero is positive, as PyTorch's is."""
    x = sg.tensor([math.inf, 1000.0, 0.0, -0.0, -1000.0, -math.inf, math.nan], dtype=dtype)
    found = logsigmoid(x).tolist()
    np.testing.assert_allclose(found, [0, 0, -math.log(2), -math.log(2), -1000, -math.inf, math.nan], rtol=1e-6)
    assert math.copysign(1, found[0]) == math.copysign(1, found[1]) == 1
    requested = [math.inf, 1000, math.log(2), math.log(2), 0, 0, math.nan]
    np.testing.assert_allclose(softplus(x).tolist(), requested, rtol=1e-6)


def test_subnormal_results() -> None:
    """Below e^-87.3 the power itself is no normal number."""
    x = np.linspace(-103, -87, 4 * BLOCK).astype(np.float32)
    requested = np.exp(x.astype(np.float64))
    np.testing.assert_allclose(softplus(sg.tensor(x)).numpy(), requested, rtol=2e-7, atol=2e-45)
