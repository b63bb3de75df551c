"""Gradients of every op can be differentiated by all that they depend on, once and twice, in steps too."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.errors import NotDifferentiableError

from .calls import BY_NAME, NAMES, Style, arguments, call, call_sources, tensors_of, weighted_sum

STYLE = Style(sg.float64, grad=True)
FLOATS = [name for name in NAMES if "float" in BY_NAME[name].dtypes]


def called(name: str, text: str, moved: dict[int, int] | None = None) -> tuple[list[Any], Any]:
    """The inputs of a call that have gradients, some of them moved so many steps, and a number made of the outputs."""
    given = arguments(name, text, STYLE)
    inputs = [t for t in tensors_of(given) if t.requires_grad]
    for i, steps in (moved or {}).items():
        with sg.no_grad():
            inputs[i].add_(step(inputs[i].numpy()), alpha=steps)
    sg.manual_seed(0)
    return inputs, weighted_sum(call(BY_NAME[name], given))


def step(values: np.ndarray) -> Any:
    """To another element's value, which is as far within the domain, or half the way to 0."""
    other = np.roll(values.reshape(-1), 1).reshape(values.shape)
    return sg.tensor((values * 0.5 if np.array_equal(other, values) else other) - values)


def mixed_difference(name: str, text: str, i: int, j: int) -> float:
    """f(x + d, y + e) - f(x + d, y) - f(x, y + e) + f(x, y): 0 where the derivative by x does not depend on y.

    Nothing is known, and 0 returned, where one of them is not finite."""
    corners = [{}, {i: 1}, {i: 1}, {i: 2}] if i == j else [{}, {i: 1}, {j: 1}, {i: 1, j: 1}]
    values = [float(called(name, text, moved)[1]) for moved in corners]
    difference = values[0] - values[1] - values[2] + values[3]
    known = np.isfinite(values).all() and abs(difference) >= 1e-9 * (1 + sum(map(abs, values)))
    return difference if known else 0.0


def unconnected(name: str, text: str) -> list[tuple[int, int]]:
    """The pairs of inputs of which both have gradients, but that of the first is not differentiable by the second."""
    inputs, total = called(name, text)
    if total is None or not inputs:
        return []
    first = sg.autograd.grad(total, inputs, create_graph=True, allow_unused=True)
    used = [i for i, g in enumerate(first) if g is not None]
    return [(i, j) for i in used for j in sorted({*used} - derivatives(first[i], inputs))]


def derivatives(gradient: Any, inputs: list[Any]) -> set[int]:
    """The inputs by which a gradient is differentiable; of the derivative every part is differentiated again."""
    total = weighted_sum((gradient,))
    if not gradient.requires_grad or total is None:
        return set() if gradient.numel() else set(range(len(inputs)))
    second = sg.autograd.grad(total, inputs, create_graph=True, allow_unused=True)
    for part in second:
        if part is not None and part.requires_grad and part.numel():
            sg.autograd.grad(weighted_sum((part,)), inputs, retain_graph=True, allow_unused=True)
    return {j for j, part in enumerate(second) if part is not None}


@pytest.mark.parametrize("name", FLOATS)
def test_gradients_are_differentiable(name: str) -> None:
    """A gradient that depends on an input, perhaps in steps, is in the graph as depending on it."""
    for text in call_sources(BY_NAME[name]):
        try:
            pairs = unconnected(name, text)
        except NotDifferentiableError:  # an entry that says once_differentiable or not_implemented
            continue
        for i, j in pairs:
            difference = attempted_difference(name, text, i, j)
            assert difference == 0, f"{text}: gradient {i} depends on input {j}: {difference}"


def attempted_difference(name: str, text: str, i: int, j: int) -> float:
    """Of an argument that may not be moved, as the target of a binary cross entropy, nothing is known."""
    try:
        return mixed_difference(name, text, i, j)
    except RuntimeError:
        return 0.0
