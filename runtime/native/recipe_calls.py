"""Running a recipe: its calls one after the other, on operands that have been noted in a frame.

The operands of a kernel are memory from the first element of a tensor on, whatever its strides: the recipe knows them,
and how many elements it reads of each. Who calls owns their arrays.
"""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.compile.argument_buffer import put_array
from ..kernels.llvm.memory import CALL_WORDS, FIRST_SIZE, MOST_INTS, MOST_NUMBERS, call_structured, load, native, store
from ..pool.claims import share
from ..pool.layout import STEP as STEP_KIND
from ..pool.layout import J
from . import c_functions as c
from .kernel_calls import LONG, found_kernel
from .layout import DATA, ITEMS, TENSOR
from .objects import elements, fresh, holds_kind, itemsize, kind_of, new_flat, nothing, own, replace, the
from .sharing import job_for
from .tuples import put_item, tuple_item
from .world import W

MOST_OPERANDS = 16
MOST_RESULTS = 3
MOST_READ = 5  # operands of one call


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
REACH = 16  # where a recipe says how many elements of each operand it reads, from the first to the last
FIRST = REACH + 8 * MOST_OPERANDS  # where its first call is described
NOTE = 24  # bytes of what is noted of an operand behind a call's words: address, elements, bytes of one
OPERANDS = 8 * CALL_WORDS
LENGTH = CALL_WORDS + NOTE // 8 * MOST_OPERANDS + 2
MORE = 8 * (LENGTH - 2)


@native
def note_operand(recipe, words, index, tensor, kind, owners):
    """Note where the memory of an operand begins, which is owned; False where it is shorter than the recipe takes it,
    or no longer of a kind."""
    place, flat, first = words + OPERANDS + NOTE * index, load(tensor, TENSOR.flat), 0
    if flat == the(W.none):
        flat, first = load(tensor, TENSOR.storage), c.as_integer(load(tensor, TENSOR.offset))
    if kind_of(load(tensor, TENSOR.dtype)) != kind or not holds_kind(flat, kind):
        return False
    if elements(flat) - first < load(recipe, REACH + 8 * index):
        return False
    store(place, 0, load(own(owners, flat), DATA) + first * itemsize(kind))
    store(place, 8, elements(flat) - first)
    store(place, 16, itemsize(kind))
    return True


@native
def put_operands(step, words):
    """Put the noted operands of a call into the frame; gives how many."""
    count = load(step, S.operands)
    for i in range(count):
        place = words + OPERANDS + NOTE * load(step, S.which + 8 * i)
        put_array(words, i, load(place, 0), load(place, 16))
        store(words, 8 * (FIRST_SIZE + i), load(place, 8))
    return count


@native
def put_results(step, first, results, shapes, dtype, words):
    """Make the results of a call, tensors in a tuple, and put them into the frame; False where there is no memory."""
    kind = kind_of(dtype)
    for i in range(load(step, S.results)):
        output, size = load(step, S.outputs + 8 * i), load(step, S.sizes + 8 * i)
        result = tuple_item(results, output)
        if result == the(W.none):  # else an earlier call has made it, and this one fills another part
            flat = new_flat(words + MORE, size, kind)
            result = 0 if flat == 0 else fresh(flat, tuple_item(shapes, 1 + output), dtype)
            if result == 0:
                return False
            replace(results, ITEMS + 8 * output, result)
        memory = load(result, TENSOR.flat)
        put_array(words, first + i, load(memory, DATA), itemsize(kind))
        store(words, 8 * (FIRST_SIZE + first + i), size)
    return True


@native
def call_arrays(kernel, arrays, words, constants):
    """The call, by the number of arrays, at most MOST_ARRAYS (recipes.put_step); 0 where nothing was raised."""
    if arrays == 1:
        return call_structured(kernel, 1, words, constants)
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
    state = c.let_others_run()
    alone = job == 0
    status = call_arrays(kernel, arrays, words, constants) if alone else share_step(job, kernel, arrays, words, step)
    c.go_on(state)
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
    recipe = load(tuple_item(found, 0), DATA)
    count = load(recipe, 8)
    results = c.new_tuple(count)
    if results == 0:
        return 0
    for i in range(count):
        put_item(results, i, nothing())
    for i in range(load(recipe, 0)):
        if not run_step(recipe + FIRST + 8 * STEP * i, results, found, dtype, words):
            c.drop(results)
            return 0
    if count == outputs:
        return results
    wanted = c.part_of_tuple(results, 0, outputs)
    c.drop(results)
    return wanted
