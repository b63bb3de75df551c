"""New tensors with the dtype and device of another one: `zeros_like`, with its shape too, and `new_zeros`."""

from __future__ import annotations

from typing import Any

from ...dispatch import argument_checks
from ...tensor.layouts import relaid, requested_strides
from ...tensor.observers import interceptable
from ...tensor.tensor import from_flat
from .fast_calls import Creation, like_first, sampled_like_first
from .from_data import tensor
from .options import allocate, checked_size, chosen_dtype, filled, finish, size_argument
from .random import integers, normal, randint_bounds, stream, uniform

ZEROS_LIKE = Creation("zeros_like", "number", "L")
ONES_LIKE = Creation("ones_like", "number", "L", value=1)
FULL_LIKE = Creation("full_like", "number", "Lv")
EMPTY_LIKE = Creation("empty_like", "nothing", "L")
RAND_LIKE = Creation("rand_like", "uniform", "gL")
RANDN_LIKE = Creation("randn_like", "normal", "gL")
NEW_TENSOR = Creation("new_tensor", "data", "Lv")
NEW_ZEROS = Creation("new_zeros", "number", "LSs")
NEW_ONES = Creation("new_ones", "number", "LSs", value=1)
NEW_FULL = Creation("new_full", "number", "Lsv")
NEW_EMPTY = Creation("new_empty", "nothing", "LSs")


def options_like(op: str, source: Any, dtype: Any, device: Any) -> tuple[Any, Any]:
    argument_checks.tensor(op, "input", source)
    return chosen_dtype(op, dtype, source._dtype), source._device if device is None else device


def in_memory_format(op: str, t: Any, source: Any, memory_format: Any) -> Any:
    """A new tensor laid as a format says, by default as `source` lies. What is drawn is drawn for places in memory."""
    requested = argument_checks.optional_memory_format(op, "memory_format", memory_format)
    return relaid(t, requested_strides(op, source, requested))


@like_first(ZEROS_LIKE)
@interceptable("like", sparse="without_elements")
def zeros_like(
    input: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Any:
    """Zeros of the shape, dtype and device of `input`.

    Args:
        input: the tensor to be like.
        dtype: the element type; that of `input` when not given.
        device: where the tensor is made; where `input` is when not given.
        requires_grad: whether operations on the new tensor are recorded.
        memory_format: how the dimensions lie in memory; as those of `input` when not given.

    Example:
        >>> import specgrad as sg
        >>> sg.zeros_like(sg.ones(2))
        tensor([0., 0.])
    """
    kind, target_device = options_like("zeros_like", input, dtype, device)
    t = in_memory_format("zeros_like", filled("zeros_like", input._shape, 0, kind, target_device), input, memory_format)
    return finish("zeros_like", t, target_device, requires_grad)


@like_first(ONES_LIKE)
@interceptable("like")
def ones_like(
    input: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Any:
    """Ones of the shape, dtype and device of `input`; arguments as of `zeros_like`."""
    kind, target_device = options_like("ones_like", input, dtype, device)
    t = in_memory_format("ones_like", filled("ones_like", input._shape, 1, kind, target_device), input, memory_format)
    return finish("ones_like", t, target_device, requires_grad)


@interceptable("like")
def full_like(
    input: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Any:
    """One value in the shape, dtype and device of `input`.

    Args:
        fill_value: the number.
        input, dtype, device, requires_grad, memory_format: as of `zeros_like`.
    """
    if (made := FULL_LIKE.launch(input, fill_value, dtype, device, requires_grad, memory_format)) is not None:
        return made
    kind, target_device = options_like("full_like", input, dtype, device)
    value = argument_checks.scalar("full_like", "fill_value", fill_value)
    t = in_memory_format(
        "full_like", filled("full_like", input._shape, value, kind, target_device), input, memory_format
    )
    return finish("full_like", t, target_device, requires_grad)


@like_first(EMPTY_LIKE)
@interceptable("like", sparse="without_elements")
def empty_like(
    input: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None
) -> Any:
    """A tensor like `input` whose elements are whatever the memory holds; arguments as of `zeros_like`."""
    kind, target_device = options_like("empty_like", input, dtype, device)
    t = from_flat(allocate("empty_like", input._shape, kind, target_device), input._shape, kind)
    return finish("empty_like", in_memory_format("empty_like", t, input, memory_format), target_device, requires_grad)


@sampled_like_first(RAND_LIKE)
@interceptable("random")
def rand_like(
    input: Any,
    *,
    generator: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Any:
    """Numbers drawn uniformly from [0, 1) in the shape, dtype and device of `input`.

    Args:
        generator: where the randomness comes from; the default generator when not given.
        input, dtype, device, requires_grad, memory_format: as of `zeros_like`.
    """
    kind, target_device = options_like("rand_like", input, dtype, device)
    t = uniform("rand_like", stream("rand_like", generator), input._shape, kind, device=target_device)
    return finish("rand_like", in_memory_format("rand_like", t, input, memory_format), target_device, requires_grad)


@sampled_like_first(RANDN_LIKE)
@interceptable("random")
def randn_like(
    input: Any,
    *,
    generator: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Any:
    """Numbers drawn from the standard normal distribution in the shape, dtype and device of `input`.

    Args:
        generator: where the randomness comes from; the default generator when not given.
        input, dtype, device, requires_grad, memory_format: as of `zeros_like`.
    """
    kind, target_device = options_like("randn_like", input, dtype, device)
    t = normal("randn_like", stream("randn_like", generator), input._shape, kind, device=target_device)
    return finish("randn_like", in_memory_format("randn_like", t, input, memory_format), target_device, requires_grad)


@interceptable("random")
def randint_like(
    input: Any,
    low: Any = 0,
    high: Any = None,
    *,
    generator: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Any:
    """Integers drawn uniformly from [low, high) in the shape, dtype and device of `input`.

    Args:
        low: the least integer; 0 when only one bound is given.
        high: the integer after the greatest one.
        generator: where the randomness comes from; the default generator when not given.
        input, dtype, device, requires_grad, memory_format: as of `zeros_like`.
    """
    kind, target_device = options_like("randint_like", input, dtype, device)
    bounds = randint_bounds("randint_like", low, high)
    t = integers("randint_like", stream("randint_like", generator), bounds, input._shape, kind, target_device)
    return finish(
        "randint_like", in_memory_format("randint_like", t, input, memory_format), target_device, requires_grad
    )


def new_tensor(self: Any, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A tensor of `data` with the dtype and device of this one.

    Args:
        data: as of `tensor`.
        dtype, device: those of this tensor when not given.
        requires_grad: whether operations on the new tensor are recorded.
    """
    if (made := NEW_TENSOR.launch(self, data, dtype, device, requires_grad)) is not None:
        return made
    kind, target_device = options_like("new_tensor", self, dtype, device)
    return tensor(data, dtype=kind, device=target_device, requires_grad=requires_grad)


def new_zeros(
    self: Any, *sizes: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """Zeros in the given size, with the dtype and device of this tensor.

    Args:
        sizes, size: the shape, as several ints or as one list or tuple.
        dtype, device: those of this tensor when not given.
        requires_grad: whether operations on the new tensor are recorded.
    """
    if (made := NEW_ZEROS.launch(self, sizes, size, dtype, device, requires_grad)) is not None:
        return made
    kind, target_device = options_like("new_zeros", self, dtype, device)
    shape = size_argument("new_zeros", sizes, size)
    return finish("new_zeros", filled("new_zeros", shape, 0, kind, target_device), target_device, requires_grad)


def new_ones(
    self: Any, *sizes: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """Ones in the given size, with the dtype and device of this tensor; arguments as of `new_zeros`."""
    if (made := NEW_ONES.launch(self, sizes, size, dtype, device, requires_grad)) is not None:
        return made
    kind, target_device = options_like("new_ones", self, dtype, device)
    shape = size_argument("new_ones", sizes, size)
    return finish("new_ones", filled("new_ones", shape, 1, kind, target_device), target_device, requires_grad)


def new_full(
    self: Any, size: Any, fill_value: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """One value in the given size, with the dtype and device of this tensor.

    Args:
        size: the shape, a list or tuple of ints.
        fill_value: the number.
        dtype, device: those of this tensor when not given.
        requires_grad: whether operations on the new tensor are recorded.
    """
    if (made := NEW_FULL.launch(self, size, fill_value, dtype, device, requires_grad)) is not None:
        return made
    kind, target_device = options_like("new_full", self, dtype, device)
    shape = checked_size("new_full", argument_checks.integer_list("new_full", "size", size))
    value = argument_checks.scalar("new_full", "fill_value", fill_value)
    return finish("new_full", filled("new_full", shape, value, kind, target_device), target_device, requires_grad)


def new_empty(
    self: Any, *sizes: Any, size: Any = None, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """Uninitialised elements in the given size; arguments as of `new_zeros`."""
    if (made := NEW_EMPTY.launch(self, sizes, size, dtype, device, requires_grad)) is not None:
        return made
    kind, target_device = options_like("new_empty", self, dtype, device)
    shape = size_argument("new_empty", sizes, size)
    return finish(
        "new_empty",
        from_flat(allocate("new_empty", shape, kind, target_device), shape, kind),
        target_device,
        requires_grad,
    )
