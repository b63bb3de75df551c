"""References, arrays and tensors in native code: what `runtime.tensor.fresh` does, on addresses."""

from __future__ import annotations

import sys

from ..kernels.words import load, native, store
from . import c_functions as c
from .layout import REFERENCES, SIZES, TENSOR, TYPE
from .world import W, world

KEEPS_ALL = sys.version_info >= (3, 12)  # None and its like do not count references there, so Python must be asked
UNSET = (
    TENSOR.nd,
    TENSOR.strides,
    TENSOR.fn,
    TENSOR.grad,
    TENSOR.base,
    TENSOR.writes,
    TENSOR.hooks,
    TENSOR.views,
    TENSOR.tangent,
)
EQ = 2  # Py_EQ


@native
def hold(thing):
    """One more reference to an object, which is returned."""
    if KEEPS_ALL:
        c.increment(thing)
    else:
        store(thing, REFERENCES, load(thing, REFERENCES) + 1)
    return thing


@native
def is_held(thing, times):
    """Whether there are just so many references to an object that may be let go."""
    return load(thing, REFERENCES) & 0xFFFFFFFF == times


@native
def the(entry):
    """An object of the world."""
    return load(world(), entry)


@native
def replace(thing, slot, value):
    """Put an object, whose reference is handed over, in the place of another."""
    before = load(thing, slot)
    store(thing, slot, value)
    c.drop(before)


@native
def item_of(items, i):
    """An item of a tuple or a list."""
    return c.tuple_item(items, i) if load(items, TYPE) == the(W.tuple) else c.list_item(items, i)


@native
def size_of(items):
    """The number of items of a tuple or a list, -1 for anything else."""
    kind = load(items, TYPE)
    if kind == the(W.tuple):
        return c.tuple_size(items)
    return c.list_size(items) if kind == the(W.list) else -1


@native
def is_tensor(thing):
    """Whether an object is a tensor with slots of its own: one of vmap's examples has properties in their place."""
    kind = load(thing, TYPE)
    return kind == the(W.tensor) or c.set_has(the(W.plain_classes), kind) == 1


@native
def same(first, second):
    """Whether two shapes, or other plain objects, are equal."""
    return first == second or c.equal(first, second, EQ) == 1


@native
def kind_of(dtype):
    """0 for float32, 1 for float64, 2 for bool, 3 for int64, else -1."""
    if dtype == the(W.float32):
        return 0
    if dtype == the(W.float64):
        return 1
    if dtype == the(W.bool_):
        return 2
    return 3 if dtype == the(W.int64) else -1


@native
def itemsize(kind):
    """The bytes of an element of a kind."""
    return 1 if kind == 2 else 8 if kind else 4


@native
def elements(flat):
    """The number of elements of a flat array."""
    return load(load(flat, SIZES), 0)


@native
def new_flat(words, size, kind):
    """A new flat array, not filled; `words` is a place for its size."""
    store(words, 0, size)
    numpy = hold(the(W.numpy_float32 + 8 * kind))
    return c.new_array(the(W.ndarray), numpy, 1, words, 0, 0, 0, 0)


@native
def fresh(flat, shape, dtype):
    """A tensor over a flat array, whose reference is handed over; 0 where there is no memory for it."""
    tensor = c.allocate(the(W.tensor), 0)
    if tensor == 0:
        c.drop(flat)
        return tensor
    none = the(W.none)
    for slot in UNSET:
        store(tensor, slot, hold(none))
    store(tensor, TENSOR.flat, flat)
    store(tensor, TENSOR.storage, hold(flat))
    store(tensor, TENSOR.shape, hold(shape))
    store(tensor, TENSOR.dtype, hold(dtype))
    store(tensor, TENSOR.device, hold(the(W.cpu)))
    store(tensor, TENSOR.offset, hold(the(W.zero)))
    store(tensor, TENSOR.rg, hold(the(W.false)))
    return tensor


@native
def nothing():
    """None, as a result: the general path is for this call."""
    return hold(the(W.none))


@native
def pair(first, second):
    """A tuple of two objects."""
    both = c.new_tuple(2)
    c.set_tuple_item(both, 0, hold(first))
    c.set_tuple_item(both, 1, hold(second))
    return both


@native
def new_writes():
    """A count of writes, of none: [0, ""]; 0 where there is no memory."""
    writes = c.new_list(2)
    if writes != 0:
        c.set_list_item(writes, 0, hold(the(W.zero)))
        c.set_list_item(writes, 1, hold(the(W.empty_text)))
    return writes


@native
def recording():
    """Whether this thread records graphs, 2 for None: in a backward pass that records nothing; -1 for an error."""
    if c.thread_number(c.thread_state()) != the(W.thread):
        states = c.attribute(the(W.mode), the(W.dictionary))
        if states == 0:
            return -1
        number, before = c.thread_number(c.thread_state()), the(W.states)
        store(world(), W.states, states)  # nothing is called before the next line, so no other thread gets in between
        store(world(), W.thread, number)
        c.drop(before)
    state = c.dict_item(the(W.states), the(W.grad))
    if state == the(W.none):
        return 2
    return 1 if state == the(W.true) else 0


@native
def records():
    """Whether this thread records graphs; -1 where an error is set."""
    state = recording()
    return 0 if state == 2 else state
