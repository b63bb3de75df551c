"""Kernels of collectives in sizes that samples have not."""

from __future__ import annotations

import numpy as np
import pytest

from specgrad.runtime.extensions.simulator.ranks import SimulatedRanks
from specgrad.runtime.ops.collective import cpu


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut products that are small, too."""
    monkeypatch.setattr(cpu, "ENOUGH", 1)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "c16"])
@pytest.mark.parametrize("rows", [0, 1, 5, 6, 7, 101])
def test_a_weight_gradient_in_pieces(rows: int, dtype: str) -> None:
    """With few rows and with many it is what one product gives."""
    rng, ranks = np.random.default_rng(rows), SimulatedRanks(2)
    grad, x = rng.standard_normal((2, rows, 3)).astype(dtype), rng.standard_normal((rows, 6)).astype(dtype)
    found = cpu.column_parallel_linear_backward((False, True, False), grad, x, None, ranks)[1]
    assert found is not None and found.dtype == dtype
    wide = np.result_type(dtype, np.float64)
    expected = grad.astype(wide).swapaxes(1, 2) @ x.astype(wide)
    np.testing.assert_allclose(found, expected, rtol=64 * np.finfo(dtype).eps, atol=64 * np.finfo(dtype).eps)


@pytest.mark.parametrize("rows", [2, 8])
def test_sums_of_inf_are_nan_without_a_warning(rows: int) -> None:
    """Also where they are of different pieces."""
    grad = np.zeros((2, rows, 3), np.float32)
    grad[:, 0], grad[:, -1] = np.inf, -np.inf
    found = cpu.column_parallel_linear_backward(
        (False, True, False), grad, np.ones_like(grad[0]), None, SimulatedRanks(2)
    )
    assert found[1] is not None and np.isnan(found[1]).all()


@pytest.mark.parametrize(("enough", "advanced"), [(1, 3), (101 * 3 * 6 // 2, 1), (101 * 3 * 6, 0)])
def test_a_piece_is_worth_cutting(enough: int, advanced: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls are driven on between pieces, of which a small product has one."""
    monkeypatch.setattr(cpu, "ENOUGH", enough)
    looks: list[bool] = []
    member = type("Member", (), {"advance": lambda self: looks.append(True)})()
    cpu._weight_backward(np.ones((101, 3)), np.ones((101, 6)), member)
    assert len(looks) == advanced
