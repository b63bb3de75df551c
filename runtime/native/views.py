"""View ops whose view has been found before, for the same layout and arguments: what `runtime.tensor.view` does."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.llvm.memory import frame, load, load_half, native, store
from . import c_functions as c
from .layout import DATA, DESCR, FLAGS, STEPS, TENSOR, TYPE
from .objects import (
    OWNERS,
    begin,
    elements,
    fresh,
    hold,
    is_tensor,
    let_go,
    nothing,
    own,
    own_new,
    recording,
    replace,
    shared_writes,
    the,
    withdrawn,
)
from .recording import record
from .tuples import put_item, tuple_item, tuple_size
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
    for i in range(tuple_size(sizes)):
        others += load(tuple_item(sizes, i), TYPE) != the(W.integer)
    return others == 0


@native
def plain(argument):
    """Whether an argument may be looked up: an int, a tuple of ints, or None."""
    kind = load(argument, TYPE)
    return kind == the(W.integer) or argument == the(W.none) or (kind == the(W.tuple) and only_ints(argument))


@native
def key_of(tensor, arguments, count):
    """(shape, strides, offset, *arguments); 0 where there is no memory."""
    key = c.new_tuple(count + 2)
    if key == 0:
        return key
    put_item(key, 0, hold(load(tensor, TENSOR.shape)))
    put_item(key, 1, hold(load(tensor, TENSOR.strides)))
    put_item(key, 2, hold(load(tensor, TENSOR.offset)))
    for i in range(1, count):
        put_item(key, i + 2, hold(load(arguments, 8 * i)))
    return key


@native
def all_plain(arguments, count):
    """Whether all arguments but the first may be looked up."""
    fit = True
    for i in range(1, count):
        fit &= plain(load(arguments, 8 * i))
    return fit


@native
def part_of(storage, offset, count, words):
    """A flat array over `count` elements of another, from element `offset`; 0 where there is no memory."""
    if offset == 0 and count == elements(storage):
        return hold(storage)
    store(words, 0, count)
    memory = load(storage, DATA) + offset * load(load(storage, STEPS), 0)
    flags = load_half(storage + FLAGS) & SHARED_FLAGS
    part = c.new_array(the(W.ndarray), hold(load(storage, DESCR)), 1, words, 0, memory, flags, 0)
    if part != 0 and c.set_base(part, hold(storage)) < 0:
        c.drop(part)
        return 0
    return part


@native
def list_view(base, view):
    """Let a base know its view, weakly; False where there is no memory."""
    reference = c.weak_reference(view, 0)
    if reference == 0:
        return False
    if load(base, TENSOR.views) == the(W.none):
        made = c.new_list(0)
        if made == 0:
            c.drop(reference)
            return False
        if load(base, TENSOR.views) == the(W.none):  # still: a finalizer may have made a view
            replace(base, TENSOR.views, made)
        else:
            c.drop(made)
    views = hold(load(base, TENSOR.views))
    done = c.append(views, reference) == 0
    c.drop(reference)
    count = c.list_size(views)
    if done and count & (count - 1) == 0 and count > 4:
        words = frame(1)
        store(words, 0, views)
        answer = c.call(the(W.drop_dead), words, 1, 0)
        done = answer != 0
        c.drop(answer)
    c.drop(views)
    return done


@native
def make_view(source, storage, writes, dtype, place, words):
    """What `view` makes of a tensor and a `geometry`: the same memory, count of writes and base; None where the memory
    is too short for it, 0 where that fails. The caller owns all of them."""
    count, offset, none = tuple_item(place, 3), c.as_integer(tuple_item(place, 2)), the(W.none)
    size = c.as_integer(count) if count != none else 0
    if offset + size > elements(storage):
        return nothing()
    flat = part_of(storage, offset, size, words) if count != none else hold(none)
    view = 0 if flat == 0 else fresh(flat, tuple_item(place, 0), dtype)
    if view == 0:
        return view
    replace(view, TENSOR.storage, hold(storage))
    replace(view, TENSOR.strides, hold(tuple_item(place, 1)))
    replace(view, TENSOR.offset, hold(tuple_item(place, 2)))
    replace(view, TENSOR.writes, hold(writes))
    replace(view, TENSOR.device, hold(load(source, TENSOR.device)))
    if load(source, TENSOR.base) == none:
        base = hold(source)
    else:
        base = hold(load(source, TENSOR.base))
        replace(view, TENSOR.views, hold(load(source, TENSOR.views)))
    replace(view, TENSOR.base, base)
    if not list_view(base, view):
        c.drop(view)
        return 0
    return view


@native
def note_unrecorded(view, words):
    """What `not_recorded` does where this thread does not record; False where an error is set."""
    store(words, 0, view)
    answer = c.call(the(W.not_recorded), words, 1, 0)
    c.drop(answer)
    return answer != 0


@native
def recorded(plan, view, tensor, found, words, owners):
    """Put the view into the graph, or note that it is not in it; False where an error is set."""
    state = recording()
    if state == 0:
        return note_unrecorded(view, words)
    if state != 1 or load(tensor, TENSOR.rg) != the(W.true):
        return state > 0
    store(words, 0, tensor)
    for i in range(1, load(plan, V.operands)):
        store(words, 8 * i, tuple_item(found, i))
    return record(load(plan, V.node), view, words, False, False, owners)


@native
def look_up(plan, tensor, arguments, count, owners):
    """What was found for this layout and these arguments, owned from here on; 0 where there is nothing.

    The next two that are owned are the storage that has this layout and its count of writes.
    """
    writes = own_new(owners, shared_writes(tensor))
    key = 0 if writes == 0 else own_new(owners, key_of(tensor, arguments, count))
    if key == 0:
        return 0
    found = c.dict_item(load(plan, V.found), key)
    if found == 0 or load(tensor, TENSOR.writes) != writes or load(tensor, TENSOR.offset) != tuple_item(key, 2):
        return 0
    own(owners, load(tensor, TENSOR.storage))
    return own(owners, found)


@native
def view_of(plan, tensor, arguments, count):
    """The view, recorded; None where none has been found for this layout and these arguments, the first not read."""
    if load(load(tensor, TENSOR.fn), TYPE) == the(W.outdated) or not all_plain(arguments, count):
        return nothing()
    words, owners = frame(WORDS), frame(OWNERS)
    begin(owners)
    found = look_up(plan, tensor, arguments, count, owners)
    if found == 0:
        c.clear_error()
        view = nothing()
    else:
        storage, writes, dtype = load(owners, 24), load(owners, 8), load(tensor, TENSOR.dtype)
        view = make_view(tensor, storage, writes, dtype, tuple_item(found, 0), words)
        if view != 0 and view != the(W.none) and not recorded(plan, view, tensor, found, words, owners):
            view = withdrawn(view)
    let_go(owners)
    return view


@native
def launch_view(self, arguments, count):
    """The view, recorded; None where none has been found for this layout and these arguments."""
    tensor = load(arguments, 0)
    return view_of(load(self, DATA), tensor, arguments, count) if is_tensor(tensor) else nothing()
