"""View ops whose view has been found before, for the same layout and arguments: what `runtime.tensor.view` does."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.words import frame, load, load_half, native, store
from . import c_functions as c
from .layout import DATA, DESCR, FLAGS, STEPS, TENSOR, TYPE
from .objects import elements, fresh, hold, is_tensor, new_writes, nothing, recording, replace, the
from .recording import record
from .world import W


class Plan(NamedTuple):
    """Distances of what is known of a view op from the address of its plan."""

    found: int  # the address of the dictionary of views found
    node: int  # of the node's plan
    operands: int  # how many `record` is given: the tensor, and what the view op has found of its arguments


V = Plan(*range(0, 8 * len(Plan._fields), 8))
WORDS = 8  # arguments of a view op, at most
SHARED_FLAGS = 0x503  # of an array's: contiguous, aligned, writeable; not that it owns its memory


@native
def only_ints(sizes):
    """Whether a tuple holds ints alone: 1.0 and True are equal to 1, but no sizes."""
    others = 0
    for i in range(c.tuple_size(sizes)):
        others += load(c.tuple_item(sizes, i), TYPE) != the(W.integer)
    return others == 0


@native
def plain(argument):
    """Whether an argument may be looked up: an int, a tuple of ints, or None."""
    kind = load(argument, TYPE)
    return kind == the(W.integer) or argument == the(W.none) or (kind == the(W.tuple) and only_ints(argument))


@native
def key_of(tensor, arguments, count):
    """(shape, strides, offset, *arguments), or 0."""
    key = c.new_tuple(count + 2)
    c.set_tuple_item(key, 0, hold(load(tensor, TENSOR.shape)))
    c.set_tuple_item(key, 1, hold(load(tensor, TENSOR.strides)))
    c.set_tuple_item(key, 2, hold(load(tensor, TENSOR.offset)))
    for i in range(1, count):
        c.set_tuple_item(key, i + 2, hold(load(arguments, 8 * i)))
    return key


@native
def found_view(plan, tensor, arguments, count):
    """What was found for this layout and these arguments, or 0."""
    for i in range(1, count):
        if not plain(load(arguments, 8 * i)):
            return 0
    key = key_of(tensor, arguments, count)
    found = c.dict_item(load(plan, V.found), key)
    c.drop(key)
    return found


@native
def part_of(storage, offset, count, words):
    """A flat array over `count` elements of another, from element `offset`; 0 where there is no memory."""
    if offset == 0 and count == elements(storage):
        return hold(storage)
    store(words, 0, count)
    memory = load(storage, DATA) + offset * load(load(storage, STEPS), 0)
    flags = load_half(storage + FLAGS) & SHARED_FLAGS
    part = c.new_array(the(W.ndarray), hold(load(storage, DESCR)), 1, words, 0, memory, flags, 0)
    if part != 0:
        c.set_base(part, hold(storage))
    return part


@native
def shared_writes(tensor):
    """The count of writes to a tensor's memory, which its views share; 0 where there is no memory."""
    if load(tensor, TENSOR.writes) == the(W.none):
        writes = new_writes()
        if writes == 0:
            return writes
        replace(tensor, TENSOR.writes, writes)
    return load(tensor, TENSOR.writes)


@native
def list_view(base, view):
    """Let a base know its view, weakly; False where there is no memory."""
    reference, views = c.weak_reference(view, 0), load(base, TENSOR.views)
    if reference == 0:
        return False
    if views == the(W.none):
        views = c.new_list(1)
        c.set_list_item(views, 0, reference)
        replace(base, TENSOR.views, views)
        return True
    c.append(views, reference)
    c.drop(reference)
    count = c.list_size(views)
    if count & (count - 1) == 0 and count > 4:
        words = frame(1)
        store(words, 0, views)
        c.drop(c.call(the(W.drop_dead), words, 1, 0))
    return True


@native
def make_view(source, place, words):
    """What `view` makes of a tensor and a `geometry`: the same memory, count of writes and base; 0 where that fails."""
    storage, writes = load(source, TENSOR.storage), shared_writes(source)
    count, offset = c.tuple_item(place, 3), c.tuple_item(place, 2)
    contiguous = count != the(W.none)
    flat = part_of(storage, c.as_integer(offset), c.as_integer(count), words) if contiguous else hold(the(W.none))
    if flat == 0 or writes == 0:
        return 0
    view = fresh(flat, c.tuple_item(place, 0), load(source, TENSOR.dtype))
    if view == 0:
        return view
    replace(view, TENSOR.storage, hold(storage))
    replace(view, TENSOR.strides, hold(c.tuple_item(place, 1)))
    replace(view, TENSOR.offset, hold(offset))
    replace(view, TENSOR.writes, hold(writes))
    replace(view, TENSOR.device, hold(load(source, TENSOR.device)))
    base = load(source, TENSOR.base)
    if base == the(W.none):
        base = source
    else:
        replace(view, TENSOR.views, hold(load(source, TENSOR.views)))
    replace(view, TENSOR.base, hold(base))
    if not list_view(base, view):
        c.drop(view)
        return 0
    return view


@native
def note_unrecorded(view, words):
    """What `not_recorded` does where this thread does not record."""
    store(words, 0, view)
    c.drop(c.call(the(W.not_recorded), words, 1, 0))


@native
def view_of(plan, tensor, arguments, count):
    """The view, recorded; None where none has been found for this layout and these arguments, the first not read."""
    if load(load(tensor, TENSOR.fn), TYPE) == the(W.outdated):
        return nothing()
    found, words = found_view(plan, tensor, arguments, count), frame(WORDS)
    if found == 0:
        c.clear_error()
        return nothing()
    hold(found)
    view, state = make_view(tensor, c.tuple_item(found, 0), words), recording()
    if view != 0 and state == 1 and load(tensor, TENSOR.rg) == the(W.true):
        store(words, 0, tensor)
        for i in range(1, load(plan, V.operands)):
            store(words, 8 * i, c.tuple_item(found, i))
        if not record(load(plan, V.node), view, words, False, False):
            c.drop(view)
            view = 0
    elif view != 0 and state == 0:
        note_unrecorded(view, words)
    c.drop(found)
    return view


@native
def launch_view(self, arguments, count):
    """The view, recorded; None where none has been found for this layout and these arguments."""
    tensor = load(arguments, 0)
    return view_of(load(self, DATA), tensor, arguments, count) if is_tensor(tensor) else nothing()
