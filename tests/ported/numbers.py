"""Numbers that are the same everywhere, for scripts whose results are compared with those of PyTorch."""

import math
from typing import Any

import pytest

import specgrad as torch


def numbers(*shape: int) -> Any:
    """Numbers that look random and are the same everywhere."""
    count = math.prod(shape)
    return torch.sin(torch.arange(count, dtype=torch.float64) * 1.7 + 0.3).float().reshape(shape)


def fixed(model: Any, scale: float = 0.5) -> Any:
    """A module whose parameters are the numbers above."""
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(numbers(*p.shape) * scale)
    return model


def close(values: Any) -> Any:
    return pytest.approx(values, rel=2e-4, abs=2e-5)


def train(model: Any, optimizer: Any, scheduler: Any, steps: int) -> float:
    """Make a model's outputs small; the last loss."""
    for _ in range(steps):
        loss = model(numbers(8, 3)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    return loss.item()
