"""The gradients of an element-wise node whose inputs have the shape and dtype of its result: one fused kernel."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.compile.argument_buffer import put_array, put_number
from ..kernels.llvm.memory import CALL_WORDS, frame, load, load_half, native, store
from . import c_functions as c
from .kernel_calls import found_kernel, put_object, run_kernel
from .layout import DATA, NODE, NUMBER, TENSOR, TYPE
from .objects import (
    elements,
    fresh,
    hold,
    holds_kind,
    is_held,
    is_tensor,
    itemsize,
    kind_of,
    new_flat,
    nothing,
    own,
    records,
    same,
    the,
)
from .tuples import put_item, tuple_item, tuple_size
from .world import W

MOST = 4  # saved tensors, and numbers, that one kernel reads
MOST_CASES = 3  # sets of wanted gradients, of two inputs


class Case(NamedTuple):
    """Distances of what is known of the kernel for one set of wanted gradients, from the address of its plan."""

    saved: int  # how many kept tensors it reads; their slots, and those of their counts of writes
    slots: int
    versions: int
    masks: int  # bit i: kept tensor i is a mask of bools
    number: int  # which of them may be one number instead, -1 for none
    numbers: int  # how many numbers it reads; their slots
    number_slots: int
    resolver: int  # finds kernels: see plans.py
    kernels: int  # float32, float64, then the same with that number


def _distances() -> Case:
    counts = [MOST if name in ("slots", "versions", "number_slots") else 1 for name in Case._fields]
    return Case(*[8 * sum(counts[:i]) for i in range(len(counts))])


C = _distances()
CASE = C.kernels // 8 + 4  # words


class Plan(NamedTuple):
    """Distances of what is known of a node."""

    hands_on: int  # 1: every gradient is that of the result, 2: it is where a number is 1, 0: it is not,
    # 3: the kernel has recipes (structured_gradients.py)
    hands_on_slot: int  # of that number
    kept: int  # how many tensors it keeps; their slots
    kept_slots: int
    cases: int  # by the wanted gradients, as bits


G = Plan(0, 8, 16, 24, 24 + 8 * MOST)
BY_RECIPES = 3  # see G.hands_on
ONE = 0x3FF0000000000000  # the bits of 1.0


@native
def wanted_of(edges):
    """Bit i: the gradient of input i is wanted."""
    found = 0
    for i in range(tuple_size(edges)):
        found |= (tuple_item(edges, i) != the(W.none)) << i
    return found


@native
def fitted(gradient, meta):
    """The gradient made to look like an input; 0 where an error is set."""
    own = tuple_item(meta, 1) == load(gradient, TENSOR.dtype)
    if own and same(tuple_item(meta, 0), load(gradient, TENSOR.shape)):
        return hold(gradient)
    words = frame(2)
    store(words, 0, gradient)
    store(words, 8, meta)
    return c.call(the(W.fit), words, 2, 0)


@native
def handed_on(gradient, wanted, count, metas):
    """The gradient itself for each input that wants one."""
    results = c.new_tuple(count)
    if results == 0:
        return results
    for i in range(count):
        if wanted >> i & 1 == 0:
            given = hold(the(W.none))
        else:
            given = hold(gradient) if metas == the(W.none) else fitted(gradient, tuple_item(metas, i))
        if given == 0:
            c.drop(results)
            return 0
        put_item(results, i, given)
    return results


@native
def only_hands_on(plan, node):
    """Whether there is nothing to compute for this node."""
    kind = load(plan, G.hands_on)
    if kind != 2:
        return kind == 1
    number = load(node, load(plan, G.hands_on_slot))
    return load(number, TYPE) == the(W.number) and load(number, NUMBER) == ONE


@native
def unwritten(tensor, version):
    """Whether a tensor's memory has not been written to since its count of writes was this."""
    writes = load(tensor, TENSOR.writes)
    return writes == the(W.none) or same(c.list_item(writes, 0), version)


@native
def kept(case, node, i):
    """A kept tensor's flat array; 0 where something was written to it, or it is gone or hidden."""
    tensor, version = load(node, load(case, C.slots + 8 * i)), load(node, load(case, C.versions + 8 * i))
    if not is_tensor(tensor) or not unwritten(tensor, version):
        return 0
    flat = load(tensor, TENSOR.flat)
    return 0 if flat == the(W.none) else flat


@native
def kind_in(case, node, i):
    """The kind of a kept tensor's dtype."""
    return kind_of(load(load(node, load(case, C.slots + 8 * i)), TENSOR.dtype))


@native
def prepared(case, node, kind, words, owners):
    """Put gradient, kept tensors and numbers into the frame; gives the number of arrays, negative with a number
    instead of one kept tensor, or 0 where this is for the general path."""
    flat, arrays, numbers = gradient_array(owners), 1, 0
    put_array(words, 0, load(flat, DATA), itemsize(kind))
    for i in range(load(case, C.saved)):
        own_kind, found = 2 if load(case, C.masks) >> i & 1 else kind, kept(case, node, i)
        if found == 0 or kind_in(case, node, i) != own_kind or not holds_kind(found, own_kind):
            return 0
        memory = load(own(owners, found), DATA)
        if elements(found) == elements(flat):
            put_array(words, arrays, memory, itemsize(own_kind))
            arrays += 1
        elif load(case, C.number) == i and elements(found) == 1:
            put_number(words, 0, load(memory, 0) if kind == 1 else load_half(memory))
            numbers = 1
        else:
            return 0
    for i in range(load(case, C.numbers)):
        if not put_object(words, numbers + i, load(node, load(case, C.number_slots + 8 * i))):
            return 0
    return -arrays if numbers else arrays


@native
def gradient_shape(owners):
    """The shape of the gradient that `fused` was given."""
    return load(owners, 8)


@native
def gradient_array(owners):
    """The array of the gradient that `fused` was given."""
    return load(owners, 16)


@native
def is_spare(gradient, flat, wanted):
    """Whether one gradient is wanted, and may be written over the one that came, which only who calls holds."""
    alone = load(gradient, TENSOR.base) == the(W.none) and load(gradient, TENSOR.nd) == the(W.none)
    own_flat = load(gradient, TENSOR.flat) == flat and load(gradient, TENSOR.storage) == flat
    # The array is held by the gradient, as flat and as storage, and by `fused`.
    return wanted & (wanted - 1) == 0 and is_held(gradient, 1) and own_flat and is_held(flat, 3) and alone


@native
def new_gradient(gradient, spare, kind, owners, more):
    """A tensor like a gradient, or itself where it is to spare; 0 where there is no memory."""
    if spare:
        return hold(gradient)
    flat = new_flat(more, elements(gradient_array(owners)), kind)
    return 0 if flat == 0 else fresh(flat, gradient_shape(owners), the(W.float32 + 8 * kind))


@native
def computed(case, node, gradient, wanted, count, kind, owners):
    """The gradients that are wanted, in a tuple; 0 where an error is set, None where this is for the general path."""
    words, more = frame(CALL_WORDS), frame(2)
    arrays = prepared(case, node, kind, words, owners)
    if arrays == 0:
        return nothing()
    kernel = found_kernel(case + C.kernels, kind + 2 * (arrays < 0), load(case, C.resolver), more)
    results, place = 0 if kernel == 0 else c.new_tuple(count), abs(arrays)
    if results == 0:
        return 0
    spare = is_spare(gradient, gradient_array(owners), wanted)
    for i in range(count):
        if wanted >> i & 1 == 0:
            put_item(results, i, hold(the(W.none)))
            continue
        result = new_gradient(gradient, spare, kind, owners, more)
        if result == 0:
            c.drop(results)
            return 0
        put_item(results, i, result)
        put_array(words, place, load(load(result, TENSOR.flat), DATA), itemsize(kind))
        place += 1
    run_kernel(kernel, place, elements(gradient_array(owners)), words)
    return results


@native
def fused(plan, node, gradient, owners):
    """The gradients in a tuple; None where this is for the general path, 0 where an error is set."""
    recorded = records()
    if recorded != 0:
        return 0 if recorded < 0 else nothing()
    if not is_tensor(gradient):
        return nothing()
    flat, kind = load(gradient, TENSOR.flat), kind_of(load(gradient, TENSOR.dtype))
    own(owners, load(gradient, TENSOR.shape))
    own(owners, flat)
    edges, metas = own(owners, load(node, NODE.edges)), own(owners, load(node, NODE.metas))
    wanted = wanted_of(edges)
    if only_hands_on(plan, node):
        return handed_on(gradient, wanted, tuple_size(edges), metas)
    if metas != the(W.none) or flat == the(W.none) or (kind != 0 and kind != 1) or not holds_kind(flat, kind):
        return nothing()
    case = plan + G.cases + 8 * CASE * (wanted - 1)
    return computed(case, node, gradient, wanted, tuple_size(edges), kind, owners)
