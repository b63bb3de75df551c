"""An element-wise op on two tensors that broadcast, or lie apart in memory, row by row: see runtime/rows.py."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.job import ROWS, J
from . import c_functions as c
from .jobs import finish, first_of, job_for, share
from .kernel_calls import LONG, call_arrays, found_kernel, put_array, put_number, put_object
from .layout import DATA, TENSOR, TYPE
from .objects import fresh, hold, is_tensor, itemsize, kind_of, new_flat, nothing, the
from .words import CALL_WORDS, MOST_ARRAYS, MOST_NUMBERS, frame, load, load_half, native, store
from .world import W


class Rows(NamedTuple):
    """Distances of what is known of two layouts from the address of the words."""

    outer: int
    inner: int
    size: int  # elements of a row
    elements: int  # of the result
    repeated: int  # 0, or 1 + the number of the operand that gives one number a row
    steps: int  # from row to row, outer and inner, of the operands and of the result


B = Rows(*range(0, 8 * len(Rows._fields), 8))
LENGTH = B.steps // 8 + 6  # words
VARIANTS = 2  # the number of the kernel for a repeated first operand, in pairs of dtypes; that for the second follows


@native
def key_of(first, second):
    """What rows are found by."""
    key = c.new_tuple(4)
    c.set_tuple_item(key, 0, hold(load(first, TENSOR.shape)))
    c.set_tuple_item(key, 1, hold(load(first, TENSOR.strides)))
    c.set_tuple_item(key, 2, hold(load(second, TENSOR.shape)))
    c.set_tuple_item(key, 3, hold(load(second, TENSOR.strides)))
    return key


@native
def memory_of(tensor, size):
    """The address of a tensor's first element."""
    flat = load(tensor, TENSOR.flat)
    if flat != the(W.none):
        return load(flat, DATA)
    return load(load(tensor, TENSOR.storage), DATA) + c.as_integer(load(tensor, TENSOR.offset)) * size


@native
def may_broadcast(first, second):
    """Whether both are tensors of one native dtype whose place in a graph is known."""
    if not is_tensor(first) or not is_tensor(second):
        return False
    one, other, outdated = load(first, TENSOR.fn), load(second, TENSOR.fn), the(W.outdated)
    if load(one, TYPE) == outdated or load(other, TYPE) == outdated:
        return False
    dtype = load(first, TENSOR.dtype)
    return dtype == load(second, TENSOR.dtype) and kind_of(dtype) in (0, 1)


@native
def put_operand(words, place, memory, size, is_repeated):
    """Put a row of an operand, or the number that it repeats, into the frame; gives the next place."""
    if is_repeated:
        put_number(words, 0, load_half(memory) if size == 4 else load(memory, 0))
        return place
    put_array(words, place, memory, size, 0)
    return place + 1


@native
def run_rows(kernel, rows, memories, words, first, last):
    """Call the kernel for a range of rows; `memories` are the addresses of the operands and of the result, and behind
    them are the sizes of their elements."""
    repeated, steps, inner = load(rows, B.repeated), rows + B.steps, load(rows, B.inner)
    q, r = first // inner, first % inner
    for _ in range(first, last):
        place = 0
        for k in range(3):
            size = load(memories, 8 * (3 + k))
            start = load(memories, 8 * k) + (q * load(steps, 16 * k) + r * load(steps, 16 * k + 8)) * size
            place = put_operand(words, place, start, size, repeated == k + 1)
        call_arrays(kernel, place, load(rows, B.size), words)
        r += 1
        if r == inner:
            q, r = q + 1, 0


@native
def run_rows_part(job, part):
    """Run a part of the rows."""
    memories, given, words = load(job, J.more), load(job, J.words), frame(CALL_WORDS)
    for i in range(MOST_NUMBERS):
        put_number(words, i, load(given, 8 * (2 * MOST_ARRAYS + i)))
    first, last = first_of(job, part), first_of(job, part + 1)
    run_rows(load(job, J.kernel), load(memories, 8 * 6), memories, words, first, last)
    finish(job)


@native
def put_numbers(plan_numbers, arguments, first, words):
    """Put the op's numbers behind `first` others; False where one is none."""
    fit = True
    for i in range(plan_numbers):
        fit &= put_object(words, first + i, load(arguments, 16 + 8 * i))
    return fit


@native
def broadcast(found_rows, kernels, resolver, numbers, gives_bool, arguments):
    """The result on two tensors, not recorded; None where these rows have not been found before, 0 for an error."""
    first, second, words, more = load(arguments, 0), load(arguments, 8), frame(CALL_WORDS), frame(8)
    if not may_broadcast(first, second):
        return nothing()
    key = key_of(first, second)
    found = c.dict_item(found_rows, key)
    c.drop(key)
    if found == 0 or found == the(W.none):
        return nothing()
    rows, dtype = load(c.tuple_item(found, 0), DATA), load(first, TENSOR.dtype)
    kind, repeated = kind_of(dtype), load(rows, B.repeated)
    if not put_numbers(numbers, arguments, repeated > 0, words):
        return nothing()
    variant = 2 * (VARIANTS + repeated - 1) if repeated else 0
    kernel = found_kernel(kernels, variant + kind, resolver, more)
    result_kind = 2 if gives_bool else kind
    flat = 0 if kernel == 0 else new_flat(more, load(rows, B.elements), result_kind)
    if flat == 0:
        return 0
    size = itemsize(kind)
    store(more, 0, memory_of(first, size))
    store(more, 8, memory_of(second, size))
    store(more, 16, load(flat, DATA))
    store(more, 24, size)
    store(more, 32, size)
    store(more, 40, itemsize(result_kind))
    count = load(rows, B.outer) * load(rows, B.inner)
    if load(rows, B.elements) < LONG:
        run_rows(kernel, rows, more, words, 0, count)
    else:
        one, other = hold(load(first, TENSOR.storage)), hold(load(second, TENSOR.storage))
        job = job_for(load(rows, B.elements), more + 48)
        state = c.let_others_run()
        if job == 0:
            run_rows(kernel, rows, more, words, 0, count)
        else:
            store(more, 48, rows)
            share(job, ROWS, kernel, 0, count, 1, words, more)
        c.go_on(state)
        c.drop(one)
        c.drop(other)
    return fresh(flat, c.tuple_item(found, 1), the(W.float32 + 8 * result_kind))
