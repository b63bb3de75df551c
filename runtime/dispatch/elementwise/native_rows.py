"""What an op notes for native code: the rows of two layouts, which it finds there from then on."""

from typing import Any

from ...fast_path import fast_path
from ...shapes import Shape
from ...tensor.memory_format import Strides

MAX_ROWS = 4096  # pairs of layouts of one op; then it forgets all of them


def has_rows(op: Any, kind: Any) -> bool:
    """Floats where an op is allowed them, others where it says so."""
    if kind.planned:
        return not op.allowed or "float" in op.allowed
    if kind.kind == "b":
        return "b" in op.integral_kinds
    return kind.kind == "i" and kind.compute is kind and not {"i", "p"}.isdisjoint(op.integral_kinds)


def remember_rows(op: Any, layouts: list[Any], plan: Any, count: int, shape: Shape, strides: Strides | None) -> None:
    """Not of layouts that a number stands for, or without rows."""
    result, key = op.rows, (*layouts[0], *layouts[1])
    if key in result:
        return
    if len(result) >= MAX_ROWS:
        result.clear()
    none = plan is None or not count or len(plan.repeated) > 1
    result[key] = None if none else (fast_path().rows(plan, count, op.kernels.is_long("forward")), shape, strides)
