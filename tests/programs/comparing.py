"""What is not the same in two runs of a program, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from .running import Run, Seen


def differences(found: Run, requested: Run) -> list[str]:
    """All that is different: the class of an error, a fact about a tensor, a gradient."""
    errors = zip([*found.lines, *found.ends], [*requested.lines, *requested.ends], strict=True)
    sources = [
        f"line {number}: {name(error)} instead of {name(other)}"
        for number, (error, other) in enumerate(errors, 1)
        if not same_error(error, other)
    ]
    return [*sources, *different_tensors(found, requested), *different_gradients(found, requested)]


def different_tensors(found: Run, requested: Run) -> Iterator[str]:
    """Facts about tensors."""
    for number, pair in enumerate(zip(found.tensors, requested.tensors, strict=True)):
        if any(facts is None for facts in pair):  # a line that should have made it failed
            continue
        for field, fact, other in zip(Seen._fields, *pair, strict=True):
            if not same(fact, other):
                yield f"t{number}.{field}: {fact} instead of {other}"


def different_gradients(found: Run, requested: Run) -> Iterator[str]:
    """Gradients after each end."""
    for end, pair in enumerate(zip(found.grads, requested.grads, strict=True), 1):
        for leaf, (grad, other) in enumerate(zip(*pair, strict=False)):
            if not same(grad, other):
                yield f"gradient of leaf {leaf} after end {end}: {grad} instead of {other}"


def same_error(found: Any, requested: Any) -> bool:
    """Whether who expects one error catches the other."""
    return found is requested if found is None or requested is None else issubclass(found, requested)


def same(found: Any, requested: Any) -> bool:
    """Whether two facts agree, numbers up to rounding."""
    if isinstance(found, np.ndarray) and isinstance(requested, np.ndarray):
        return found.shape == requested.shape and np.allclose(found, requested, rtol=1e-7, atol=1e-9)
    if isinstance(found, list) and isinstance(requested, list):
        return len(found) == len(requested) and all(map(same, found, requested))
    if isinstance(found, type) and isinstance(requested, type):
        return same_error(found, requested)
    return type(found) is type(requested) and bool(found == requested)


def name(error: Any) -> str:
    """An error's class, or that there was none."""
    return "no error" if error is None else error.__name__
