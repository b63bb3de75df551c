"""Structured kernels by recipes: what is known for the layouts and arguments of a call is looked up, and run."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.words import frame, load, native, store
from . import c_functions as c
from .layout import DATA, TENSOR, TYPE
from .objects import hold, is_tensor, item_of, kind_of, nothing, records, size_of, the
from .recipe_calls import LENGTH, MOST_OPERANDS, note_operand, run_recipe
from .recording import record
from .views import only_ints
from .world import W


class Plan(NamedTuple):
    """Distances of what is known of an op from the address of its plan."""

    found: int  # the address of the dictionary of recipes
    node: int  # of the node's plan, or 0
    outputs: int
    differentiable: int  # bit i: operand i
    refused: int  # bit i: operand i has no gradient, and may not require one
    tensors: int  # how many of the operands
    operands: int  # how many, and a letter for each: see StructuredOp
    letters: int


D = Plan(*range(0, 8 * len(Plan._fields), 8))


@native
def put_layout(key, index, tensor):
    """Make shape and strides of a tensor, or None twice for None, parts of a key."""
    there = tensor != the(W.none)
    c.set_tuple_item(key, index, hold(load(tensor, TENSOR.shape) if there else tensor))
    c.set_tuple_item(key, index + 1, hold(load(tensor, TENSOR.strides) if there else tensor))


@native
def takes(letter, argument):
    """Whether an argument that is no tensor has the type that a letter stands for: what is equal to it will not do."""
    kind = load(argument, TYPE)
    if argument == the(W.none):
        return True
    if letter == INT:
        return kind == the(W.integer)
    if letter == BOOL:
        return argument == the(W.true) or argument == the(W.false)
    if letter == DIMS:
        return kind == the(W.integer) or (kind == the(W.tuple) and only_ints(argument))
    return kind == the(W.number) or kind == the(W.integer)


@native
def is_operand(tensor, letter, dtype):
    """Whether a tensor may be read: indices are of int64, others of one dtype (0: not known yet)."""
    if not is_tensor(tensor) or load(load(tensor, TENSOR.fn), TYPE) == the(W.outdated):
        return False
    own = load(tensor, TENSOR.dtype)
    return own == the(W.int64) if letter == INDEX else (own == dtype or dtype == 0)


@native
def dtype_of_all(tensors, words):
    """The dtype of all tensors in a list, which are noted; 0 where it is another thing, empty, or too long."""
    count, dtype = size_of(tensors), 0
    if count < 1 or count > MOST_OPERANDS:
        return 0
    for i in range(count):
        tensor = item_of(tensors, i)
        if not is_operand(tensor, TENSOR_LETTER, dtype):
            return 0
        note_operand(words, i, tensor)
        dtype = load(tensor, TENSOR.dtype)
    return dtype


@native
def common_dtype(plan, arguments, words):
    """The native dtype of the operands, which are noted; 0 where an argument does not fit."""
    dtype = 0
    for i in range(load(plan, D.operands)):
        letter, argument = load(plan, D.letters + 8 * i), load(arguments, 8 * i)
        if letter == OPTIONAL and argument == the(W.none):
            continue
        if letter == LIST:
            dtype = dtype_of_all(argument, words)
            if dtype == 0:
                return 0
        elif letter in TENSORS:
            if not is_operand(argument, letter, dtype):
                return 0
            if load(plan, D.refused) >> i & 1 and load(argument, TENSOR.rg) == the(W.true):
                return 0
            note_operand(words, i, argument)
            if letter != INDEX:
                dtype = load(argument, TENSOR.dtype)
        elif not takes(letter, argument):
            return 0
    return dtype if dtype != 0 and kind_of(dtype) in NATIVE else 0


@native
def key_of(plan, arguments):
    """What recipes are found by: shape and strides of each tensor, and the other arguments."""
    count, place, first = load(plan, D.operands), 0, load(arguments, 0)
    listed = 2 * size_of(first) - 1 if load(plan, D.letters) == LIST else 0
    key = c.new_tuple(count + load(plan, D.tensors) + listed)
    for i in range(count):
        argument = load(arguments, 8 * i)
        if load(plan, D.letters + 8 * i) == LIST:
            for j in range(size_of(first)):
                put_layout(key, place, item_of(first, j))
                place += 2
        elif load(plan, D.letters + 8 * i) in TENSORS:
            put_layout(key, place, argument)
            place += 2
        else:
            c.set_tuple_item(key, place, hold(argument))
            place += 1
    return key


@native
def looked_up(recipes, key):
    """The recipe for a key, whose reference is handed over; 0 where there is none."""
    found = c.dict_item(recipes, key)
    c.drop(key)
    c.clear_error()  # of a key that cannot be one
    return 0 if found == the(W.none) else found


@native
def recorded(plan, found, result, arguments, words):
    """Put the result into the graph if it belongs there; False where an error is set."""
    count, needs = load(plan, D.operands), False
    behind = 1 + load(load(c.tuple_item(found, 0), DATA), 8)
    for i in range(count):
        letter, argument = load(plan, D.letters + 8 * i), load(arguments, 8 * i)
        own = letter in TENSORS or letter == LIST
        given = argument if own else c.tuple_item(found, behind + i)
        store(words, 8 * i, given)
        if letter == LIST:
            for j in range(size_of(given)):
                needs = needs or load(item_of(given, j), TENSOR.rg) == the(W.true)
        if letter in TENSORS and given != the(W.none) and load(plan, D.differentiable) >> i & 1:
            needs = needs or load(given, TENSOR.rg) == the(W.true)
    state = records() if needs and load(plan, D.node) else 0
    return state == 0 or (state == 1 and record(load(plan, D.node), result, words, False, False))


@native
def launch(self, arguments, count):
    """The result, or a tuple of several, recorded; None where no recipe has been found for layouts and arguments."""
    plan, words = load(self, DATA), frame(LENGTH)
    dtype = common_dtype(plan, arguments, words)
    if dtype == 0:
        return nothing()
    found = looked_up(load(plan, D.found), key_of(plan, arguments))
    if found == 0:
        return nothing()
    hold(found)
    results = run_recipe(found, load(plan, D.outputs), dtype, words)
    result = 0
    if results != 0:
        result = hold(c.tuple_item(results, 0) if load(plan, D.outputs) == 1 else results)
        if not recorded(plan, found, result, arguments, words):
            c.drop(result)
            result = 0
    c.drop(results)
    c.drop(found)
    return nothing() if results == 0 and c.error_set() == 0 else result


TENSOR_LETTER, OPTIONAL, INDEX, LIST, INT, BOOL, DIMS = (ord(letter) for letter in "TOILnbd")
TENSORS = (TENSOR_LETTER, OPTIONAL, INDEX)
NATIVE = (0, 1)
