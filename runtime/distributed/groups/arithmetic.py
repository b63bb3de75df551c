"""How numbers of ranks are joined: by MPI where it knows the dtype and gives all ranks the same bits, else here.

Here the terms are joined in the order of the ranks, narrow floats in float32, rounded once: the same bits in every run.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .reduce_op import RedOpType, ReduceOp

_OF_NUMBERS = {
    "SUM": "SUM",
    "AVG": "SUM",
    "PREMUL_SUM": "SUM",
    "PRODUCT": "PROD",
    "MIN": "MIN",
    "MAX": "MAX",
    "BAND": "BAND",
    "BOR": "BOR",
    "BXOR": "BXOR",
}
_OF_BITS = {"SUM": "BOR", "MAX": "BOR", "PRODUCT": "BAND", "MIN": "BAND", "BAND": "BAND", "BOR": "BOR", "BXOR": "BXOR"}
_JOIN: dict[str, Callable[..., Any]] = {
    "SUM": np.add,
    "PROD": np.multiply,
    "MIN": np.minimum,
    "MAX": np.maximum,
    "BAND": np.bitwise_and,
    "BOR": np.bitwise_or,
    "BXOR": np.bitwise_xor,
}
_ONLY_BITS = (RedOpType.BAND, RedOpType.BOR, RedOpType.BXOR)
_ORDERED = (RedOpType.MIN, RedOpType.MAX)


class Arithmetic:
    """How a way of joining works on a dtype.

    Args:
        call: who asks, for errors.
        op: the way.
        kind: the NumPy dtype of the numbers.
        size: how many ranks there are.

    Raises:
        ValueError: complex numbers have no order, dtypes without arithmetic no sum.
        RuntimeError: bits of what are no whole numbers, or the mean of what are.
    """

    def __init__(self, call: str, op: ReduceOp, kind: np.dtype, size: int) -> None:
        _check(call, op.op, kind)
        bits = kind.kind == "b"
        self.name = op.op.name
        self.factor = op.factor
        self.size = size
        self.kind = np.dtype(np.uint8) if bits else kind  # what the bytes of the numbers are read as
        self.wide = np.dtype(np.float32) if _narrow(kind) else self.kind
        self.operation = (_OF_BITS if bits else _OF_NUMBERS)[self.name]
        # MPI's minimum of NaN depends on who asks first: then ranks would differ.
        unordered = op.op in _ORDERED and kind.kind in "fV"
        self.by_transport = bits or (self.wide == kind and not unordered)

    def before(self, values: np.ndarray) -> np.ndarray:
        """What a rank gives: its numbers, times the factor."""
        return values if self.factor is None else (values.astype(self.wide) * self.factor).astype(self.wide)

    def after(self, values: np.ndarray) -> np.ndarray:
        """Make of joined numbers what was asked for, in place."""
        if self.name == "AVG" and self.size & (self.size - 1):
            values /= np.asarray(self.size, values.dtype)
        elif self.name == "AVG":
            values *= np.asarray(1 / self.size, values.dtype)  # the same numbers for powers of two, and no division
        return values

    def reduced(self, terms: Iterable[np.ndarray]) -> np.ndarray:
        with np.errstate(all="ignore"):
            total = functools.reduce(_JOIN[self.operation], (term.astype(self.wide) for term in terms))
            return self.after(total).astype(self.kind, copy=False)


def _narrow(kind: np.dtype) -> bool:
    """Floats that sums are not rounded to on the way; those of ml_dtypes have the kind "V"."""
    return kind.kind in "fV" and kind.itemsize < np.dtype(np.float32).itemsize


def _check(call: str, op: RedOpType, kind: np.dtype) -> None:
    if kind.names:
        raise ValueError(f"{call}(): numbers of dtype complex32 can be moved but not joined: convert them to complex64")
    if kind.kind == "c" and op in (*_ORDERED, *_ONLY_BITS, RedOpType.PRODUCT):
        raise ValueError(f"{call} does not support RedOpType.{op.name} on complex tensors")
    if op in _ONLY_BITS and kind.kind not in "iub":
        raise RuntimeError(f"Cannot use ReduceOp.{op.name} with non-integral dtype")
    if op in (RedOpType.AVG, RedOpType.PREMUL_SUM) and kind.kind in "iub":
        raise RuntimeError(f"{call}(): ReduceOp.{op.name} is for floating-point and complex dtypes, not {kind}")
