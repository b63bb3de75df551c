"""Collectives on arrays as requests of links: each yields those, and holds the arrays meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..transport.link import Link, Request
from .arithmetic import Arithmetic
from .work import Steps, raw

Then = Callable[[], object]  # what is done when contents are there: copies to where they belong


def all_reduce(link: Link, values: np.ndarray, how: Arithmetic, then: Then) -> tuple[Steps, int]:
    """Join in place. Returns the steps and how many requests they begin."""
    if link.size == 1:
        return _alone(values, how, then), 0
    return (
        (_reduced_by_link(link, values, how, then), 1) if how.by_transport else (_reduced(link, values, how, then), 2)
    )


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
    value = how.before(values) if link.rank != root or not how.by_transport else values
    if how.by_transport:
        if how.factor is not None and link.rank == root:
            values[...] = how.before(values)
        yield link.reduce(values if link.rank == root else value, how.operation, root)
        if link.rank == root:
            how.after(values)
    else:
        terms = np.empty((link.size, value.size), value.dtype) if link.rank == root else None
        yield link.gather(None if terms is None else raw(terms), raw(value), root)
        if terms is not None:
            values[...] = how.reduced(terms)
    then()


def reduce_scatter(link: Link, into: np.ndarray, value: np.ndarray, how: Arithmetic, then: Then) -> Steps:
    """Send each rank its part, and join what comes in the order of the ranks."""
    value = how.before(value)
    terms = np.empty((link.size, into.size), value.dtype)
    sizes = [into.size * value.itemsize] * link.size
    yield link.all_to_all(raw(terms), sizes, raw(value), sizes)
    into[...] = how.reduced(terms)
    then()


def broadcast(link: Link, values: np.ndarray, root: int, then: Then) -> Steps:
    yield link.broadcast(raw(values), root)
    then()


def all_gather(link: Link, every: np.ndarray, own: np.ndarray, then: Then) -> Steps:
    yield link.all_gather(raw(every), raw(own))
    then()


def gather(link: Link, every: np.ndarray | None, own: np.ndarray, root: int, then: Then) -> Steps:
    yield link.gather(None if every is None else raw(every), raw(own), root)
    then()


def scatter(link: Link, own: np.ndarray, every: np.ndarray | None, root: int, then: Then) -> Steps:
    yield link.scatter(raw(own), None if every is None else raw(every), root)
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


def message(request: Callable[[], Request], then: Then) -> Steps:
    yield request()
    then()
