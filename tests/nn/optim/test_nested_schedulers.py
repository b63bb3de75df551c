"""Schedulers of schedulers of schedulers: each begins as it does alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg

S = sg.optim.lr_scheduler
Make = Callable[[Any], Any]


def rates(make: Make, steps: int) -> list[float]:
    """The step size before each step."""
    optimizer = sg.optim.SGD([sg.zeros(1, requires_grad=True)], lr=0.1)
    scheduler, values = make(optimizer), []
    for _ in range(steps):
        values.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return values


def constant(factor: float) -> Make:
    return lambda o: S.ConstantLR(o, factor, 100)


def sequence(milestones: list[int], *makes: Make) -> Make:
    return lambda o: S.SequentialLR(o, [make(o) for make in makes], milestones)


def chain(optimizer: Any) -> Any:
    return S.ChainedScheduler([S.ConstantLR(optimizer, 0.5, 2), S.ExponentialLR(optimizer, 0.9)])


INNER = {
    "sequence": sequence([2], constant(0.5), constant(0.2)),
    "chain": chain,
    "linear": lambda o: S.LinearLR(o, 0.1, 1.0, 4),
}


@pytest.mark.parametrize("name", INNER)
def test_one_scheduler_without_milestones_changes_nothing(name: str) -> None:
    """Nor do two of them, one in the other."""
    alone = rates(INNER[name], 6)
    assert rates(sequence([], INNER[name]), 6) == pytest.approx(alone)
    assert rates(sequence([], sequence([], INNER[name])), 6) == pytest.approx(alone)


@pytest.mark.parametrize("name", INNER)
def test_before_and_after_a_milestone(name: str) -> None:
    """The first of two ends there, the second begins at its own first epoch."""
    alone = rates(INNER[name], 6)
    assert rates(sequence([3], constant(0.1), INNER[name]), 9) == pytest.approx([0.01] * 3 + alone)
    assert rates(sequence([3], INNER[name], constant(0.1)), 6) == pytest.approx(alone[:3] + [0.01] * 3)
    assert rates(sequence([4], INNER[name], INNER[name]), 8) == pytest.approx(alone[:4] * 2)
