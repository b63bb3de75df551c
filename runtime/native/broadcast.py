"""An element-wise op on two tensors that broadcast, or lie apart in memory, row by row: see runtime/rows.py."""

from __future__ import annotations

from ..kernels.jobs.claims import share
from ..kernels.jobs.layout import ROWS
from ..kernels.jobs.rows import B, run_rows
from ..kernels.words import CALL_WORDS, frame, load, native, store
from . import c_functions as c
from .kernel_calls import LONG, found_kernel, put_object
from .layout import DATA, TENSOR, TYPE
from .objects import fresh, hold, is_tensor, itemsize, kind_of, new_flat, nothing, the
from .sharing import job_for
from .world import W

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
