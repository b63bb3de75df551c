"""The objects that native code names: in a table of addresses, which no cached code holds, as they differ by process.

    none: Object = interned(Object, None)

In native code `none` is then the entry of that number. This module alone makes entries: numbers stay the same."""

from __future__ import annotations

import ctypes
import functools
import heapq
from typing import Any, TypeVar

import llvmlite.binding
import numpy as np
from llvmlite import ir

from ...autograd.accumulate_grad import adding as adding_lock
from ...autograd.engine import BackwardPass, Missing
from ...autograd.node import FREED, fit, next_sequence
from ...autograd.node import Node as PythonNode
from ...autograd.node import Output as PythonOutput
from ...autograd.node import in_rows as in_rows_function
from ...autograd.saved_tensors import Packed, unpacked
from ...autograd.view_history import MULTI_VIEW, Nowhere, Outdated, not_recorded
from ...compiler.language.expressions import interrupt as interrupt_hook
from ...compiler.language.functions import WORD, Constant, word_at
from ...compiler.language.memory import FLOATS, KINDS
from ...compiler.language.structs import Items, Memory, Pointer, Struct, capacity
from ...device import device
from ...device.threads.job import ADDRESS, NEVER, Job
from ...device.threads.workers import starter
from ...dispatch.elementwise.general import constant as constant_function
from ...dispatch.view_cache import remember_gradient as remember_gradient_of
from ...shapes import Size
from ...tensor import captured, dtype_views, dtypes, tensor
from ...tensor import grad_mode as inference
from ...tensor.generator import Generator as PythonGenerator
from ...tensor.generator import default_generator as usual_generator
from ...tensor.grad_mode import mode as grad_mode
from ...tensor.observers import watch as watch_object
from .layout import Counter, Dict, DType, Generator, List, Object, Type, Watch

M = TypeVar("M", bound=Memory)
T = TypeVar("T")
MAX_INTERNED = 128


def forever(obj: T) -> T:
    """A thing that is never freed: objects that outlive all modules call native functions when they go."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(obj))
    return obj


_table = forever(np.zeros(MAX_INTERNED, np.int64))
_objects: list[Any] = forever([])
node_plans: dict[type, np.ndarray] = {}  # by the classes of nodes whose gradients are native


def _entry(builder: Any, number: int) -> Any:
    table = builder.module.globals.get("specgrad_interned")
    table = table or ir.GlobalVariable(builder.module, WORD, "specgrad_interned")
    return builder.load(word_at(builder, builder.ptrtoint(table, WORD), WORD(8 * number)))


def interned(cls: type[M], obj: Any) -> M:
    return located(cls, id(obj), obj)


def located(cls: type[M], address: int, owner: Any) -> M:
    """A struct at an address, which native code knows by the name that this is given; its owner is kept."""
    number = len(_objects)
    _objects.append(owner)
    _table[number] = address  # never changes: compiled code reads it at each use, so that it can be cached on disk
    entry: Any = Constant(cls, lambda builder: _entry(builder, number))
    return entry


class ThreadState(Struct):
    """The thread that asked last whether it records, and the attributes of `mode` in it: the reference is owned."""

    number: int
    attributes: Dict


class DeviceFunctions(Struct):
    """Addresses of native functions for tensors of devices, 0 before there is a device."""

    launch: int
    launch_in_place: int
    gradients: int
    launch_kernel_op: int
    planned_gradients: int


class SlotOfAttributes(Struct):
    """CPython's function behind attributes of classes with a `__getattr__`."""

    function: int


class Adding(Struct):
    """The kernel that adds a gradient to that of a leaf: what finds it, and its addresses by kinds."""

    resolver: Object
    kernels: Items[int] = capacity(FLOATS)


PAIRS = KINDS * KINDS


class Converting(Struct):
    """Kernels by pairs of kinds, 0 where none is worth its loading yet; behind all pairs their entries for rows."""

    resolver: Object
    kernels: Items[int] = capacity(2 * PAIRS)


class NewMemory(Struct):
    """Arrays of `min_bytes` have memory of result_memory.py, and name the handler."""

    min_bytes: int
    handler: Object


memory_slots = NewMemory.pack(min_bytes=NEVER)
new_memory = located(NewMemory, memory_slots.ctypes.data, memory_slots)

attribute_slots = SlotOfAttributes.pack()
slot_of_attributes = located(SlotOfAttributes, attribute_slots.ctypes.data, attribute_slots)

adding_slots = Adding.pack()
adding = located(Adding, adding_slots.ctypes.data, adding_slots)

converting_slots = Converting.pack()
converting = located(Converting, converting_slots.ctypes.data, converting_slots)

device_slots = DeviceFunctions.pack()
device_functions = located(DeviceFunctions, device_slots.ctypes.data, device_slots)

_thread_state = ThreadState.pack()
thread_state = located(ThreadState, _thread_state.ctypes.data, _thread_state)
layout_changes = located(Counter, tensor.layout_changes.ctypes.data, tensor.layout_changes)
job = located(Job, ADDRESS, None)

none = interned(Object, None)
true = interned(Object, True)
ellipsis = interned(Object, ...)
false = interned(Object, False)
zero = interned(Object, 0)
empty_string = interned(Object, "")
cpu = interned(Object, device.CPU)
freed = interned(Object, FREED)
mode = interned(Object, grad_mode)
inferring = interned(List, inference.inferring)
calls = interned(List, captured.calls)
newest_call = interned(List, captured.newest)
untracked = interned(List, inference.UNTRACKED)
inference_type = interned(Type, inference.Inference)  # the class of what inference tensors have as a count of writes
watch = interned(Watch, watch_object)
counter = interned(Object, next_sequence.__self__)  # type: ignore[attr-defined]
plans_of_nodes = interned(Dict, node_plans)

float_type = interned(Type, float)
int_type = interned(Type, int)
tuple_type = interned(Type, tuple)
list_type = interned(Type, list)
dict_type = interned(Type, dict)
str_type = interned(Type, str)
slice_type = interned(Type, slice)
array_type = interned(Type, np.ndarray)
tensor_type = interned(Type, tensor.tensor_class())
plain_classes = interned(Object, tensor.plain_classes)
node_type = interned(Type, PythonNode)
output_type = interned(Type, PythonOutput)
pass_type = interned(Type, BackwardPass)
outdated_type = interned(Type, Outdated)  # the class of the edges of views whose use is an error
nowhere_type = interned(Type, Nowhere)
size_type = interned(Type, Size)
device_type = interned(Type, device.device)
generator_type = interned(Type, PythonGenerator)
default_generator = interned(Generator, usual_generator)
default_dtype = interned(List, dtypes.default)
default_device = interned(List, device.default)

_NAMED = (dtypes.float32, dtypes.float64, dtypes.bfloat16, dtypes.float16, dtypes.bool_, dtypes.int64, dtypes.int32)
float32, float64, bfloat16, float16, bool_, int64, int32 = (interned(DType, kind) for kind in _NAMED)
_KINDS = (*_NAMED, dtypes.int16, dtypes.int8, dtypes.uint8, dtypes.complex64, dtypes.complex128)
complex64, complex128 = interned(DType, dtypes.complex64), interned(DType, dtypes.complex128)
_dtypes = np.array([id(kind) for kind in _KINDS])
_numpy_dtypes = np.array([id(kind.np) for kind in _KINDS])

constant = interned(Object, constant_function)
fit_gradient, in_rows = interned(Object, fit), interned(Object, in_rows_function)
multi_views = interned(Object, MULTI_VIEW)
note_not_recorded = interned(Object, not_recorded)
remember_gradient = interned(Object, remember_gradient_of)
drop_dead, storage_as = interned(Object, tensor.drop_dead), interned(Object, dtype_views.storage_as)
begin_adding, end_adding = interned(Object, adding_lock.acquire), interned(Object, adding_lock.release)
start_workers = interned(Object, starter())
interrupt = interned(Object, interrupt_hook)

heap_push, heap_pop = interned(Object, heapq.heappush), interned(Object, heapq.heappop)
packed_type = interned(Type, Packed)
unpacked_node = interned(Object, unpacked)
missing_type = interned(Type, Missing)

str_cpu = interned(Object, "cpu")
name_grad = interned(Object, "grad")
name_inference = interned(Object, "inference")
name_dict = interned(Object, "__dict__")
name_apply = interned(Object, "apply")
name_release = interned(Object, "release")
name_saved_slots = interned(Object, "saved_slots")
name_returns_owned = interned(Object, "returns_owned")
name_output_count = interned(Object, "output_count")
name_deliver_to_leaf = interned(Object, "deliver_to_leaf")
name_deliver = interned(Object, "deliver")
name_deliver_all = interned(Object, "deliver_all")
name_backward = interned(Object, "backward")
name_follow = interned(Object, "follow")
name_note = interned(Object, "note")
name_captures = interned(Object, "captures")
name_depth = interned(Object, "depth")
name_resume = interned(Object, "resume")
name_parameters = interned(Object, "_parameters")
name_modules = interned(Object, "_modules")
name_buffers = interned(Object, "_buffers")


class DTypeTable(Struct):
    ours: Pointer[DType]
    numpy: Pointer[Object]


_table_of_dtypes = DTypeTable.pack(ours=_dtypes.ctypes.data, numpy=_numpy_dtypes.ctypes.data)
dtype_table = located(DTypeTable, _table_of_dtypes.ctypes.data, (_table_of_dtypes, _dtypes, _numpy_dtypes, _KINDS))


@functools.cache
def register() -> None:
    llvmlite.binding.add_symbol("specgrad_interned", _table.ctypes.data)
