"""An element-wise op on contiguous tensors of one shape and native dtype, and numbers: launch and launch_in_place."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.compile.argument_buffer import put_array
from ..kernels.llvm.memory import CALL_WORDS, frame, load, native
from . import c_functions as c
from .broadcast import broadcast
from .kernel_calls import found_kernel, put_object, run_kernel
from .layout import DATA, TENSOR, TYPE
from .objects import (
    OWNERS,
    begin,
    elements,
    fresh,
    hold,
    holds_kind,
    is_tensor,
    itemsize,
    kind_of,
    let_go,
    new_flat,
    nothing,
    own,
    records,
    same,
    shared_writes,
    the,
    withdrawn,
)
from .recording import record
from .world import W


class Plan(NamedTuple):
    """Distances of what is known of an op from the address of its plan."""

    tensors: int  # how many
    numbers: int
    masks: int  # bit i: tensor i is a mask of bools, of any dtype's op
    lead: int  # the number of the first tensor that is none
    gives_bool: int
    takes_number: int  # whether the second tensor may be a number
    resolver: int  # finds kernels: see plans.py
    node: int  # the address of the node's plan, 0 without one
    differentiable: int  # bit i: tensor i
    name: int  # of the in-place form
    rows: int  # the dictionary of rows found, 0 where the op does not run by rows
    kernels: (
        int  # of float32 and float64: for tensors, a number for the second, one that repeats for the first or second
    )


P = Plan(*range(0, 8 * len(Plan._fields), 8))
KERNELS = 8
UNFIT = -1


@native
def fits(tensor, kind, dtype, shape, size):
    """Whether an operand is a contiguous tensor of this dtype (or a mask) and shape."""
    if not is_tensor(tensor):
        return False
    flat = load(tensor, TENSOR.flat)
    wanted = the(W.bool_) if kind == 2 else dtype
    return (
        flat != the(W.none)
        and load(load(tensor, TENSOR.fn), TYPE) != the(W.outdated)
        and load(tensor, TENSOR.dtype) == wanted
        and same(load(tensor, TENSOR.shape), shape)
        and elements(flat) == size
        and holds_kind(flat, kind)
    )


@native
def prepared(plan, arguments, words, owners):
    """Put the operands into the frame, and own them; gives the number of the kernel that takes them, or UNFIT.

    The first that are owned are the shape and the array of the tensor that leads, and then the array of each.
    """
    tensors = load(plan, P.tensors)
    lead = load(arguments, 8 * load(plan, P.lead))
    if not is_tensor(lead) or load(lead, TENSOR.flat) == the(W.none):
        return UNFIT
    dtype, kernel = load(lead, TENSOR.dtype), kind_of(load(lead, TENSOR.dtype))
    if kernel != 0 and kernel != 1:
        return UNFIT
    shape, numbers = own(owners, load(lead, TENSOR.shape)), 0
    size = elements(own(owners, load(lead, TENSOR.flat)))
    for i in range(tensors):
        tensor, kind = load(arguments, 8 * i), 2 if load(plan, P.masks) >> i & 1 else kernel
        if fits(tensor, kind, dtype, shape, size):
            flat = own(owners, load(tensor, TENSOR.flat))
            put_array(words, i, load(flat, DATA), itemsize(kind))
        elif i == 1 and load(plan, P.takes_number) and put_object(words, 0, tensor):
            numbers = 1
        else:
            return UNFIT
    for i in range(load(plan, P.numbers)):
        if not put_object(words, numbers + i, load(arguments, 8 * (tensors + i))):
            return UNFIT
    return kernel + 2 * numbers


@native
def lead_shape(owners):
    """The shape that `prepared` has found."""
    return load(owners, 8)


@native
def lead_array(owners):
    """The array of the tensor that leads."""
    return load(owners, 16)


@native
def first_array(owners):
    """The array of the first tensor."""
    return load(owners, 24)


@native
def needs_graph(plan, arguments, kernel):
    """Whether the op is recorded: a tensor requires grad, and the thread records; -1 where an error is set."""
    wanted = load(plan, P.differentiable)
    for i in range(load(plan, P.tensors)):
        tensor = load(arguments, 8 * i)
        if wanted >> i & 1 and not (kernel > 1 and i == 1) and load(tensor, TENSOR.rg) == the(W.true):
            return records()
    return 0


@native
def launch_rows(plan, arguments, owners):
    """The result, recorded, for two tensors that broadcast or lie apart in memory, row by row; None as `launch`."""
    numbers, kernels = load(plan, P.numbers), plan + P.kernels
    resolver, gives_bool = load(plan, P.resolver), load(plan, P.gives_bool)
    result = broadcast(load(plan, P.rows), kernels, resolver, numbers, gives_bool, arguments, owners)
    if result == 0 or result == the(W.none):
        return result
    recorded = needs_graph(plan, arguments, 0)
    if recorded < 0 or (recorded and not record(load(plan, P.node), result, arguments, False, True, owners)):
        return withdrawn(result)
    return result


@native
def launch_flat(plan, arguments, number, words, owners):
    """The result, recorded, for operands that are prepared; 0 where an error is set."""
    more = frame(2)
    kernel = found_kernel(plan + P.kernels, number, load(plan, P.resolver), more)
    recorded = needs_graph(plan, arguments, number)
    if kernel == 0 or recorded < 0:
        return 0
    kind, size = 2 if load(plan, P.gives_bool) else number & 1, elements(lead_array(owners))
    flat = new_flat(more, size, kind)
    if flat == 0:
        return 0
    arrays = load(plan, P.tensors) - (number >> 1)
    put_array(words, arrays, load(flat, DATA), itemsize(kind))
    run_kernel(kernel, arrays + 1, size, words)
    result = fresh(flat, lead_shape(owners), the(W.float32 + 8 * kind))
    if result != 0 and recorded and not record(load(plan, P.node), result, arguments, number > 1, False, owners):
        return withdrawn(result)
    return result


@native
def launch(self, arguments, count):
    """The result of the op, recorded; None where the operands are for the general path."""
    plan, words, owners = load(self, DATA), frame(CALL_WORDS), frame(OWNERS)
    begin(owners)
    number = prepared(plan, arguments, words, owners)
    if number != UNFIT:
        result = launch_flat(plan, arguments, number, words, owners)
    else:
        result = launch_rows(plan, arguments, owners) if load(plan, P.rows) else nothing()
    let_go(owners)
    return result


@native
def apart(tensor, other):
    """Whether writing to a tensor element by element leaves the rest of another as it is."""
    return tensor == other or load(tensor, TENSOR.storage) != load(other, TENSOR.storage)


@native
def awaited(tensor):
    """Whether somebody is to hear of the next write to a tensor's memory."""
    writes = load(tensor, TENSOR.writes)
    return writes != the(W.none) and load(c.list_item(writes, 0), TYPE) != the(W.integer)


@native
def count_write(tensor, name):
    """One more write to a tensor's memory, by the op of that name; False where an error is set."""
    writes = shared_writes(tensor)
    if writes == 0:
        return False
    number = c.integer(1 + c.as_integer(c.list_item(writes, 0)))
    if number != 0:
        c.set_list_item(writes, 0, number)
        c.set_list_item(writes, 1, hold(name))
    c.drop(writes)
    return number != 0


@native
def write_flat(plan, arguments, number, words, owners):
    """The first operand, to which the op's result has been written; None where this is for the general path."""
    first, more = load(arguments, 0), frame(2)
    two = load(plan, P.tensors) == 2 and number < 2
    recorded = needs_graph(plan, arguments, number)
    if recorded == 1 or (two and not apart(first, load(arguments, 8))) or awaited(first):
        return nothing()
    kernel = 0 if recorded < 0 else found_kernel(plan + P.kernels, number, load(plan, P.resolver), more)
    if kernel == 0 or not count_write(first, load(plan, P.name)):
        return 0
    arrays, flat = load(plan, P.tensors) - (number >> 1), first_array(owners)
    put_array(words, arrays, load(flat, DATA), itemsize(number & 1))
    run_kernel(kernel, arrays + 1, elements(flat), words)
    return hold(first)


@native
def launch_in_place(self, arguments, count):
    """The first operand, to which the op's result has been written; None where this is for the general path."""
    plan, words, owners = load(self, DATA), frame(CALL_WORDS), frame(OWNERS)
    begin(owners)
    number = prepared(plan, arguments, words, owners)
    result = nothing() if number == UNFIT else write_flat(plan, arguments, number, words, owners)
    let_go(owners)
    return result
