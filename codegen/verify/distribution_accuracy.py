"""The largest errors of distributions for docs/accuracy.md: as the tests measure them, beside those of PyTorch."""

import importlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np

from .calls.units import DTYPES

HEAD = """
## Distributions

Errors are in units of the rounding of the result and of the inputs: what the true value changes by when each of them
moves by its own rounding. `gradient` is the worst of the derivatives by the value and by each parameter.
"""
COLUMNS = ("distribution", "function", *(f"{who}{dtype} {kind}" for who in ("", "PyTorch ") for dtype in DTYPES
           for kind in ("value", "gradient")))  # fmt: skip


def section() -> str:
    rows = (COLUMNS, ["---"] * len(COLUMNS), *lines())
    exceptions = importlib.import_module("tests.nn.distributions.references").EXCEPTIONS
    why = [f"- `{name}`, {quantity}: {reason}" for (name, quantity), (_, reason) in exceptions.items()]
    return "\n".join([HEAD, *(f"| {' | '.join(row)} |" for row in rows), "\n### Exceptions\n", *why]) + "\n"


def lines() -> Iterator[Sequence[str]]:
    errors = importlib.import_module("tests.nn.distributions.errors")
    libraries = [errors.sg, *([importlib.import_module("torch")] if find_spec("torch") else [])]
    for name, reference in errors.REFERENCES.items():
        all_worst = [errors.worst_errors(name, np.dtype(dtype), each) for each in libraries for dtype in DTYPES]
        for function in reference.formulas:
            yield name, function, *(cell for worst in all_worst for cell in cells(worst, function))


def cells(worst: Mapping[str, Any], function: str) -> tuple[str, str]:
    gradients = [each.error for quantity, each in worst.items() if quantity.startswith(f"d {function} / ")]
    value = worst[function].error if function in worst else None
    return shown(value), shown(max(gradients, default=None))


def shown(units: float | None) -> str:
    if units is None:
        return ""
    return "wrong" if units > 1e6 else f"{units:.2g}" if units < 10 else f"{units:.0f}"
