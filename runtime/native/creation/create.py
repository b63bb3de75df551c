"""The builtin function of all creation functions."""

from __future__ import annotations

from ...kernels.llvm.native_code.structs import Items
from ...kernels.llvm.native_code.typed import NULL, New, atomic_xchg, cast, native, new
from .. import c_functions as c
from ..interned import int64, true
from ..layout import Array, Object, Tensor
from ..references import Owned, begin, release_all, retain
from ..tensors import new_tensor, not_handled
from .draws import fractions, integers, permutation, survivors
from .elements import element_of
from .nested import data
from .number import one_number
from .series import arange, eye, linspace
from .wanted import (
    NOWHERE,
    CreationPlan,
    CreationRequest,
    allows_grad,
    default_element,
    find_shape,
    memory_for,
    note_options,
    watched,
)

# what is written
NOTHING, ONE_NUMBER, FRACTIONS, INTEGERS, SURVIVORS, ARANGE, LINSPACE, EYE, DATA, PERMUTATION = range(10)


@native
def of_shape(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    """An array of the shape that is given, unset or random, owned; NULL where that is for the general path."""
    if not find_shape(plan, arguments, request, owned):
        return cast(Array, NULL)
    if plan.fill == FRACTIONS:
        return fractions(plan, arguments, request, owned)
    if plan.fill == SURVIVORS:
        return survivors(plan, arguments, request, owned)
    return integers(plan, arguments, request, owned) if plan.fill == INTEGERS else memory_for(request, owned)


@native
def array_for(plan: CreationPlan, arguments: Items[Object], request: CreationRequest, owned: Owned) -> Array:
    """The array of the new tensor, owned; NULL where an error is set, or where that is for the general path."""
    what = plan.fill
    if request.element is NULL and what in (INTEGERS, PERMUTATION):
        request.element = element_of(plan.elements, cast(Object, int64))
    elif request.element is NULL and plan.uses_default_dtype:
        request.element = default_element(plan)
    if what == ONE_NUMBER:
        return one_number(plan, arguments, request, owned)
    if what == ARANGE:
        return arange(plan, arguments, request, owned)
    if what == LINSPACE:
        return linspace(plan, arguments, request, owned)
    if what == EYE:
        return eye(plan, arguments, request, owned)
    if what == PERMUTATION:
        return permutation(plan, arguments, request, owned)
    return data(plan, arguments, request, owned) if what == DATA else of_shape(plan, arguments, request, owned)


@native
def create(self: Array, arguments: Items[Object], count: int) -> New[Object]:
    """The new tensor; None where the general path is to make it, or to say what is wrong."""
    plan, request, owned = cast(CreationPlan, self.memory), new(CreationRequest), new(Owned)
    if watched(plan.generator != NOWHERE or plan.like != NOWHERE):
        return not_handled()
    begin(owned)
    flat = cast(Array, NULL)
    if note_options(plan, arguments, count, request):
        flat = array_for(plan, arguments, request, owned)
    if flat is not NULL and allows_grad(request):
        result = cast(Object, new_tensor(cast(Array, retain(flat)), request.shape, request.element.ours))
        if request.grad and result is not NULL:
            c.release(atomic_xchg(cast(Tensor, result), "requires_grad", retain(true)))
    else:
        result = not_handled() if c.error_set() is NULL else cast(Object, NULL)
    release_all(owned)
    return result
