"""An estimate of the floating-point operations of an op, from the shapes of its arguments and of its result."""

from __future__ import annotations

from math import prod

from .session import Record

_ARITHMETIC = frozenset(("add", "sub", "mul", "div"))
# Two operations for each element of the result and each element of what is summed over: which dimensions of which
# argument those are.
_SUMMED = {
    "mm": (0, slice(-1, None)),
    "bmm": (0, slice(-1, None)),
    "mv": (0, slice(-1, None)),
    "dot": (0, slice(-1, None)),
    "addmm": (1, slice(-1, None)),
    "baddbmm": (1, slice(-1, None)),
    "addmv": (1, slice(-1, None)),
    "linear": (1, slice(-1, None)),
    "convolution": (1, slice(1, None)),
}


def estimate(record: Record) -> int:
    """The number of operations; 0 where there is no rule for the op."""
    if record.output is None:
        return 0
    name, size = record.name.rpartition("::")[2].removesuffix("_"), prod(record.output)
    if name in _ARITHMETIC:
        return size
    if name not in _SUMMED:
        return 0
    argument, dims = _SUMMED[name]
    return 2 * size * prod(record.inputs[argument].dims[dims])
