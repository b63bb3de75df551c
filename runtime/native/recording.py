"""Putting the result of an op into the graph: what the generated `record` of its node does."""

from __future__ import annotations

from typing import NamedTuple

from . import c_functions as c
from .layout import NODE, TENSOR, TYPE
from .objects import fresh, hold, new_writes, pair, replace, the
from .words import frame, load, native, store
from .world import W

MOST = 4  # tensors, and numbers, that one node keeps


class Record(NamedTuple):
    """Distances of what is known of a node from the address of its plan."""

    type: int
    edges: int  # how many inputs have gradients
    first: int  # the place of the first of them among the operands
    second: int
    kept: int  # how many tensors it keeps; their slots, the slots of their counts of writes,
    slots: int
    versions: int  # the places of the tensors among the operands, RESULT for the result,
    sources: int
    needed: int  # and for which edges' gradients, as bits
    values: int  # how many other values it keeps; their slots,
    value_slots: int
    value_sources: int  # their places among the operands,
    value_parts: int  # and 0, or the slot of the operand in which a value stands
    elementwise: int  # whether all inputs look like the result, and values are floats


def _distances() -> Record:
    single = {"type", "edges", "first", "second", "kept", "values", "elementwise"}
    counts = [1 if name in single else MOST for name in Record._fields]
    return Record(*[8 * sum(counts[:i]) for i in range(len(counts))])


R = _distances()
LENGTH = R.elementwise // 8 + 1  # words of a record
RESULT = -1


@native
def edge_of(tensor):
    """Where the gradient of a tensor goes: its node, the leaf itself, or None."""
    if load(tensor, TENSOR.rg) != the(W.true):
        return the(W.none)
    edge = load(tensor, TENSOR.fn)
    return tensor if edge == the(W.none) else edge


@native
def version_of(tensor):
    """How often the memory of a tensor has been written to, as a Python int."""
    writes = load(tensor, TENSOR.writes)
    return the(W.zero) if writes == the(W.none) else c.list_item(writes, 0)


@native
def alias_of(result):
    """A result as its node keeps it: the same memory and count of writes, without a way back; 0 where it fails."""
    writes = new_writes()
    if writes == 0:
        return writes
    replace(result, TENSOR.writes, writes)
    alias = fresh(hold(load(result, TENSOR.flat)), load(result, TENSOR.shape), load(result, TENSOR.dtype))
    if alias != 0:
        replace(alias, TENSOR.writes, hold(writes))
    return alias


@native
def as_tensor(operand, like):
    """What a node keeps of an operand: it, or the 0-d tensor that stands for a number; 0 where it fails."""
    kind = load(operand, TYPE)
    if kind != the(W.number) and kind != the(W.integer):
        return hold(operand)
    words = frame(2)
    store(words, 0, operand)
    store(words, 8, load(like, TENSOR.dtype))
    return c.call(the(W.constant), words, 2, 0)


@native
def edges_of(plan, arguments, is_number):
    """The edges of the inputs, and as bits which of them there are; (0, 0) where there is no memory."""
    edges, there = c.new_tuple(load(plan, R.edges)), 0
    if edges == 0:
        return edges, there
    for i in range(load(plan, R.edges)):
        place = load(plan, R.first + 8 * i)
        edge = the(W.none) if is_number and place == 1 else edge_of(load(arguments, 8 * place))
        c.set_tuple_item(edges, i, hold(edge))
        there |= (edge != the(W.none)) << i
    return edges, there


@native
def metas_of(plan, arguments):
    """What the gradients of the inputs must look like."""
    metas = c.new_tuple(load(plan, R.edges))
    for i in range(load(plan, R.edges)):
        tensor = load(arguments, 8 * load(plan, R.first + 8 * i))
        c.set_tuple_item(metas, i, pair(load(tensor, TENSOR.shape), load(tensor, TENSOR.dtype)))
    return metas


@native
def keep(plan, node, there, result, arguments):
    """Store the tensors that the gradients read, each where one of its edges is there; False where that fails."""
    for i in range(load(plan, R.kept)):
        slot, source = load(plan, R.slots + 8 * i), load(plan, R.sources + 8 * i)
        if load(plan, R.needed + 8 * i) & there == 0:
            store(node, slot, hold(the(W.none)))
            continue
        tensor = alias_of(result) if source == RESULT else as_tensor(load(arguments, 8 * source), result)
        if tensor == 0:
            return False
        store(node, slot, tensor)
        store(node, load(plan, R.versions + 8 * i), hold(version_of(tensor)))
    return True


@native
def record(plan, result, arguments, is_number):
    """Make a node, and put the result behind it; False where there is no memory."""
    node = c.allocate(load(plan, R.type), 0)
    if node == 0:
        return False
    edges, there = edges_of(plan, arguments, is_number)
    if edges == 0 or not keep(plan, node, there, result, arguments):
        c.drop(edges)
        c.drop(node)
        return False
    store(node, NODE.edges, edges)
    store(node, NODE.hooks, hold(the(W.none)))
    store(node, NODE.sequence, c.next_of(the(W.counter)))
    plain = load(plan, R.elementwise)
    store(node, NODE.metas, hold(the(W.none)) if plain else metas_of(plan, arguments))
    for i in range(load(plan, R.values)):
        value, part = load(arguments, 8 * load(plan, R.value_sources + 8 * i)), load(plan, R.value_parts + 8 * i)
        found = load(value, part) if part else value
        store(node, load(plan, R.value_slots + 8 * i), as_float(found) if plain else hold(found))
    replace(result, TENSOR.fn, node)
    replace(result, TENSOR.rg, hold(the(W.true)))
    return True


@native
def as_float(number):
    """A Python number, an int as the float that it is."""
    return hold(number) if load(number, TYPE) == the(W.number) else c.float_object(c.as_double(number))
