"""Integers beside tensors of integers that cannot hold them: compared exactly, wrapped in arithmetic, or rejected.

PyTorch takes Python's integers from -2^63 to 2^64 - 1 modulo 2^bits in arithmetic. A value to be written, as in
`where`, and an argument such as `alpha` have to fit. Comparisons are those of mathematics, as NumPy 2 has them: there
a number beyond all of the dtype becomes an infinity."""

import functools
from math import inf
from typing import Any

from ..tensor.dtypes import dtype, float64, iinfo, promote_types, uint64
from ..tensor.tensor import TensorBase
from .shape_rules import fitting_number

MIN_INTEGER, MAX_INTEGER = -(2**63), 2**64 - 1  # what PyTorch takes


def as_integers(op: Any, name: str, operands: tuple[Any, ...], computed: dtype) -> tuple[tuple[Any, ...], dtype]:
    """The operands with Python's integers made to fit, and the dtype to compute in."""
    if op.result_dtypes[0] == "bool":
        computed = compared_in(operands, computed)
        beyond = [type(v) is int and not holds(computed, v) for v in operands]
        infinite = tuple([(inf if v > 0 else -inf) if b else v for v, b in zip(operands, beyond, strict=True)])
        return (infinite, float64) if any(beyond) else (operands, computed)
    fit = fitted if op.raw else wrapped_integer
    return tuple(
        [v if type(v) is not int or holds(computed, v) else fit(name, v, computed) for v in operands]
    ), computed


def compared_in(operands: tuple[Any, ...], computed: dtype) -> dtype:
    """A dtype for the integers of 0-d tensors too, where there is one."""
    own = {v._dtype for v in operands if isinstance(v, TensorBase) and v._dtype.kind == "i"}
    return computed if uint64 in own else functools.reduce(promote_types, own, computed)


def holds(kind: dtype, value: int) -> bool:
    return kind.kind == "b" or iinfo(kind).min <= value <= iinfo(kind).max


def fitted(name: str, value: int, computed: dtype) -> int:
    return int(fitting_number(name, "value", value, computed))


def wrapped_integer(name: str, value: int, computed: dtype) -> int:
    """The integer modulo 2^bits.

    Raises:
        OverflowError: it has more than 64 bits.
    """
    if not MIN_INTEGER <= value <= MAX_INTEGER:
        raise OverflowError(f"{name}(): the integer {value} does not fit into 64 bits")
    limits = iinfo(computed)
    return (value - limits.min) % 2**limits.bits + limits.min
