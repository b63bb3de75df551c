"""Tensors and their arrays in native code, as runtime/tensor/tensor.py has them in Python; does this thread record?"""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, Stolen, atomic_xchg, cast, native, new, rare
from ...compiler.language.memory import BFLOAT16, BOOL, COMPLEX, FLOAT16, INT32, INTEGERS, KINDS, itemsize
from . import c_api as c
from . import interned
from .interned import array_type, bfloat16, cpu, dtype_table, int_type, none, tensor_type, thread_state, true, zero
from .kernel_call import Size
from .layout import Array, Dict, DType, List, Object, Tensor, Tuple
from .references import Owned, item, own_new, pair, retain, size
from .result_memory import new_large

EQ = 2  # Py_EQ


@native
def is_tensor_anywhere(obj: Object) -> bool:
    """Whether an object is a tensor whose slots have been filled: one of vmap's examples has properties in their place,
    one that `__new__` alone has made has nothing in them. What carries tangents is for the general path."""
    # The usual class first: no call. `requires_grad` is filled last.
    known = obj.type is tensor_type or c.set_has(interned.plain_classes, obj.type) == 1
    return known and cast(Tensor, obj).requires_grad is not NULL and cast(Tensor, obj).tangent is none


@native
def is_tensor(obj: Object) -> bool:
    return is_tensor_anywhere(obj) and cast(Tensor, obj).device is cpu


@native
def same(first: Object, second: Object) -> bool:
    return first is second or c.equal(first, second, EQ) == 1


@native
def only_ints(sizes: Tuple) -> bool:
    """Whether a tuple holds ints alone: 1.0 and True are equal to 1, but no sizes."""
    others = 0
    for i in range(size(sizes)):
        others += item(sizes, i).type is not int_type
    return others == 0


@native
def is_int_or_ints(argument: Object) -> bool:
    is_tuple = argument.type is interned.tuple_type
    return argument.type is int_type or (is_tuple and only_ints(cast(Tuple, argument)))


@native
def kind_of(dtype: Object) -> int:
    if dtype is interned.float32:
        return 0
    if dtype is interned.float64:
        return 1
    if dtype is interned.bool_:
        return BOOL
    if dtype is bfloat16:
        return BFLOAT16
    if dtype is interned.float16:
        return FLOAT16
    return INTEGERS if dtype is interned.int64 else -1


@native
def any_kind_of(dtype: Object) -> int:
    known = kind_of(dtype)
    if known >= 0:
        return known
    for kind in range(INT32, KINDS):
        if dtype_table.ours[kind] is dtype:
            return kind
    return -1


@native
def kind_of_number(dtype: Object) -> int:
    if dtype is interned.complex64:
        return COMPLEX
    return COMPLEX + 1 if dtype is interned.complex128 else any_kind_of(dtype)


@native
def dtype_of(kind: int) -> DType:
    return dtype_table.ours[kind]


@native
def elements(flat: Array) -> int:
    return flat.shape[0]


@native
def holds_kind(flat: Array, kind: int) -> bool:
    """Whether the elements of an array take as many bytes as those of a kind: its tensor may just be changing."""
    return flat.descr.itemsize == itemsize(kind)


@native
def new_flat(count: int, kind: int) -> New[Array]:
    """A flat array, not filled."""
    return new_array(count, itemsize(kind), dtype_table.numpy[kind])


@native
def owned_flat(count: int, kind: int, owned: Owned) -> Array:
    """A flat array, owned, not filled; NULL, and no error, without memory."""
    flat = own_new(owned, new_flat(count, kind))
    if flat is NULL:
        c.clear_error()
    return flat


@native
def new_array(count: int, itemsize: int, descr: Object) -> New[Array]:
    shape, size = new(Size).items, count * itemsize
    shape[0] = count
    if size >= interned.new_memory.min_bytes:
        made = new_large(descr, shape, size)
        if made is not NULL:
            return made
        c.clear_error()  # NumPy may yet find memory, or says that there is none
    return c.new_array(array_type, retain(descr), 1, shape, 0, 0, 0, 0)


@native
def new_tensor(flat: Stolen[Array], shape: Tuple, dtype: DType) -> New[Tensor]:
    return new_tensor_on(cpu, flat, shape, dtype)


@native
def new_tensor_on(device: Object, flat: Stolen[Object], shape: Tuple, dtype: DType) -> New[Tensor]:
    tensor = cast(Tensor, c.allocate(tensor_type, 0))
    if tensor is NULL:
        c.release(flat)  # stolen: nobody else would release it
        return NULL
    tensor.array = retain(none)
    tensor.strides = retain(none)
    tensor.grad_fn = retain(none)
    tensor.grad = retain(none)
    tensor.base = retain(none)
    tensor.version_counter = cast(List, retain(none))
    tensor.hooks = retain(none)
    tensor.views = retain(none)
    tensor.tangent = retain(none)
    tensor.flat = cast(Array, flat)  # or an array of a device, which native/cuda/layout.py describes
    tensor.storage = cast(Array, retain(flat))
    tensor.shape = retain(shape)
    tensor.dtype = retain(dtype)
    tensor.device = retain(device)
    tensor.offset = retain(zero)
    tensor.made = retain(c.list_item(interned.newest_call, 0))
    tensor.requires_grad = retain(interned.false)  # the last: see is_tensor
    if interned.inferring.size != 0:
        note_inference(tensor)
    return tensor


@rare
@native
def note_inference(tensor: Tensor) -> None:
    if in_inference_mode():
        c.release(atomic_xchg(tensor, "version_counter", retain(interned.untracked)))


@rare
@native
def in_inference_mode() -> bool:
    state = state_of_thread(interned.name_inference)
    if state is NULL:
        c.clear_error()
    return state is true


@native
def not_handled() -> New[Object]:
    return retain(none)


@native
def refused() -> New[Object]:
    """The answer where something failed: NULL with an error, else the general path is for the call."""
    return not_handled() if c.error_set() is NULL else NULL


@native
def withdrawn(result: Stolen[Object]) -> New[Object]:
    """Release a result that could not be recorded; None where another attempt is due, NULL where an error is set."""
    c.release(result)
    return refused()


@native
def meta_of(tensor: Tensor) -> New[Tuple]:
    shape, dtype = retain(tensor.shape), retain(tensor.dtype)  # `pair` allocates, and the slots may change there
    meta = pair(shape, dtype)
    c.release(shape)
    c.release(dtype)
    return meta


@native
def new_writes() -> New[List]:
    version_counter = c.new_list(2)
    if version_counter is not NULL:
        c.set_list_item(version_counter, 0, retain(zero))  # steals, as the items of a new list are owned by it
        c.set_list_item(version_counter, 1, retain(interned.empty_string))
    return version_counter


@native
def shared_writes(tensor: Tensor) -> New[List]:
    if tensor.version_counter is none:
        version_counter = new_writes()
        if version_counter is NULL:
            return NULL
        if tensor.version_counter is none:  # still: a finalizer may have written to it
            c.release(atomic_xchg(tensor, "version_counter", retain(version_counter)))
            return version_counter
        c.release(version_counter)
    return retain(tensor.version_counter)


@native
def state_of_thread(name: Object) -> Object:
    """True, False or None: what `mode` has by this name in this thread; NULL where an error is set."""
    if c.thread_number(c.thread_state()) != thread_state.number:  # to ask `mode` each time takes as long as a small op
        return state_of_other_thread(name)
    return c.dict_item(thread_state.attributes, name)


@rare
@native
def state_of_other_thread(name: Object) -> Object:
    """`state_of_thread` in another thread than that which asked last: it becomes the one whose attributes are known."""
    attributes = cast(Dict, c.attribute(interned.mode, interned.name_dict))
    if attributes is NULL:
        return NULL
    number = c.thread_number(c.thread_state())
    before = atomic_xchg(thread_state, "attributes", attributes)
    thread_state.number = number  # nothing was called since the line before, so no other thread got in between
    answer = c.dict_item(attributes, name)
    c.release(before)  # only now: another thread may run, and put its own in their place
    return answer


@native
def recording() -> int:
    """Whether this thread records graphs, 2 for None: in a backward pass that records nothing; -1 for an error."""
    state = state_of_thread(interned.name_grad)
    if state is NULL:
        return -1
    if state is none:  # None is for backward passes: nothing is recorded, and views are not noted either
        return 2
    return 1 if state is true else 0


@native
def records() -> int:
    state = recording()
    return 0 if state == 2 else state
