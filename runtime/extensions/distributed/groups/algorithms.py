"""Collectives on arrays as requests of links: each yields those, and holds the arrays meanwhile.

Numbers are joined by MPI where it knows the dtype and gives all ranks the same bits, else here: in the order of the
ranks, narrow floats in float32, rounded once: the same bits in every run.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from .links import Link, Request
from .reduce_op import RedOpType, ReduceOp
from .work import Steps, raw

_OF_NUMBERS = {name: name for name in ("SUM", "MIN", "MAX", "BAND", "BOR", "BXOR")}
_OF_NUMBERS |= {"AVG": "SUM", "PREMUL_SUM": "SUM", "PRODUCT": "PROD"}
_OF_BITS = {"SUM": "BOR", "MAX": "BOR", "PRODUCT": "BAND", "MIN": "BAND", "BAND": "BAND", "BOR": "BOR", "BXOR": "BXOR"}
JOIN: dict[str, Callable[..., Any]] = {
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
    """How a way of joining, `op`, works on numbers of a NumPy dtype; a ValueError or RuntimeError where it does not."""

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
        return values if self.factor is None else (values.astype(self.wide) * self.factor).astype(self.wide)

    def after(self, values: np.ndarray) -> np.ndarray:
        """In place."""
        if self.name == "AVG" and self.size & (self.size - 1):
            values /= np.asarray(self.size, values.dtype)
        elif self.name == "AVG":
            values *= np.asarray(1 / self.size, values.dtype)  # the same numbers for powers of two, and no division
        return values

    def reduced(self, terms: Iterable[np.ndarray]) -> np.ndarray:
        with np.errstate(all="ignore"):
            total = functools.reduce(JOIN[self.operation], (term.astype(self.wide) for term in terms))
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


Then = Callable[[], object]  # what is done when contents are there: copies to where they belong


def nothing() -> None: ...


def once(then: Then, begin: Callable[..., Request], *args: Any) -> Steps:
    """The steps of a call that is one request of a link."""
    yield begin(*args)
    then()


def all_reduce(link: Link, values: np.ndarray, how: Arithmetic, then: Then) -> tuple[Steps, int]:
    """Join in place: the steps, and how many requests they begin."""
    if link.size == 1:
        return _alone(values, how, then), 0
    if how.by_transport:
        return _reduced_by_link(link, values, how, then), 1
    return _reduced(link, values, how, then), 2


def _alone(values: np.ndarray, how: Arithmetic, then: Then) -> Steps:
    values[...] = how.reduced([how.before(values)])
    then()
    return
    yield


def _reduced_by_link(link: Link, values: np.ndarray, how: Arithmetic, then: Then) -> Steps:
    if how.factor is not None:
        values[...] = how.before(values)
    yield link.all_reduce(values, how.operation)
    how.after(values)
    then()


def _reduced(link: Link, values: np.ndarray, how: Arithmetic, then: Then) -> Steps:
    """Each rank joins one part of all ranks' numbers and tells the others."""
    share = -(-values.size // link.size)
    value = np.zeros(share * link.size, how.wide if how.factor is not None else how.kind)
    value[: values.size] = how.before(values)
    terms = np.empty_like(value)
    sizes = [share * value.itemsize] * link.size
    yield link.all_to_all(raw(terms), sizes, raw(value), sizes)
    every = np.empty(share * link.size, how.kind)
    own = how.reduced(terms.reshape(link.size, share))
    yield link.all_gather(raw(every), raw(own))
    values[...] = every[: values.size]
    then()


def reduce(link: Link, values: np.ndarray, how: Arithmetic, root: int, then: Then) -> Steps:
    """Join at the root, in place; what others have stays."""
    value, here = how.before(values), link.rank == root
    if how.by_transport:
        if here and how.factor is not None:
            values[...] = value
        yield link.reduce(values if here else value, how.operation, root)
        if here:
            how.after(values)
    else:
        terms = np.empty((link.size, value.size), value.dtype) if here else None
        yield link.gather(None if terms is None else raw(terms), raw(value), root)
        if terms is not None:
            values[...] = how.reduced(terms)
    then()


def reduce_scatter(link: Link, into: np.ndarray, value: np.ndarray, how: Arithmetic, then: Then) -> Steps:
    value = how.before(value)
    terms = np.empty((link.size, into.size), value.dtype)
    sizes = [into.size * value.itemsize] * link.size
    yield link.all_to_all(raw(terms), sizes, raw(value), sizes)
    into[...] = how.reduced(terms)
    then()


def all_to_all(
    link: Link,
    into: np.ndarray,
    sizes_in: Sequence[int],
    out: np.ndarray,
    sizes_out: Sequence[int],
    then: Then,
    ranks: Sequence[int],
) -> Steps:
    """A part of each rank's numbers for each; first, how long the parts are, so that those who disagree are told."""
    mine, theirs = np.array(sizes_out, np.int64), np.empty(link.size, np.int64)
    lengths = [mine.itemsize] * link.size
    yield link.all_to_all(raw(theirs), lengths, raw(mine), lengths)
    wrong = [rank for rank in range(link.size) if theirs[rank] != sizes_in[rank]]
    if wrong:
        raise ValueError(
            f"all_to_all: rank {ranks[wrong[0]]} sends {theirs[wrong[0]]} elements to rank {ranks[link.rank]}, which "
            f"expects {sizes_in[wrong[0]]}"
        )
    item = into.itemsize
    yield link.all_to_all(raw(into), [size * item for size in sizes_in], raw(out), [size * item for size in sizes_out])
    then()


def barrier(link: Link) -> Steps:
    yield link.barrier()
