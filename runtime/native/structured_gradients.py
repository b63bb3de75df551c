"""The gradients of a node from a kernel with recipes: what its `apply` does where nothing is recorded."""

from __future__ import annotations

from typing import NamedTuple

from ..kernels.llvm.memory import frame, load, native
from . import c_functions as c
from .gradients import G, unwritten, wanted_of
from .layout import DATA, NODE, TENSOR
from .objects import hold, kind_of, nothing, own, own_new, records, the
from .recipe_calls import LENGTH, note_operand, run_recipe
from .structured import NATIVE, TENSOR_LETTER, has_layout, is_operand, looked_up, put_layout
from .tuples import put_item, tuple_item, tuple_size
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
def is_kept(node, item, dtype):
    """Whether a kept tensor is as it was, and of this dtype or an index; or None."""
    tensor = load(node, load(item, 8))
    if tensor == the(W.none):
        return True
    if not is_operand(tensor, TENSOR_LETTER, 0) or not unwritten(tensor, load(node, load(item, 16))):
        return False
    own_dtype = load(tensor, TENSOR.dtype)
    return own_dtype == dtype or own_dtype == the(W.int64)


@native
def operand_of(node, item, gradient):
    """The tensor that an operand is, owned by nobody here; 0 where it is none."""
    kind = load(item, 0)
    return gradient if kind == GRADIENT else load(node, load(item, 8)) if kind == KEPT else 0


@native
def all_fit(plan, node, dtype):
    """Whether all kept tensors are as the recipes take them."""
    for i in range(load(plan, N.operands)):
        item = plan + N.items + 24 * i
        if load(item, 0) == KEPT and not is_kept(node, item, dtype):
            return False
    return True


@native
def key_of(plan, node, gradient):
    """What recipes are found by: the wanted gradients, layouts and values; 0 where there is no memory."""
    count, place = load(plan, N.operands), 0
    key = c.new_tuple(count + load(plan, N.layouts))
    if key == 0:
        return key
    for i in range(count):
        item = plan + N.items + 24 * i
        kind = load(item, 0)
        if kind in LAYOUTS:
            put_layout(key, place, operand_of(node, item, gradient))
            place += 2
            continue
        wanted = kind == WANTED
        value = c.integer(wanted_of(load(node, NODE.edges))) if wanted else hold(load(node, load(item, 8)))
        if value == 0:
            c.drop(key)
            return value
        put_item(key, place, value)
        place += 1
    return key


@native
def note_all(plan, node, gradient, key, found, words, owners):
    """Note and own the memory of all operands; False where one no longer has the layout that stands in the key."""
    recipe, place = load(tuple_item(found, 0), DATA), 0
    for i in range(load(plan, N.operands)):
        item = plan + N.items + 24 * i
        tensor = operand_of(node, item, gradient)
        if tensor != 0 and not has_layout(key, place, tensor):
            return False
        if tensor != 0 and tensor != the(W.none):
            kind = kind_of(load(tensor, TENSOR.dtype))
            if not note_operand(recipe, words, i, tensor, kind, owners):
                return False
        place += 1 if tensor == 0 else 2
    return True


@native
def all_of(metas, dtype):
    """Whether all inputs are of a dtype."""
    for i in range(tuple_size(metas)):
        meta = tuple_item(metas, i)
        if meta != the(W.none) and tuple_item(meta, 1) != dtype:
            return False
    return True


@native
def structured_gradients(plan, node, given, owners):
    """The gradients in a tuple; None where no recipe has been found, 0 where an error is set."""
    words, listed, recorded = frame(LENGTH), load(plan, N.listed), records()
    metas = own(owners, load(node, NODE.metas))
    gradient = own(owners, given if listed < 0 else c.list_item(given, listed))
    if not is_operand(gradient, TENSOR_LETTER, 0) or metas == the(W.none):
        return nothing()
    if recorded != 0:
        return 0 if recorded < 0 else nothing()
    dtype = load(gradient, TENSOR.dtype)
    if kind_of(dtype) not in NATIVE or not all_of(metas, dtype):
        return nothing()
    if not all_fit(plan, node, dtype):  # what was released is no tensor, and has no layout to look up
        return nothing()
    key = own_new(owners, key_of(plan, node, gradient))
    if key == 0:
        return 0
    found = looked_up(load(plan, N.found), key)
    if found == 0:
        return nothing()
    own(owners, found)  # which the table may forget
    if not all_fit(plan, node, dtype) or not note_all(plan, node, gradient, key, found, words, owners):
        return nothing()
    results = run_recipe(found, tuple_size(load(node, NODE.edges)), dtype, words)
    return nothing() if results == 0 and c.error_set() == 0 else results
