"""The gradients of an element-wise node on a device, by one launch: `gradients.fused_gradients` for those."""

from __future__ import annotations

from ...compiler.language.functions import NULL, New, cast, native, new
from ...compiler.language.memory import is_half, number_at
from ..elementwise.gradient import FusedKernel, FusedPlan, output_mask_of, unwritten
from ..objects import c_api as c
from ..objects.interned import false, none, true
from ..objects.layout import Array, Node, Object, Tensor, Tuple
from ..objects.references import Owned, begin, own, own_new, put_item, release_all, retain, size, slot
from ..objects.tensors import elements, holds_kind, is_tensor, kind_of, refused, same
from . import launch
from .launch import DOUBLE, SINGLE, LaunchPlan, Sources, holds, is_here, plan_of, put_number, put_tensor, results_of

DTYPE, SHAPE, NUMBER = range(3)  # of a key: of the gradient, and whether a kept tensor is a number
GRADIENT = 0  # operand of a launch; the kept tensors and the numbers follow


@native
def saved_scalar(kernel: FusedKernel, node: Node) -> Array:
    if kernel.number < 0:
        return cast(Array, NULL)
    obj = slot(node, kernel.tensors[kernel.number].slot)
    flat = cast(Tensor, obj).flat if is_tensor(obj) else cast(Array, none)
    return flat if flat is not none and elements(flat) == 1 else cast(Array, NULL)


@native
def key_of(kernel: FusedKernel, node: Node, gradient: Tensor) -> New[Tuple]:
    is_number = saved_scalar(kernel, node) is not NULL
    key = c.new_tuple(3)
    if key is not NULL:
        put_item(key, DTYPE, retain(gradient.dtype))
        put_item(key, SHAPE, retain(gradient.shape))
        put_item(key, NUMBER, retain(true if is_number else false))
    return key


@native
def cached_launch(kernel: FusedKernel, node: Node, gradient: Tensor, owned: Owned) -> Tuple:
    """What was found for a gradient, owned; NULL where nothing was, or an error is set."""
    key = cast(Tuple, NULL) if kernel.device is NULL else own_new(owned, key_of(kernel, node, gradient))
    entry = NULL if key is NULL else c.dict_item(kernel.device, key)
    if entry is NULL or not holds(plan_of(cast(Tuple, entry))):
        return cast(Tuple, NULL)
    return cast(Tuple, own(owned, entry))


@native
def put_bits(plan: LaunchPlan, i: int, flat: Array, dtype: Object, sources: Sources) -> bool:
    """Make the bits of a number that has been kept as an array a source: kernels have a 16-bit one as a float32."""
    kind = kind_of(dtype)
    fits = plan.kinds[i] == (SINGLE if kind == 0 or is_half(kind) else DOUBLE) and holds_kind(flat, kind)
    if fits:
        sources.values[i] = number_at(flat.memory, kind)
    return fits


@native
def set_saved(
    kernel: FusedKernel, plan: LaunchPlan, node: Node, i: int, gradient: Tensor, sources: Sources, owned: Owned
) -> bool:
    saved_count = kernel.tensors[i]
    obj, version = slot(node, saved_count.slot), slot(node, saved_count.version)
    tensor = cast(Tensor, obj)
    if is_tensor(obj):
        flat = saved_scalar(kernel, node) if kernel.number == i else cast(Array, NULL)
        return flat is not NULL and put_bits(plan, 1 + i, flat, tensor.dtype, sources)
    if not is_here(obj) or not unwritten(tensor, version) or tensor.flat is none:
        return False
    return same(tensor.shape, gradient.shape) and put_tensor(plan, 1 + i, tensor, sources, owned)


@native
def put_all(
    kernel: FusedKernel, plan: LaunchPlan, node: Node, gradient: Tensor, sources: Sources, owned: Owned
) -> bool:
    if not is_here(gradient) or not put_tensor(plan, GRADIENT, gradient, sources, owned):
        return False
    for i in range(kernel.saved):
        if not set_saved(kernel, plan, node, i, gradient, sources, owned):
            return False
    fit = True
    for i in range(kernel.numbers):
        fit = fit and put_number(plan, 1 + kernel.saved + i, slot(node, kernel.number_slots[i]), sources)
    return fit


@native
def computed(plan: FusedPlan, node: Node, gradient: Tensor, owned: Owned) -> New[Object]:
    edges, device, sources = own(owned, node.edges), own(owned, gradient.device), new(Sources)
    output_mask = output_mask_of(edges)
    kernel = plan.cases[output_mask - 1]
    result = cached_launch(kernel, node, gradient, owned) if is_here(gradient) else cast(Tuple, NULL)
    if result is NULL:
        return refused()
    launches = plan_of(result)
    first = launch.take_blocks(launches, result, sources, owned)
    if first < 0:
        return NULL
    if not put_all(kernel, launches, node, gradient, sources, owned) or not launch.run(launches, sources):
        return refused()
    return results_of(launches, result, size(edges), first, device, owned)


@native
def gradients_on_device(plan: FusedPlan, node: Node, gradient: Tensor) -> New[Object]:
    owned = new(Owned)
    begin(owned)
    result = computed(plan, node, gradient, owned)
    release_all(owned)
    return result
