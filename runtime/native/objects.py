"""References, arrays and tensors in native code: what `runtime.tensor.fresh` does, on addresses.

The rules of ownership. Python may run whenever an object is allocated (the collector runs finalizers), whenever a
reference is let go, wherever Python is called, and in another thread wherever that may run: see c_functions.py. Then
slots of tensors and nodes may change, lists become empty, tables are cleared, and what they held is freed. So:

0. Owned means that the object's reference count has one for us; a borrowed reference has none.
1. The arguments of a native function are held by its caller. Everything else that is read from a slot, a list or a
   table is borrowed, and used only up to the next point at which Python may run.
2. What is used beyond such a point is owned: by `own`, until the `let_go` at the end of the builtin function, whose
   every way out passes there; or by a `hold` that has one `drop` in the same function.
3. An address of memory is taken from an array that is owned, and checked against that array's own length: never from
   a tensor's shape, which another thread may be changing in the middle.
4. What belongs together (an array, its layout, what was found for them) is read with no such point in between; where
   one lies between, it is compared again. A result is recorded only if no tensor's layout has changed since `begin`;
   else Python begins anew.
5. What is allocated is compared with 0 before it is used.
6. A list that the user gave is copied into a tuple first.

SPECGRAD_NATIVE=check makes every such point a hostile one: tests/attack/native/test_native_ownership.py.
"""

from __future__ import annotations

import sys

from ..kernels.llvm.memory import load, native, store
from . import c_functions as c
from .checked import alive
from .layout import DESCR, ELEMENT, REFERENCES, SIZES, TENSOR, TYPE
from .setting import CHECKING
from .tuples import put_item
from .world import W, world

OWNERS = 32  # words: how many objects a builtin function owns, these, and the number of changes of layouts till then
CHANGES = 8 * (OWNERS - 1)

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
LAST_FILLED = TENSOR.rg  # of the slots of a tensor that is being made


@native
def hold(thing):
    """One more reference to an object, which is returned."""
    if CHECKING:
        alive(thing)
    if KEEPS_ALL:
        c.increment(thing)
    else:
        store(thing, REFERENCES, load(thing, REFERENCES) + 1)
    return thing


@native
def begin(owners):
    """Own nothing yet."""
    store(owners, 0, 0)
    store(owners, CHANGES, load(the(W.layout_changes), 0))


@native
def nothing_changed(owners):
    """Whether all tensors have had the same memory, shape and dtype since `begin`."""
    return load(owners, CHANGES) == load(the(W.layout_changes), 0)


@native
def own(owners, thing):
    """Hold an object, which is returned, until `let_go`."""
    return own_new(owners, hold(thing))


@native
def own_new(owners, thing):
    """The same for a new reference; 0 is none."""
    if thing != 0:
        count = load(owners, 0) + 1
        store(owners, 8 * count, thing)
        store(owners, 0, count)
    return thing


@native
def let_go(owners):
    """Let everything go that is owned."""
    for i in range(load(owners, 0)):
        c.drop(load(owners, 8 + 8 * i))


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
def is_tensor(thing):
    """Whether an object is a tensor with slots of its own, which have been filled: one of vmap's examples has
    properties in their place, and one that `__new__` alone has made has nothing in them."""
    kind = load(thing, TYPE)
    known = kind == the(W.tensor) or c.set_has(the(W.plain_classes), kind) == 1
    return known and load(thing, LAST_FILLED) != 0


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
def holds_kind(flat, kind):
    """Whether the elements of an array take as many bytes as those of a kind: its tensor may just be changing."""
    return load(load(flat, DESCR), ELEMENT) == itemsize(kind)


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
def withdrawn(result):
    """Let a result go that could not be recorded; None where only another attempt is due, 0 where an error is set."""
    c.drop(result)
    return nothing() if c.error_set() == 0 else 0


@native
def pair(first, second):
    """A tuple of two objects that the caller holds; 0 where there is no memory."""
    both = c.new_tuple(2)
    if both != 0:
        put_item(both, 0, hold(first))
        put_item(both, 1, hold(second))
    return both


@native
def meta_of(tensor):
    """(shape, dtype) of a tensor; 0 where there is no memory."""
    shape, dtype = hold(load(tensor, TENSOR.shape)), hold(load(tensor, TENSOR.dtype))
    meta = pair(shape, dtype)
    c.drop(shape)
    c.drop(dtype)
    return meta


@native
def new_writes():
    """A count of writes, of none: [0, ""]; 0 where there is no memory."""
    writes = c.new_list(2)
    if writes != 0:
        c.set_list_item(writes, 0, hold(the(W.zero)))
        c.set_list_item(writes, 1, hold(the(W.empty_text)))
    return writes


@native
def shared_writes(tensor):
    """A new reference to the count of writes to a tensor's memory, which views share; 0 where there is no memory."""
    if load(tensor, TENSOR.writes) == the(W.none):
        writes = new_writes()
        if writes == 0:
            return writes
        if load(tensor, TENSOR.writes) == the(W.none):  # still: a finalizer may have written to it
            replace(tensor, TENSOR.writes, hold(writes))
            return writes
        c.drop(writes)
    return hold(load(tensor, TENSOR.writes))


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
        answer = recorded_in(states)
        c.drop(before)  # only now: another thread may run, and put its own in their place
        return answer
    return recorded_in(the(W.states))


@native
def recorded_in(states):
    """What a thread's attributes of `mode` say of recording."""
    state = c.dict_item(states, the(W.grad))
    if state == the(W.none):
        return 2
    return 1 if state == the(W.true) else 0


@native
def records():
    """Whether this thread records graphs; -1 where an error is set."""
    state = recording()
    return 0 if state == 2 else state
