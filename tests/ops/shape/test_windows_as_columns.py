"""Windows as columns and back, by plans: against NumPy's windows, of any geometry; the same bits for any threads."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.nn.functional import fold, unfold

OPS: Any = sys.modules["specgrad.generated.ops.shape"]
GEOMETRIES = {
    "patches": (4, 1, 0, 4),
    "same": (3, 1, 1, 1),
    "dilated": ((3, 2), (2, 3), (3, 4), (1, 2)),
    "steps": ((2, 3), 1, (0, 5), (3, 2)),
    "one": (1, 1, 0, 1),
    "far outside": (2, 1, 6, 3),
}
rng = np.random.default_rng(0)


def by_hand(x: np.ndarray, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> np.ndarray:
    """Tap by tap of a padded image."""
    (k, m), (d, e), (p, q), (s, t) = (np.broadcast_to(v, 2) for v in (kernel_size, dilation, padding, stride))
    wide = np.pad(x, ((0, 0), (0, 0), (p, p), (q, q)))
    rows, columns = (wide.shape[2] - d * (k - 1) - 1) // s + 1, (wide.shape[3] - e * (m - 1) - 1) // t + 1
    taps = [
        wide[:, :, i * d : i * d + (rows - 1) * s + 1 : s, j * e : j * e + (columns - 1) * t + 1 : t]
        for i in range(k)
        for j in range(m)
    ]
    return np.stack(taps, 2).reshape(len(x), -1, rows * columns)


@pytest.mark.parametrize("geometry", GEOMETRIES.values(), ids=GEOMETRIES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(sg.float32, 1e-5), (sg.float64, 1e-13), (sg.bfloat16, 0.1)])
@pytest.mark.parametrize("transposed", [False, True])
def test_both_ways(geometry: Any, dtype: sg.dtype, tolerance: float, transposed: bool) -> None:
    """The sums are the transpose: <unfold(x), y> = <x, fold(y)>, of which unfold is NumPy's; also as gradients."""
    x = sg.tensor(rng.normal(size=(2, 3, 9, 8))).to(dtype)
    x = x.transpose(2, 3).contiguous().transpose(2, 3) if transposed else x
    expected = by_hand(x.double().numpy(), *geometry)
    y = sg.tensor(rng.normal(size=expected.shape)).to(dtype)
    for _ in range(2):
        leaf, above = x.detach().requires_grad_(), y.detach().requires_grad_()
        columns, image = unfold(leaf, *geometry), fold(above, (9, 8), *geometry)
        assert np.array_equal(columns.detach().double().numpy(), expected)
        (found,) = sg.autograd.grad(columns, leaf, y)
        assert np.array_equal(found.double().numpy(), image.detach().double().numpy())
        (back,) = sg.autograd.grad(image, above, x.contiguous())
        assert np.array_equal(back.double().numpy(), expected)
        one = (expected * y.double().numpy()).sum()
        other = (x.double() * image.detach().double()).sum().item()
        assert one == pytest.approx(other, abs=50 * tolerance)
    tables = OPS.IM2COL, OPS.COL2IM
    assert all(any(plan is not None for plan in (t.cached | t.cached_bfloat16).values()) for t in tables)


def test_threads_give_the_same_bits() -> None:
    before, found = sg.get_num_threads(), []
    x, y = sg.randn(8, 16, 40, 40), sg.randn(8, 144, 1600)
    try:
        for threads in (1, 2, 3):
            sg.set_num_threads(threads)
            found.append((unfold(x, 3, padding=1).numpy(), fold(y, (40, 40), 3, padding=1).numpy()))
    finally:
        sg.set_num_threads(before)
    for one, other in found[1:]:
        assert np.array_equal(one, found[0][0]) and np.array_equal(other, found[0][1])
