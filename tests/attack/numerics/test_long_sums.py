"""What adds or multiplies along a long dimension in float32 is as exact as blocked sums: to 3e-5 of what float64 gives.

Numbers that all have one sign, and are equal, are the worst for sums in one chain: its rounding errors point one way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.attack.amount import SEED, amount

F = sg.nn.functional
LENGTH = amount(200_000, 3_000_000)
Call = Callable[[Any], Any]


def labels(x: Any) -> Any:
    return sg.arange(len(x)) % 10


def steps(x: Any, count: int) -> Any:
    """0, 1, ... count - 1, again and again."""
    return (sg.arange(len(x)) % count).to(x.dtype)


def log_around_one(x: Any) -> Any:
    """Factors whose product neither grows nor shrinks; exact in float32."""
    return (1 + (x.double() - 0.7) / len(x)).float().to(x.dtype)


CALLS: dict[str, Call] = {
    "sum": lambda x: x.sum(),
    "sum of columns": lambda x: x.reshape(-1, 10).sum(0),
    "sum of every other one": lambda x: x[::2].sum(),
    "mean": lambda x: x.mean(),
    "nansum": lambda x: x.nansum(),
    "var": lambda x: (x + 10).var(),
    "norm": lambda x: x.norm(),
    "norms of columns": lambda x: sg.linalg.vector_norm(x.reshape(-1, 10), 3, 0),
    "logsumexp": lambda x: x.logsumexp(0),
    "softmax": lambda x: x.softmax(0),
    "log_softmax of columns": lambda x: x.reshape(-1, 10).log_softmax(0),
    "cumsum": lambda x: x.cumsum(0),
    "logcumsumexp": lambda x: x.logcumsumexp(0),
    "cumprod": lambda x: log_around_one(x).cumprod(0),
    "trapezoid": lambda x: sg.trapezoid(x),
    "cumulative_trapezoid": lambda x: sg.cumulative_trapezoid(x),
    "dot": lambda x: x @ x,
    "mv": lambda x: x.reshape(10, -1) @ x[: len(x) // 10],
    "mm": lambda x: x.reshape(4, -1) @ x.reshape(-1, 4),
    "mm of many": lambda x: x.reshape(40, -1) @ x.reshape(40, -1).t(),
    "bmm": lambda x: x.reshape(2, 5, -1) @ x.reshape(2, -1, 5),
    "einsum": lambda x: sg.einsum("ki,kj->ij", x.reshape(-1, 4), x.reshape(-1, 4)),
    "cdist": lambda x: sg.cdist(x.reshape(2, -1), 3 - x.reshape(2, -1)),
    "cdist of sums": lambda x: sg.cdist(x.reshape(2, -1), 3 - x.reshape(2, -1), p=1.0),
    "cosine_similarity": lambda x: F.cosine_similarity(x, steps(x, 7), dim=0),
    "cross_entropy": lambda x: F.cross_entropy(x.reshape(-1, 10), labels(x[::10])),
    "mse_loss": lambda x: F.mse_loss(x, x * x),
    "avg_pool1d": lambda x: F.avg_pool1d(x.reshape(1, 1, -1), len(x) // 2),
    "batch_norm": lambda x: F.batch_norm((x + steps(x, 7)).reshape(-1, 10), None, None, training=True),
    "group_norm": lambda x: F.group_norm((x + steps(x, 3)).reshape(1, 4, -1), 2),
    "product": lambda x: log_around_one(x).reshape(-1, 2).prod(0),
    "product with a zero": lambda x: (log_around_one(x) * (sg.arange(len(x)) != 99)).prod(0),
}


def both(call: Call, x: np.ndarray, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Values, and the gradient, in a dtype."""
    given = sg.tensor(x).to(dtype).requires_grad_()
    found = call(given)
    weights = sg.tensor(1 + np.cos(np.arange(found.numel())) / 2).reshape(found.shape).to(dtype)
    (derivative,) = sg.autograd.grad(found, given, weights)
    return found.detach().double().numpy(), derivative.double().numpy()


@pytest.mark.parametrize("kind", ["equal", "drawn"])
@pytest.mark.parametrize("name", CALLS)
def test_long_dimensions(name: str, kind: str, figures: Any) -> None:
    """Values and gradients in float32 are those in float64 of the same numbers, to 3e-5 of the largest."""
    count = LENGTH // (10 if name.endswith("zero") else 1)
    x = np.full(count, 0.7) if kind == "equal" else np.random.default_rng(SEED).random(count) + 0.2
    x = x.astype(np.float32).astype(float)
    for what, found, right in zip(
        ("values", "gradient"), both(CALLS[name], x, sg.float32), both(CALLS[name], x, sg.float64), strict=True
    ):
        top = np.abs(right).max()
        error = np.abs(found - right).max() / (top if top > 1e-30 else 1)
        assert error < 3e-5, f"{name}, {kind} numbers, seed {SEED}, {count} of them: {what} are off by {error:.1e}"
    figures("long dimensions", calls=1, elements=count)
