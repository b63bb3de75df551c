"""The objects that native code reads, as classes of their fields: their distances are measured, not assumed."""

from __future__ import annotations

import ctypes
import functools
import sys
import sysconfig
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from ...autograd.captured_inputs import Capture as PythonCapture
from ...autograd.engine import BackwardPass
from ...autograd.node import Node as PythonNode
from ...autograd.node import Output as PythonOutput
from ...compiler.language.expressions import ENABLED
from ...compiler.language.structs import Int32, Items, Memory, Pointer, Struct, at, fields
from ...device.device import device as PythonDevice
from ...tensor.generator import Generator as PythonGenerator
from ...tensor.observers import Watch as PythonWatch
from ...tensor.tensor import TensorBase, tensor_class

C = TypeVar("C", bound=type)
DTYPES = [np.dtype(kind) for kind in (np.float32, np.float64, np.bool_, np.int64)]
TYPE_SLOTS = 40  # of a class, in which its function for attributes is found
FLOAT_VALUE, ARRAY_SHAPE, DESCR_ITEMSIZE, TUPLE_SIZE, ARRAY_HANDLER = 16, 32, 40, 16, 88


def slot_distances(kind: type, names: Iterable[str]) -> list[int]:
    """The distance of each slot of a class: where an object of its own stands after it has been stored there."""
    obj: Any = object.__new__(kind)
    matches = []
    for name in names:
        mark = object()
        object.__setattr__(obj, name, mark)
        seed_and_offset = slots_of(obj, kind.__basicsize__)
        matches.append(8 * seed_and_offset.index(id(mark)))
        object.__delattr__(obj, name)
    return matches


def slots_of(obj: Any, size: int) -> list[int]:
    return list((ctypes.c_int64 * (size // 8)).from_address(id(obj)))


def measured(kind: type, prefix: str = "") -> Callable[[C], C]:
    def decorate(cls: C) -> C:
        names = list(cls.__annotations__)
        for name, distance in zip(names, slot_distances(kind, [prefix + name for name in names]), strict=True):
            setattr(cls, name, at(distance))
        return cls

    return decorate


def items_distance() -> int:
    """Another place from CPython 3.14 on."""
    mark = object()
    return 8 * slots_of((mark,), tuple.__basicsize__ + 8).index(id(mark))


@functools.cache
def type_slot() -> int:
    """Where a class has its function for attributes: where `object` has the one that CPython exports."""
    plain = ctypes.cast(ctypes.pythonapi.PyObject_GenericGetAttr, ctypes.c_void_p).value
    return 8 * slots_of(object, 8 * TYPE_SLOTS).index(plain or 0)


class Object(Memory):
    references: int = at(0)  # how many there are; from CPython 3.12 on in the lower half of the word
    type: Type = at(8)


class Type(Object): ...


class DType(Object): ...


class Float(Object):
    value: float = at(FLOAT_VALUE)


class Tuple(Object):
    size: int = at(TUPLE_SIZE)
    items: Items[Object] = at(items_distance())


class List(Object):
    """A list, which other threads may change: C functions read its items."""

    size: int = at(TUPLE_SIZE)


class Dict(Object): ...


class Descr(Object):
    itemsize: int = at(DESCR_ITEMSIZE)


class Array(Object):
    memory: int = at(16)
    shape: Pointer[int] = at(ARRAY_SHAPE)
    strides: Pointer[int] = at(40)
    descr: Descr = at(56)
    flags: Int32 = at(64)
    handler: Object = at(ARRAY_HANDLER)


@measured(tensor_class() or TensorBase, "_")
class Tensor(Object):
    flat: Array  # or None
    storage: Array
    shape: Tuple
    dtype: DType
    device: Object
    offset: Object
    requires_grad: Object
    array: Object
    made: Object
    strides: Object
    grad_fn: Object
    grad: Object
    base: Object
    version_counter: List  # or None
    hooks: Object
    views: Object
    tangent: Object


@measured(PythonNode)
class Node(Object):
    sequence: Object
    hooks: Object
    metas: Tuple  # or None
    edges: Tuple


@measured(PythonOutput)
class Output(Object):
    index: Object
    node: Node


@measured(BackwardPass)
class Pass(Object):
    buffers: Dict
    capture: Capture  # or None
    create: Object
    heap: List
    hooked: Object
    retain: Object


@measured(PythonCapture)
class Capture(Object):
    special: Object
    leaves: Dict
    accumulate: Object


@measured(PythonWatch)
class Watch(Object):
    active: Object
    saving: Object
    every: Object
    interceptors: Tuple


class Device(Object):
    kind: Object = at(slot_distances(PythonDevice, ["type"])[0])


@measured(PythonGenerator, "_")
class Generator(Object):
    seed_and_offset: Array


class Counter(Struct):
    value: int


def distances() -> dict[str, list[int]]:
    """All distances that were measured: compiled code depends on them."""
    kinds = (Object, Float, Tuple, Descr, Array, Tensor, Node, Output, Pass, Capture, Watch, Device, Generator)
    return {kind.__name__: [field.distance for field in fields(kind).values()] for kind in kinds}


def supported() -> bool:
    """Whether native code is wanted, and runs here: on CPython of 64 bits, with its lock, that is no debug build."""
    plain = sys.implementation.name == "cpython" and sys.maxsize > 2**32 and object.__basicsize__ == 16
    locked = not sysconfig.get_config_var("Py_GIL_DISABLED")
    registers = sys.platform != "win32"  # where numbers are passed by place, not in registers of their own
    number = 1.5
    numbers = ctypes.c_double.from_address(id(number) + FLOAT_VALUE).value == number
    lengths = ctypes.c_int64.from_address(id((None,) * 7) + TUPLE_SIZE).value == 7
    elements = all(ctypes.c_int64.from_address(id(kind) + DESCR_ITEMSIZE).value == kind.itemsize for kind in DTYPES)
    lookup = hasattr(ctypes.pythonapi, "_PyType_Lookup")
    return ENABLED and plain and locked and registers and numbers and lengths and elements and lookup
