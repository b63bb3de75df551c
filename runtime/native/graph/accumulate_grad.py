"""Gradients that reach leaves: kept, or added to what has come before, as autograd/accumulate_grad.py does."""

from __future__ import annotations

from ...compiler.language.call_abi import CallFrame, put_array
from ...compiler.language.functions import NULL, New, address_of, atomic_xchg, cast, native, new
from ...compiler.language.memory import is_float, itemsize
from ..elementwise.inplace import awaited, count_write
from ..objects import c_api as c
from ..objects.interned import adding, begin_adding, end_adding, false, name_backward, name_deliver_to_leaf, none, true
from ..objects.kernel_call import Arguments, kernel_address, run_kernel, succeeded
from ..objects.layout import Array, Capture, Object, Pass, Tensor
from ..objects.references import Owned, begin, is_held, own, release_all, retain
from ..objects.strided import gathered_array, is_strided
from ..objects.tensors import elements, holds_kind, is_tensor, kind_of, new_flat, new_tensor, records, same

MAX_COPIED_SUM = 1 << 12  # elements that `summed` copies


@native
def may_keep(leaf: Tensor, gradient: Tensor, owned: bool) -> bool:
    flats = leaf.flat is not none and gradient.flat is not none
    unset = leaf.grad is none and leaf.grad_fn is none
    free = owned and flats and unset and gradient.base is none
    return free and same(leaf.shape, gradient.shape)


@native
def is_only_view(gradient: Tensor, incoming: Object) -> bool:
    """Whether a gradient is a view of all of an incoming one that only the pass holds, and so its last one."""
    if not is_tensor(gradient) or gradient.base is none or gradient.base is not incoming or gradient.flat is none:
        return False
    base, alone = cast(Tensor, incoming), is_held(gradient, 1) and is_held(incoming, 2)
    # One without a flat array of its own is in another order: its storage is new too, where it is no view itself.
    base_storage = base.storage if base.flat is none and base.base is none else base.flat
    return alone and base_storage is not none and elements(base_storage) == elements(gradient.flat)


@native
def may_add(leaf: Tensor, gradient: Object) -> bool:
    """Whether a gradient can be added to the one that a leaf has as it lies: both are flat, of one shape and dtype."""
    if leaf.requires_grad is not true or leaf.grad_fn is not none:
        return False
    if not is_tensor(leaf.grad) or not is_tensor(gradient):
        return False
    held = cast(Tensor, leaf.grad)
    kind = kind_of(held.dtype)
    return is_float(kind) and same_layout(held, cast(Tensor, gradient), kind) and not awaited(held)


@native
def same_layout(held: Tensor, value: Tensor, kind: int) -> bool:
    if held.flat is none or value.flat is none or kind_of(value.dtype) != kind:
        return False
    fit = holds_kind(held.flat, kind) and holds_kind(value.flat, kind) and same(held.shape, value.shape)
    return fit and elements(held.flat) == elements(value.flat)


@native
def add_flat(held: Tensor, gradient: Tensor, kind: int, kernel: int) -> None:
    """held += gradient; other threads may run meanwhile, but for those that want to add as well."""
    frame, total, part = new(CallFrame), retain(held.flat), retain(gradient.flat)
    put_array(frame, 0, total.memory, itemsize(kind))
    put_array(frame, 1, part.memory, itemsize(kind))
    run_kernel(kernel, 2, elements(total), frame)
    c.release(total)
    c.release(part)


@native
def summed(first: Object, second: Object) -> New[Tensor]:
    """A new tensor, the sum of two small gradients that are not recorded; NULL also where this is for Python."""
    if not is_tensor(first) or not is_tensor(second) or records() != 0:
        return cast(Tensor, NULL)
    one, other = cast(Tensor, first), cast(Tensor, second)
    kind = kind_of(one.dtype)
    if not is_float(kind) or not same_layout(one, other, kind) or elements(one.flat) > MAX_COPIED_SUM:
        return cast(Tensor, NULL)
    owned = new(Owned)
    begin(owned)
    shape, dtype = own(owned, one.shape), own(owned, one.dtype)
    terms, others = own(owned, one.flat), own(owned, other.flat)
    kernel, frame, count = kernel_address(adding.kernels, kind, adding.resolver), new(CallFrame), elements(terms)
    flat = cast(Array, NULL) if kernel == 0 else new_flat(count, kind)
    total = cast(Tensor, NULL)
    if flat is not NULL:
        c.copy_memory(flat.memory, terms.memory, count * itemsize(kind))
        put_array(frame, 0, flat.memory, itemsize(kind))
        put_array(frame, 1, others.memory, itemsize(kind))
        run_kernel(kernel, 2, count, frame)
        total = new_tensor(flat, shape, dtype)
    release_all(owned)
    return total


@native
def add(leaf: Tensor, gradient: Object) -> int:
    """Add a gradient to that of a leaf: 1; 0 where this is for Python, -1 where an error is set."""
    if not may_add(leaf, gradient):
        return 0
    held, value = cast(Tensor, retain(leaf.grad)), cast(Tensor, gradient)
    kind = kind_of(value.dtype)
    kernel, added = kernel_address(adding.kernels, kind, adding.resolver), False
    # Counted before the write: no reader may take the old count for the new values.
    nothing = new(Arguments).items
    done = kernel != 0 and count_write(held, name_backward) and succeeded(c.call(begin_adding, nothing, 0, 0))
    if done:
        added = leaf.grad is held and may_add(leaf, gradient) and kind_of(value.dtype) == kind  # still: it has waited
        if added:
            add_flat(held, value, kind, kernel)
        done = succeeded(c.call(end_adding, nothing, 0, 0))
    c.release(held)
    return int(added) if done else -1


@native
def capture_leaf(capture: Capture, leaf: Tensor, gradient: Object) -> int:
    """Note the gradient of a leaf that was asked for: 1; 0 where this is for Python, -1 where an error is set."""
    number = c.new_int(address_of(leaf))
    if number is NULL:
        return -1
    leaves = retain(capture.leaves)
    held = c.dict_item(leaves, number)
    if held is NULL:
        done = 0 if c.error_set() is NULL else -1
    else:
        held = retain(held)
        total = retain(gradient) if held is none else c.add(held, gradient)
        done = 1 if total is not NULL and c.set_dict_item(leaves, number, total) == 0 else -1
        c.release(held)
        c.release(total)
    c.release(leaves)
    c.release(number)
    return done


@native
def deliver_unchanged(backward: Pass, leaf: Tensor, gradient: Object, incoming: Object, owned: bool) -> bool:
    free = backward.capture is none and backward.create is not true
    if free and owned and leaf.grad is none and is_only_view(cast(Tensor, gradient), incoming):
        c.release(atomic_xchg(cast(Tensor, gradient), "base", retain(none)))  # the incoming one ends with this step
    if free and leaf.requires_grad is true and may_keep(leaf, cast(Tensor, gradient), owned):
        c.release(atomic_xchg(leaf, "grad", retain(gradient)))
        return True
    accumulates = backward.capture is not none and backward.capture.accumulate is not true
    added = capture_leaf(backward.capture, leaf, gradient) if accumulates else add(leaf, gradient) if free else 0
    if added != 0:
        return added > 0
    arguments = new(Arguments)
    arguments.items[0] = backward
    arguments.items[1] = leaf
    arguments.items[2] = gradient
    arguments.items[3] = true if owned else false
    return succeeded(c.call_method(name_deliver_to_leaf, arguments.items, 4, 0))


@native
def packed_sum(leaf: Tensor, gradient: Object) -> New[Tensor]:
    if leaf.flat is none or not is_tensor(gradient) or not is_strided(cast(Tensor, gradient)):
        return cast(Tensor, NULL)
    value, owned = cast(Tensor, gradient), new(Owned)
    begin(owned)
    shape, dtype = own(owned, value.shape), own(owned, value.dtype)
    flat = gathered_array(value, kind_of(dtype), owned) if is_float(kind_of(dtype)) else cast(Array, NULL)
    copy = cast(Tensor, NULL) if flat is NULL else new_tensor(retain(flat), shape, dtype)
    c.clear_error()  # without memory for it Python goes on
    release_all(owned)
    return copy


@native
def deliver_to_leaf(backward: Pass, leaf: Tensor, gradient: Object, incoming: Object, owned: bool) -> bool:
    if gradient is none:
        return True
    free = backward.capture is none and backward.create is not true
    copy = packed_sum(leaf, gradient) if free and leaf.requires_grad is true else cast(Tensor, NULL)
    if copy is NULL:
        return deliver_unchanged(backward, leaf, gradient, incoming, owned)
    done = deliver_unchanged(backward, leaf, copy, incoming, True)
    c.release(copy)
    return done
