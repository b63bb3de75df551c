"""Putting the result of an op into the graph: what the generated `record` of its node does."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.llvm.memory import frame, load, native, store
from . import c_functions as c
from .layout import NODE, OUTPUT, TENSOR, TYPE
from .objects import fresh, hold, meta_of, new_writes, nothing_changed, replace, the
from .tuples import put_item, tuple_item, tuple_size
from .world import W

MOST = 6  # tensors, and other values, that one node keeps


class Record(NamedTuple):
    """Distances of what is known of a node from the address of its plan."""

    type: int
    edges: int  # how many inputs have gradients
    places: int  # theirs among the operands
    kept: int  # how many tensors it keeps; their slots, the slots of their counts of writes,
    slots: int
    versions: int  # the places of the tensors among the operands, RESULT for the result,
    sources: int
    needed: int  # for which edges' gradients, as bits,
    aliases: int  # and whether a result is kept as an alias, because it is in the graph itself
    values: int  # how many other values it keeps; their slots,
    value_slots: int
    value_sources: int  # their places among the operands,
    value_parts: int  # and 0, or the slot of the operand in which a value stands
    elementwise: int  # whether all inputs look like the result, and values are floats
    listed: int  # whether the inputs are the items of the first operand
    outputs: (
        int  # how many results; of several: which of them are differentiable, as bits, and where their metas are kept
    )
    differentiable: int
    output_metas: int


def _distances() -> Record:
    lists = {
        "places",
        "slots",
        "versions",
        "sources",
        "needed",
        "aliases",
        "value_slots",
        "value_sources",
        "value_parts",
    }
    counts = [MOST if name in lists else 1 for name in Record._fields]
    return Record(*[8 * sum(counts[:i]) for i in range(len(counts))])


R = _distances()
LENGTH = R.output_metas // 8 + 1  # words of a record
RESULT, SHAPES = -1, -1


@native
def edge_of(tensor):
    """Where the gradient of a tensor goes: its node, the leaf itself, or None, also for None."""
    if tensor == the(W.none) or load(tensor, TENSOR.rg) != the(W.true):
        return the(W.none)
    edge = load(tensor, TENSOR.fn)
    return tensor if edge == the(W.none) else edge


@native
def version_of(tensor):
    """How often the memory of a tensor has been written to, as a Python int; 0 for None."""
    none = the(W.none)
    if tensor == none or load(tensor, TENSOR.writes) == none:
        return the(W.zero)
    return c.list_item(load(tensor, TENSOR.writes), 0)


@native
def alias_of(result):
    """A result as its node keeps it: the same memory and count of writes, without a way back; 0 where it fails."""
    writes = new_writes()
    if writes == 0:
        return writes
    replace(result, TENSOR.writes, writes)  # nobody but who makes it knows the result yet: its slots stay
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
def count_of(plan, arguments):
    """The number of inputs."""
    return tuple_size(load(arguments, 0)) if load(plan, R.listed) else load(plan, R.edges)


@native
def input_of(plan, arguments, i):
    """Input number `i`."""
    if load(plan, R.listed):
        return tuple_item(load(arguments, 0), i)
    return load(arguments, 8 * load(plan, R.places + 8 * i))


@native
def edges_of(plan, arguments, is_number):
    """The edges of the inputs, and as bits which of them there are; (0, 0) where there is no memory."""
    count, there = count_of(plan, arguments), 0
    edges = c.new_tuple(count)
    if edges == 0:
        return edges, there
    for i in range(count):
        a_number = is_number and load(plan, R.places + 8 * i) == 1
        edge = the(W.none) if a_number else edge_of(input_of(plan, arguments, i))
        put_item(edges, i, hold(edge))
        there |= (edge != the(W.none)) << i
    return edges, there


@native
def metas_of(plan, arguments):
    """What the gradients of the inputs must look like; 0 where there is no memory."""
    count = count_of(plan, arguments)
    metas = c.new_tuple(count)
    if metas == 0:
        return metas
    for i in range(count):
        tensor = input_of(plan, arguments, i)
        meta = meta_of(tensor) if tensor != the(W.none) else hold(tensor)
        if meta == 0:
            c.drop(metas)
            return meta
        put_item(metas, i, meta)
    return metas


@native
def result_of(plan, result, i):
    """Result number `i`: there is one, or a tuple of several."""
    return result if load(plan, R.outputs) == 1 else tuple_item(result, i)


@native
def keep(plan, node, there, result, arguments):
    """Store the tensors that the gradients read, each where one of its edges is there; False where that fails."""
    for i in range(load(plan, R.kept)):
        slot, source = load(plan, R.slots + 8 * i), load(plan, R.sources + 8 * i)
        if load(plan, R.needed + 8 * i) & there == 0:
            store(node, slot, hold(the(W.none)))
            continue
        if source > RESULT:
            tensor = as_tensor(load(arguments, 8 * source), result_of(plan, result, 0))
        else:
            output = result_of(plan, result, RESULT - source)
            tensor = alias_of(output) if load(plan, R.aliases + 8 * i) else hold(output)
        if tensor == 0:
            return False
        store(node, load(plan, R.versions + 8 * i), hold(version_of(tensor)))
        store(node, slot, tensor)
    return True


@native
def value_of(operand, part):
    """What a node keeps of an operand: it, one of its slots, or the shapes of tensors in a tuple; 0 without memory."""
    if part == SHAPES:
        count = tuple_size(operand)
        shapes = c.new_tuple(count)
        if shapes != 0:
            for i in range(count):
                put_item(shapes, i, hold(load(tuple_item(operand, i), TENSOR.shape)))
        return shapes
    return hold(load(operand, part) if part and operand != the(W.none) else operand)


@native
def put_behind(tensor, edge):
    """Put a result into the graph; the reference to the edge is handed over."""
    replace(tensor, TENSOR.fn, edge)
    replace(tensor, TENSOR.rg, hold(the(W.true)))


@native
def put_outputs(plan, node, results):
    """Put the differentiable ones of several results into the graph; False where there is no memory."""
    metas = c.new_tuple(load(plan, R.outputs))
    if metas == 0:
        return False
    store(node, load(plan, R.output_metas), metas)
    for i in range(load(plan, R.outputs)):
        tensor = tuple_item(results, i)
        meta = meta_of(tensor)
        if meta == 0:
            return False
        put_item(metas, i, meta)
        if load(plan, R.differentiable) >> i & 1:
            output = new_output(node, i)
            if output == 0:
                return False
            put_behind(tensor, output)
    return True


@native
def new_output(node, number):
    """The edge to one of several outputs of a node; 0 where there is no memory."""
    output = c.allocate(the(W.output), 0)
    place = 0 if output == 0 else c.integer(number)
    if place == 0:
        c.drop(output)
        return 0
    store(output, OUTPUT.number, place)
    store(output, OUTPUT.node, hold(node))
    return output


@native
def fill(plan, node, result, arguments, is_number, broadcasts):
    """Give a new node its slots; False where an error is set."""
    edges, there = edges_of(plan, arguments, is_number)
    store(node, NODE.edges, edges)
    if edges == 0 or not keep(plan, node, there, result, arguments):
        return False
    store(node, NODE.hooks, hold(the(W.none)))
    plain = load(plan, R.elementwise)
    metas = hold(the(W.none)) if plain and not broadcasts else metas_of(plan, arguments)
    store(node, NODE.metas, metas)
    if metas == 0:
        return False
    for i in range(load(plan, R.values)):
        given, part = load(arguments, 8 * load(plan, R.value_sources + 8 * i)), load(plan, R.value_parts + 8 * i)
        value = as_float(given) if plain else value_of(given, part)
        if value == 0:
            return False
        store(node, load(plan, R.value_slots + 8 * i), value)
    number = c.next_of(the(W.counter))
    store(node, NODE.sequence, number)
    return number != 0


@native
def record(plan, result, arguments, is_number, broadcasts, owners):
    """Make a node, and put the result behind it; False where there is no memory, or a layout has changed meanwhile.

    The caller holds the result, or the tuple of several, which nobody else knows yet, and the arguments.
    """
    node = c.allocate(load(plan, R.type), 0)
    if node == 0:
        return False
    if not fill(plan, node, result, arguments, is_number, broadcasts) or not nothing_changed(owners):
        c.drop(node)  # slots that are still empty count as deleted
        return False
    if load(plan, R.outputs) == 1:
        put_behind(result, node)
        return True
    done = put_outputs(plan, node, result)
    c.drop(node)
    return done


@native
def as_float(number):
    """A Python number, an int as the float that it is; 0 where there is no memory."""
    return hold(number) if load(number, TYPE) == the(W.number) else c.float_object(c.as_double(number))
