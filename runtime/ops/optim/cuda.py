"""Update rules of optimizers on a device: what a launch over several parameters computes of each element."""

from __future__ import annotations

from functools import cache
from typing import Any

from ...kernels.cuda.kernel import Target
from ...kernels.cuda.several import Change, scalar
from . import rules

# Texts name these; a kernel has its own in their place.
element: Any = None
uphill: Any = None


def step_of(values: Any, numbers: Any) -> Any:
    g = uphill(values[1], values[0], numbers[0], numbers[1])
    return element(values[0], g, *values[2:], *numbers[2:])


@cache
def change_of(name: str, arrays: int) -> Change:
    """The change that a rule of `rules.py` makes to a parameter and its estimates; the gradient stays as it is.

    The first numbers are the sign and the weight decay of `uphill`, and so are the first settings.
    """
    rule = getattr(rules, name)

    def compute(target: Target) -> Any:
        return target.device(step_of, uphill=scalar(target, rules.uphill), element=scalar(target, rule))

    written = (True, False, *[True] * (arrays - 2))
    return Change(compute, written, getattr(rules, f"{name}_numbers"), getattr(rules, f"{name}_counts", None))
