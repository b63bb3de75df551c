"""The gradients of a node from a kernel with recipes: what its `apply` does where nothing is recorded."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.words import frame, load, native
from . import c_functions as c
from .gradients import G, unwritten, wanted_of
from .layout import NODE, TENSOR
from .objects import hold, kind_of, nothing, records, the
from .recipe_calls import LENGTH, note_operand, run_recipe
from .structured import NATIVE, TENSOR_LETTER, is_operand, looked_up, put_layout
from .world import W


class Reads(NamedTuple):
    """Distances of what is known of the kernel's operands from the address of the node's plan, from its cases on."""

    listed: int  # -1; or which of several outputs has a gradient, for then they come in a list
    found: int  # the address of the dictionary of recipes
    layouts: int  # how many operands are tensors
    operands: int  # how many operands, and of each: what it is, its slot, that of its count of writes
    items: int


N = Reads(*[G.cases + 8 * i for i in range(len(Reads._fields))])
WANTED, GRADIENT, KEPT, VALUE = (ord(letter) for letter in "wgkv")
LAYOUTS = (GRADIENT, KEPT)


@native
def note_kept(node, slot, version, index, dtype, words):
    """Note a kept tensor as an operand; False where it was written to, is hidden, or of another dtype."""
    tensor = load(node, slot)
    if tensor == the(W.none):
        return True
    if not is_operand(tensor, TENSOR_LETTER, 0) or not unwritten(tensor, load(node, version)):
        return False
    own = load(tensor, TENSOR.dtype)
    note_operand(words, index, tensor)
    return own == dtype or own == the(W.int64)


@native
def noted(plan, node, gradient, dtype, words):
    """Whether all operands are as the recipes take them; they are noted."""
    for i in range(load(plan, N.operands)):
        item = plan + N.items + 24 * i
        kind = load(item, 0)
        if kind == GRADIENT:
            note_operand(words, i, gradient)
        elif kind == KEPT and not note_kept(node, load(item, 8), load(item, 16), i, dtype, words):
            return False
    return True


@native
def key_of(plan, node, gradient):
    """What recipes are found by: the wanted gradients, layouts and values."""
    count, place = load(plan, N.operands), 0
    key = c.new_tuple(count + load(plan, N.layouts))
    for i in range(count):
        item = plan + N.items + 24 * i
        kind = load(item, 0)
        if kind in LAYOUTS:
            put_layout(key, place, gradient if kind == GRADIENT else load(node, load(item, 8)))
            place += 2
            continue
        wanted = kind == WANTED
        value = c.integer(wanted_of(load(node, NODE.edges))) if wanted else hold(load(node, load(item, 8)))
        c.set_tuple_item(key, place, value)
        place += 1
    return key


@native
def all_of(metas, dtype):
    """Whether all inputs are of a dtype."""
    for i in range(c.tuple_size(metas)):
        meta = c.tuple_item(metas, i)
        if meta != the(W.none) and c.tuple_item(meta, 1) != dtype:
            return False
    return True


@native
def structured_gradients(plan, node, given):
    """The gradients in a tuple; None where no recipe has been found, 0 where an error is set."""
    words, metas, listed = frame(LENGTH), load(node, NODE.metas), load(plan, N.listed)
    gradient = given if listed < 0 else c.list_item(given, listed)
    if not is_operand(gradient, TENSOR_LETTER, 0) or metas == the(W.none):
        return nothing()
    dtype, recorded = load(gradient, TENSOR.dtype), records()
    if recorded != 0:
        return 0 if recorded < 0 else nothing()
    if kind_of(dtype) not in NATIVE or not all_of(metas, dtype) or not noted(plan, node, gradient, dtype, words):
        return nothing()
    found = looked_up(load(plan, N.found), key_of(plan, node, gradient))
    if found == 0:
        return nothing()
    hold(found)
    results = run_recipe(found, c.tuple_size(load(node, NODE.edges)), dtype, words)
    c.drop(found)
    return nothing() if results == 0 and c.error_set() == 0 else results
