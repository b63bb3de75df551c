"""What attacks share: the figures that they leave, printed when all tests have run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from .amount import FULL, SEED

FIGURES = "attack"


@pytest.fixture
def figures(request: pytest.FixtureRequest) -> Callable[..., None]:
    """figures("bad calls", calls=1000, refused=900): what an attack has done; equal names add up."""

    def note(attack: str, **counts: int) -> None:
        request.node.user_properties.append((FIGURES, (attack, counts)))  # pytest-xdist hands these on

    return note


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Print the figures of all attacks."""
    sums: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        for name, value in getattr(report, "user_properties", ()):
            if name == FIGURES and report.when == "call":
                for what, count in value[1].items():
                    sums[value[0]][what] += count
    if sums:
        terminalreporter.section(f"attacks, {'all' if FULL else 'a sample'}, seed {SEED}")
    for attack, counts in sorted(sums.items()):
        terminalreporter.line(f"{attack}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items()))
