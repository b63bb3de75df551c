"""Where objects keep their slots, as distances in bytes from their addresses: measured, not assumed."""

from __future__ import annotations

import ctypes
import sys
import sysconfig
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..autograd.engine.engine import BackwardPass
from ..autograd.engine.inputs import Capture
from ..autograd.node import Node, Output
from ..modes.intercept import Watch
from ..tensor.base import TensorBase, fresh_class
from .setting import ENABLED

DTYPES = [np.dtype(kind) for kind in (np.float32, np.float64, np.bool_, np.int64)]


def slot_distances(kind: type, names: Iterable[str]) -> list[int]:
    """The distance of each slot of a class: where an object of its own stands after it has been stored there."""
    thing: Any = object.__new__(kind)
    found = []
    for name in names:
        mark = object()
        setattr(thing, name, mark)
        words = words_of(thing, kind.__basicsize__)
        found.append(8 * words.index(id(mark)))
    return found


def words_of(thing: Any, size: int) -> list[int]:
    """The words of an object's memory."""
    return list((ctypes.c_int64 * (size // 8)).from_address(id(thing)))


class TensorSlots(NamedTuple):
    """The slots of a tensor."""

    flat: int
    storage: int
    shape: int
    dtype: int
    device: int
    offset: int
    rg: int
    nd: int
    strides: int
    fn: int
    grad: int
    base: int
    writes: int
    hooks: int
    views: int
    tangent: int


class NodeSlots(NamedTuple):
    """The slots that all nodes have."""

    sequence: int
    hooks: int
    metas: int
    edges: int


class OutputSlots(NamedTuple):
    """The slots of an edge to one of several outputs."""

    number: int
    node: int


class PassSlots(NamedTuple):
    """The slots of a backward pass."""

    buffers: int
    capture: int
    create: int
    heap: int
    hooked: int
    retain: int


class CaptureSlots(NamedTuple):
    """The slot of a capture that is read."""

    special: int


class WatchSlots(NamedTuple):
    """The slot of `watch` that is read."""

    active: int


def _slots(kind: type, record: Any, prefix: str = "") -> Any:
    return record(*slot_distances(kind, [prefix + name for name in record._fields]))


TYPE, REFERENCES = 8, 0  # of any object
NUMBER = 16  # the value of a float
DATA, SIZES, STEPS, DESCR, FLAGS = 16, 32, 40, 56, 64  # of an array, the second and third as addresses
ELEMENT = 40  # the bytes of an element, in NumPy's description of it
LENGTH = 16  # how many items a tuple has


def items_distance() -> int:
    """Where the items of a tuple begin, which is another place from CPython 3.14 on."""
    mark = object()
    return 8 * words_of((mark,), tuple.__basicsize__ + 8).index(id(mark))


ITEMS = items_distance()


def supported() -> bool:
    """Whether native code is wanted, and runs here: on CPython of 64 bits, with its lock, that is no debug build."""
    plain = sys.implementation.name == "cpython" and sys.maxsize > 2**32 and object.__basicsize__ == 16
    locked = not sysconfig.get_config_var("Py_GIL_DISABLED")
    registers = sys.platform != "win32"  # where numbers are passed by place, not in registers of their own
    number = 1.5
    numbers = ctypes.c_double.from_address(id(number) + NUMBER).value == number
    lengths = ctypes.c_int64.from_address(id((None,) * 7) + LENGTH).value == 7
    elements = all(ctypes.c_int64.from_address(id(kind) + ELEMENT).value == kind.itemsize for kind in DTYPES)
    return ENABLED and plain and locked and registers and numbers and lengths and elements


TENSOR: TensorSlots = _slots(fresh_class() or TensorBase, TensorSlots, "_")
NODE: NodeSlots = _slots(Node, NodeSlots)
OUTPUT = OutputSlots(*slot_distances(Output, ["index", "node"]))
PASS: PassSlots = _slots(BackwardPass, PassSlots)
CAPTURE: CaptureSlots = _slots(Capture, CaptureSlots)
WATCH: WatchSlots = _slots(Watch, WatchSlots)
