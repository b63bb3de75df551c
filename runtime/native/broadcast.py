"""An element-wise op on two tensors that broadcast, or lie apart in memory, row by row: see runtime/rows.py."""

from __future__ import annotations

from ..kernels.llvm.memory import CALL_WORDS, frame, load, native, store
from ..pool.claims import share
from ..pool.layout import ROWS
from ..pool.rows import B, run_rows
from . import c_functions as c
from .kernel_calls import LONG, found_kernel, put_object
from .layout import DATA, TENSOR, TYPE
from .objects import (
    elements,
    fresh,
    hold,
    holds_kind,
    is_tensor,
    itemsize,
    kind_of,
    new_flat,
    nothing,
    own,
    own_new,
    the,
)
from .sharing import job_for
from .tuples import put_item, tuple_item
from .world import W

VARIANTS = 2  # the number of the kernel for a repeated first operand, in pairs of dtypes; that for the second follows


@native
def key_of(first, second):
    """What rows are found by; 0 where there is no memory."""
    key = c.new_tuple(4)
    if key != 0:
        put_item(key, 0, hold(load(first, TENSOR.shape)))
        put_item(key, 1, hold(load(first, TENSOR.strides)))
        put_item(key, 2, hold(load(second, TENSOR.shape)))
        put_item(key, 3, hold(load(second, TENSOR.strides)))
    return key


@native
def is_laid_out(tensor, key, place):
    """Whether a tensor still has the layout that stands in a key."""
    shape, strides = tuple_item(key, place), tuple_item(key, place + 1)
    return load(tensor, TENSOR.shape) == shape and load(tensor, TENSOR.strides) == strides


@native
def memory_of(tensor, kind, reach, owners):
    """The address of a tensor's first element; 0 where its memory, which is owned, ends before `reach` elements."""
    flat, first = load(tensor, TENSOR.flat), 0
    if flat == the(W.none):
        flat, first = load(tensor, TENSOR.storage), c.as_integer(load(tensor, TENSOR.offset))
    own_kind = load(tensor, TENSOR.dtype) == the(W.float32 + 8 * kind) and holds_kind(flat, kind)
    if not own_kind or elements(flat) - first < reach:
        return 0
    return load(own(owners, flat), DATA) + first * itemsize(kind)


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
def broadcast(found_rows, kernels, resolver, numbers, gives_bool, arguments, owners):
    """The result on two tensors, not recorded; None where these rows have not been found before, 0 for an error."""
    first, second, words, more = load(arguments, 0), load(arguments, 8), frame(CALL_WORDS), frame(8)
    if not may_broadcast(first, second):
        return nothing()
    kind = kind_of(load(first, TENSOR.dtype))
    key = own_new(owners, key_of(first, second))
    if key == 0:
        return 0
    found = c.dict_item(found_rows, key)
    if found == 0 or found == the(W.none):
        return nothing()
    own(owners, found)  # which the table may forget
    rows = load(tuple_item(found, 0), DATA)
    repeated = load(rows, B.repeated)
    if not put_numbers(numbers, arguments, repeated > 0, words):
        return nothing()
    variant = 2 * (VARIANTS + repeated - 1) if repeated else 0
    kernel = found_kernel(kernels, variant + kind, resolver, more)
    result_kind = 2 if gives_bool else kind
    flat = 0 if kernel == 0 else own_new(owners, new_flat(more, load(rows, B.elements), result_kind))
    if flat == 0:
        return 0
    if not is_laid_out(first, key, 0) or not is_laid_out(second, key, 2):
        return nothing()
    one = memory_of(first, kind, load(rows, B.reach), owners)
    other = memory_of(second, kind, load(rows, B.reach_of_second), owners)
    if one == 0 or other == 0:
        return nothing()
    store(more, 0, one)
    store(more, 8, other)
    store(more, 16, load(flat, DATA))
    store(more, 24, itemsize(kind))
    store(more, 32, itemsize(kind))
    store(more, 40, itemsize(result_kind))
    run_all_rows(kernel, rows, more, words)
    return fresh(hold(flat), tuple_item(found, 1), the(W.float32 + 8 * result_kind))


@native
def run_all_rows(kernel, rows, more, words):
    """Run the kernel on all rows; of many, other threads may do some, or may run meanwhile."""
    count = load(rows, B.outer) * load(rows, B.inner)
    if load(rows, B.elements) < LONG:
        run_rows(kernel, rows, more, words, 0, count)
        return
    job = job_for(load(rows, B.elements), more + 48)
    state = c.let_others_run()
    if job == 0:
        run_rows(kernel, rows, more, words, 0, count)
    else:
        store(more, 48, rows)
        share(job, ROWS, kernel, 0, count, 1, words, more)
    c.go_on(state)
