"""Tuples, read and filled without a call: by where CPython keeps their items.

Who reads knows that it has a tuple, and how long it is. In check mode CPython's own functions look, and the process
ends where that was wrong.
"""

from __future__ import annotations

from ..kernels.llvm.memory import load, native, store
from . import c_functions as c
from .layout import ITEMS, LENGTH
from .setting import CHECKING


@native
def tuple_item(items, i):
    """An item, borrowed."""
    if CHECKING and c.tuple_item(items, i) == 0:
        c.abort()
    return load(items, ITEMS + 8 * i)


@native
def tuple_size(items):
    """How many items there are."""
    if CHECKING and c.tuple_size(items) < 0:
        c.abort()
    return load(items, LENGTH)


@native
def put_item(items, i, item):
    """Put an item into a new tuple that nobody has read yet, and whose place is empty; the reference is handed over."""
    if CHECKING and (i >= c.tuple_size(items) or load(items, ITEMS + 8 * i) != 0):
        c.abort()
    store(items, ITEMS + 8 * i, item)
