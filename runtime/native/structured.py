"""Structured kernels by recipes: what is known for the layouts and arguments of a call is looked up, and run.

The operands of a kernel are memory from the first element of a tensor on, whatever its strides: the recipe knows them.
"""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.frames import put_array
from ..kernels.jobs.claims import share
from ..kernels.jobs.layout import STEP as STEP_KIND
from ..kernels.jobs.layout import J
from ..kernels.words import CALL_WORDS, FIRST_SIZE, MOST_INTS, MOST_NUMBERS, call_structured, frame, load, native, store
from . import c_functions as c
from .kernel_calls import LONG, found_kernel, go_on, let_others_run
from .layout import DATA, TENSOR, TYPE
from .objects import (
    elements,
    fresh,
    hold,
    is_tensor,
    item_of,
    itemsize,
    kind_of,
    new_flat,
    nothing,
    records,
    size_of,
    the,
)
from .recording import record
from .sharing import job_for
from .views import only_ints
from .world import W

MOST_OPERANDS = 16
MOST_RESULTS = 3
MOST_READ = 5  # operands of one call


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


class Step(NamedTuple):
    """Distances of what is known of one call in a recipe, which begins with the numbers of calls and of results."""

    kernel: int  # the address of (resolver, float32, float64)
    operands: int  # how many; their numbers
    which: int
    results: int  # how many; the numbers of the outputs that they are, and of their elements
    outputs: int
    sizes: int
    extent: int  # how many rows, or the like, threads may share, 0 for none; parts begin at multiples of `unit`
    unit: int
    place: int  # of the ints that say where a part begins and ends
    work: int  # how much there is to do, if that is more than the first operand and the first result are large
    ints: int
    numbers: int


def _distances() -> tuple[Step, int]:
    lengths = {
        "which": MOST_READ,
        "outputs": MOST_RESULTS,
        "sizes": MOST_RESULTS,
        "ints": MOST_INTS,
        "numbers": MOST_NUMBERS,
    }
    counts = [lengths.get(name, 1) for name in Step._fields]
    return Step(*[8 * sum(counts[:i]) for i in range(len(counts))]), sum(counts)


S, STEP = _distances()
FIRST = 16  # where the first call of a recipe is described
OPERANDS = 8 * CALL_WORDS  # behind a call's words operands are noted: address, elements, size of one, owner
LENGTH = CALL_WORDS + 4 * MOST_OPERANDS + 2
MORE = 8 * (LENGTH - 2)


@native
def note_operand(words, index, tensor):
    """Note where the memory of an operand begins."""
    place, flat = words + OPERANDS + 32 * index, load(tensor, TENSOR.flat)
    size, first = itemsize(kind_of(load(tensor, TENSOR.dtype))), 0
    if flat == the(W.none):
        flat, first = load(tensor, TENSOR.storage), c.as_integer(load(tensor, TENSOR.offset))
    store(place, 0, load(flat, DATA) + first * size)
    store(place, 8, elements(flat) - first)
    store(place, 16, size)
    store(place, 24, flat)


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
def put_operands(step, words):
    """Put the noted operands of a call into the frame; gives how many."""
    count = load(step, S.operands)
    for i in range(count):
        place = words + OPERANDS + 32 * load(step, S.which + 8 * i)
        put_array(words, i, load(place, 0), load(place, 16), load(place, 24))
        store(words, 8 * (FIRST_SIZE + i), load(place, 8))
    return count


@native
def put_results(step, first, results, shapes, dtype, words):
    """Make the results of a call, tensors in a tuple, and put them into the frame; False where there is no memory."""
    kind = kind_of(dtype)
    for i in range(load(step, S.results)):
        output, size = load(step, S.outputs + 8 * i), load(step, S.sizes + 8 * i)
        result = c.tuple_item(results, output)
        if result == the(W.none):  # else an earlier call has made it, and this one fills another part
            flat = new_flat(words + MORE, size, kind)
            result = 0 if flat == 0 else fresh(flat, c.tuple_item(shapes, 1 + output), dtype)
            if result == 0:
                return False
            c.set_tuple_item(results, output, result)
        memory = load(result, TENSOR.flat)
        put_array(words, first + i, load(memory, DATA), itemsize(kind), memory)
        store(words, 8 * (FIRST_SIZE + first + i), size)
    return True


@native
def call_arrays(kernel, arrays, words, constants):
    """The call, by the number of arrays; 0 where nothing was raised."""
    if arrays == 2:
        return call_structured(kernel, 2, words, constants)
    if arrays == 3:
        return call_structured(kernel, 3, words, constants)
    if arrays == 4:
        return call_structured(kernel, 4, words, constants)
    if arrays == 5:
        return call_structured(kernel, 5, words, constants)
    if arrays == 6:
        return call_structured(kernel, 6, words, constants)
    if arrays == 7:
        return call_structured(kernel, 7, words, constants)
    return call_structured(kernel, 8, words, constants)


@native
def run_step(step, results, shapes, dtype, words):
    """Run one call of a recipe; False where an error is set, or where the kernel raised."""
    table, first = load(step, S.kernel), put_operands(step, words)
    kernel = found_kernel(table + 8, kind_of(dtype), load(table, 0), words + MORE)
    if kernel == 0 or not put_results(step, first, results, shapes, dtype, words):
        return False
    arrays, constants = first + load(step, S.results), step + S.ints
    work = load(words, 8 * FIRST_SIZE) + load(words, 8 * (FIRST_SIZE + first))
    if work < LONG:
        return call_arrays(kernel, arrays, words, constants) == 0
    if work < load(step, S.work):
        work = load(step, S.work)
    job = job_for(work, words + MORE) if load(step, S.extent) > load(step, S.unit) else 0
    state = let_others_run(words, arrays)
    alone = job == 0
    status = call_arrays(kernel, arrays, words, constants) if alone else share_step(job, kernel, arrays, words, step)
    go_on(state, words, arrays)
    return status == 0


@native
def share_step(job, kernel, arrays, words, step):
    """The call together with other threads; 0 where nothing was raised."""
    store(job, J.place, load(step, S.place))
    return share(job, STEP_KIND, kernel, arrays, load(step, S.extent), load(step, S.unit), words, step + S.ints)


@native
def run_recipe(found, outputs, dtype, words):
    """The results in a tuple, with None for those that the recipe does not make; 0 where a call fails.

    What a recipe makes behind them, for calls of its own, is let go.
    """
    recipe = load(c.tuple_item(found, 0), DATA)
    count = load(recipe, 8)
    results = c.new_tuple(count)
    for i in range(count):
        c.set_tuple_item(results, i, nothing())
    for i in range(load(recipe, 0)):
        if not run_step(recipe + FIRST + 8 * STEP * i, results, found, dtype, words):
            c.drop(results)
            return 0
    if count == outputs:
        return results
    wanted = c.part_of_tuple(results, 0, outputs)
    c.drop(results)
    return wanted


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
