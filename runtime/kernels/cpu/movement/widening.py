"""Plans for indices of int32: they are widened first, then all is as for those of int64."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from ..dtypes.half_plans import UNIT, copied
from ..plan import Narrow, Plan, Step
from .gathering import redirected


def widened_first(plan: Plan, operands: Sequence[Any], outputs: int) -> Plan:
    """The plan behind the calls that widen indices, which it then reads."""
    first = 1 + max([outputs - 1, *[output for step in plan for output, _ in step.results]])
    narrow = [i for i, operand in enumerate(operands) if isinstance(operand, Narrow)]
    if not narrow:
        return plan
    numbers = {i: first + k for k, i in enumerate(narrow)}
    return (
        *[widening(i, number, operands[i]) for i, number in numbers.items()],
        *[redirected(step, numbers) for step in plan],
    )


def widening(operand: int, output: int, index: Narrow) -> Step:
    rows = prod(index.shape), UNIT
    return Step(copied, (operand,), ((output, index.shape),), rows=rows, row=1, indices=(output,))
