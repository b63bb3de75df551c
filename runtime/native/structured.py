"""Structured kernels by recipes: what is known for the layouts and arguments of a call is looked up, and run."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.llvm.memory import frame, load, native, store
from . import c_functions as c
from .layout import DATA, TENSOR, TYPE
from .objects import OWNERS, begin, hold, is_tensor, kind_of, let_go, nothing, own, own_new, records, the, withdrawn
from .recipe_calls import LENGTH, MOST_OPERANDS, note_operand, run_recipe
from .recording import record
from .tuples import put_item, tuple_item, tuple_size
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
    put_item(key, index, hold(load(tensor, TENSOR.shape) if there else tensor))
    put_item(key, index + 1, hold(load(tensor, TENSOR.strides) if there else tensor))


@native
def has_layout(key, index, tensor):
    """Whether a tensor still has the layout that stands in a key."""
    there, shape, strides = tensor != the(W.none), tuple_item(key, index), tuple_item(key, index + 1)
    return not there or (load(tensor, TENSOR.shape) == shape and load(tensor, TENSOR.strides) == strides)


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
def dtype_of_all(tensors):
    """The dtype of all tensors in a tuple; 0 where there is another thing, none, or too many."""
    count, dtype = tuple_size(tensors), 0
    if count < 1 or count > MOST_OPERANDS:
        return 0
    for i in range(count):
        tensor = tuple_item(tensors, i)
        if not is_operand(tensor, TENSOR_LETTER, dtype):
            return 0
        dtype = load(tensor, TENSOR.dtype)
    return dtype


@native
def common_dtype(plan, given):
    """The native dtype of the operands; 0 where an argument does not fit."""
    dtype = 0
    for i in range(load(plan, D.operands)):
        letter, argument = load(plan, D.letters + 8 * i), load(given, 8 * i)
        if letter == OPTIONAL and argument == the(W.none):
            continue
        if letter == LIST:
            dtype = dtype_of_all(argument)
            if dtype == 0:
                return 0
        elif letter in TENSORS:
            if not is_operand(argument, letter, dtype):
                return 0
            if load(plan, D.refused) >> i & 1 and load(argument, TENSOR.rg) == the(W.true):
                return 0
            if letter != INDEX:
                dtype = load(argument, TENSOR.dtype)
        elif not takes(letter, argument):
            return 0
    return dtype if dtype != 0 and kind_of(dtype) in NATIVE else 0


@native
def listed_operands(plan, given):
    """How many tensors are in the list that the first argument is, 0 where it is none."""
    return tuple_size(load(given, 0)) if load(plan, D.letters) == LIST else 0


@native
def key_of(plan, given):
    """What recipes are found by: shape and strides of each tensor, and the other arguments; 0 without memory."""
    count, listed, place = load(plan, D.operands), listed_operands(plan, given), 0
    key = c.new_tuple(count + load(plan, D.tensors) + (2 * listed - 1 if listed else 0))
    if key == 0:
        return key
    for i in range(count):
        letter, argument = load(plan, D.letters + 8 * i), load(given, 8 * i)
        if letter == LIST:
            for j in range(listed):
                put_layout(key, place, tuple_item(argument, j))
                place += 2
        elif letter in TENSORS:
            put_layout(key, place, argument)
            place += 2
        else:
            put_item(key, place, hold(argument))
            place += 1
    return key


@native
def note_operands(plan, given, dtype, key, found, words, owners):
    """Note and own the memory of all operands; False where one no longer has the layout that stands in the key."""
    recipe, place, kind = load(tuple_item(found, 0), DATA), 0, kind_of(dtype)
    for j in range(listed_operands(plan, given)):
        tensor = tuple_item(load(given, 0), j)
        if not has_layout(key, 2 * j, tensor) or not note_operand(recipe, words, j, tensor, kind, owners):
            return False
        place += 2
    for i in range(load(plan, D.operands)):
        letter, argument = load(plan, D.letters + 8 * i), load(given, 8 * i)
        if letter in TENSORS:
            if not has_layout(key, place, argument):
                return False
            own_kind = INTEGERS if letter == INDEX else kind
            if argument != the(W.none) and not note_operand(recipe, words, i, argument, own_kind, owners):
                return False
        if letter != LIST:
            place += 2 if letter in TENSORS else 1
    return True


@native
def looked_up(recipes, key):
    """The recipe for a key, borrowed; 0 where there is none."""
    found = c.dict_item(recipes, key)
    c.clear_error()  # of a key that cannot be one
    return 0 if found == the(W.none) else found


@native
def recorded(plan, found, result, given, owners):
    """Put the result into the graph if it belongs there; False where an error is set.

    Arguments that are no tensors are recorded as the recipe has checked them.
    """
    needs, behind = False, 1 + load(load(tuple_item(found, 0), DATA), 8)
    for j in range(listed_operands(plan, given)):
        needs = needs or load(tuple_item(load(given, 0), j), TENSOR.rg) == the(W.true)
    for i in range(load(plan, D.operands)):
        letter, argument = load(plan, D.letters + 8 * i), load(given, 8 * i)
        if letter in TENSORS:
            if argument != the(W.none) and load(plan, D.differentiable) >> i & 1:
                needs = needs or load(argument, TENSOR.rg) == the(W.true)
        elif letter != LIST:
            store(given, 8 * i, tuple_item(found, behind + i))
    state = records() if needs and load(plan, D.node) else 0
    return state == 0 or (state == 1 and record(load(plan, D.node), result, given, False, False, owners))


@native
def take_arguments(plan, arguments, given, owners):
    """Write down the arguments, of a list its items as they are now in a tuple; False where that fails."""
    for i in range(load(plan, D.operands)):
        store(given, 8 * i, load(arguments, 8 * i))
    if load(plan, D.letters) == LIST:
        items = load(arguments, 0)
        if load(items, TYPE) == the(W.list):
            store(given, 0, own_new(owners, c.as_tuple(items)))
        elif load(items, TYPE) != the(W.tuple):
            return False
    return load(given, 0) != 0


@native
def launch_recipe(plan, arguments, owners):
    """The result, recorded, as `launch` gives it."""
    given, words = frame(MOST_OPERANDS), frame(LENGTH)
    taken = take_arguments(plan, arguments, given, owners)
    dtype = common_dtype(plan, given) if taken else 0
    if dtype == 0:
        return nothing() if c.error_set() == 0 else 0
    key = own_new(owners, key_of(plan, given))
    if key == 0:
        return 0
    found = looked_up(load(plan, D.found), key)
    if found == 0:
        return nothing()
    own(owners, found)  # which the table may forget
    if not note_operands(plan, given, dtype, key, found, words, owners):
        return nothing()
    results = own_new(owners, run_recipe(found, load(plan, D.outputs), dtype, words))
    if results == 0:
        return nothing() if c.error_set() == 0 else 0
    result = hold(tuple_item(results, 0) if load(plan, D.outputs) == 1 else results)
    if not recorded(plan, found, result, given, owners):
        return withdrawn(result)
    return result


@native
def launch(self, arguments, count):
    """The result, or a tuple of several, recorded; None where no recipe has been found for layouts and arguments."""
    owners = frame(OWNERS)
    begin(owners)
    result = launch_recipe(load(self, DATA), arguments, owners)
    let_go(owners)
    return result


TENSOR_LETTER, OPTIONAL, INDEX, LIST, INT, BOOL, DIMS = (ord(letter) for letter in "TOILnbd")
TENSORS = (TENSOR_LETTER, OPTIONAL, INDEX)
NATIVE = (0, 1)
INTEGERS = 3  # the kind of indices
