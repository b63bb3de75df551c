"""New tensors with the dtype and device of another one: `zeros_like`, with its shape too, and `new_zeros`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol, overload

from ...device.device import DeviceLike
from ...dispatch import argument_checks
from ...dispatch.overloads import Number
from ...namespace import Tensor
from ...shapes import Shape
from ...tensor.dtypes import dtype
from ...tensor.generator import Generator
from ...tensor.layouts import relaid, requested_strides
from ...tensor.memory_format import layout, memory_format
from ...tensor.observers import interceptable, sampling
from ...tensor.tensor import from_flat
from .fast_calls import Creation, named_like, public
from .from_data import tensor
from .options import allocate, checked_size, chosen_dtype, filled, finish, require_strided, size_argument
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


def made_like(
    op: str, make: Any, input: Any, dtype: Any, device: Any, requires_grad: Any, memory_format: Any, *args: Any
) -> Any:
    """What `make` gives of shape, dtype and device, laid as a format says, by default as `input` lies.

    What is drawn is drawn for places in memory.
    """
    kind, target_device = options_like(op, input, dtype, device)
    t = make(input._shape, kind, target_device, *args)
    requested = argument_checks.optional_memory_format(op, "memory_format", memory_format)
    return finish(op, relaid(t, requested_strides(op, input, requested)), target_device, requires_grad)


class _Like(Protocol):
    def __call__(
        self,
        input: Tensor,
        *,
        dtype: dtype | None = None,
        layout: layout | None = None,
        device: DeviceLike = None,
        requires_grad: bool = False,
        memory_format: memory_format | None = None,
    ) -> Tensor: ...


class _SampledLike(Protocol):
    def __call__(
        self,
        input: Tensor,
        *,
        generator: Generator | None = None,
        dtype: dtype | None = None,
        layout: layout | None = None,
        device: DeviceLike = None,
        requires_grad: bool = False,
        memory_format: memory_format | None = None,
    ) -> Tensor: ...


@overload
def _like(creation: Creation, *, sparse: str = "") -> Callable[[Any], _Like]: ...
@overload
def _like(creation: Creation, rule: str) -> Callable[[Any], _SampledLike]: ...
def _like(creation: Creation, rule: str = "like", sparse: str = "") -> Callable[[Any], Any]:
    """The public function of how elements are made, which asks native code before all who watch, of whom it knows."""

    def decorate(make: Any) -> Any:
        name, is_random = creation.name, rule == "random"

        def general(
            input: Any,
            *,
            generator: Any = None,
            dtype: Any = None,
            device: Any = None,
            requires_grad: bool = False,
            memory_format: Any = None,
        ) -> Any:
            chosen = (stream(name, generator),) if is_random else ()
            return made_like(name, make, input, dtype, device, requires_grad, memory_format, *chosen)

        watched = interceptable(rule, sparse)(named_like(general, make))

        def like(
            input: Tensor,
            *,
            dtype: dtype | None = None,
            layout: layout | None = None,
            device: DeviceLike = None,
            requires_grad: bool = False,
            memory_format: memory_format | None = None,
        ) -> Tensor:
            if layout is not None:
                require_strided(name, layout)
            made = creation.launch(input, dtype, device, requires_grad, memory_format)
            if made is not None:
                return made
            return watched(input, dtype=dtype, device=device, requires_grad=requires_grad, memory_format=memory_format)

        def sampled_like(
            input: Tensor,
            *,
            generator: Generator | None = None,
            dtype: dtype | None = None,
            layout: layout | None = None,
            device: DeviceLike = None,
            requires_grad: bool = False,
            memory_format: memory_format | None = None,
        ) -> Tensor:
            if layout is not None:
                require_strided(name, layout)
            made = creation.launch(generator, input, dtype, device, requires_grad, memory_format)
            if made is not None:
                return made
            options = {"dtype": dtype, "device": device, "requires_grad": requires_grad}
            return watched(input, generator=generator, memory_format=memory_format, **options)

        return public(sampled_like if is_random else like, watched, make)

    return decorate


@_like(ZEROS_LIKE, sparse="without_elements")
def zeros_like(shape: Shape, kind: Any, device: Any) -> Tensor:
    """Zeros of the shape, dtype and device of `input`.

    Args:
        input: the tensor to be like.
        dtype: the element type; that of `input` when not given.
        device: where the tensor is made; where `input` is when not given.
        layout: strided, the only one that there is.
        requires_grad: whether operations on the new tensor are recorded.
        memory_format: how the dimensions lie in memory; as those of `input` when not given.

    Example:
        >>> import specgrad as sg
        >>> sg.zeros_like(sg.ones(2))
        tensor([0., 0.])
    """
    return filled("zeros_like", shape, 0, kind, device)


@_like(ONES_LIKE)
def ones_like(shape: Shape, kind: Any, device: Any) -> Tensor:
    """Ones of the shape, dtype and device of `input`; arguments as of `zeros_like`."""
    return filled("ones_like", shape, 1, kind, device)


@_like(EMPTY_LIKE, sparse="without_elements")
def empty_like(shape: Shape, kind: Any, device: Any) -> Tensor:
    """A tensor like `input` whose elements are whatever the memory holds; arguments as of `zeros_like`."""
    return from_flat(allocate("empty_like", shape, kind, device), shape, kind)


@_like(RAND_LIKE, "random")
def rand_like(shape: Shape, kind: Any, device: Any, generator: Any) -> Tensor:
    """Numbers drawn uniformly from [0, 1) in the shape, dtype and device of `input`.

    Args:
        generator: where the randomness comes from; the default generator when not given.
        input, dtype, layout, device, requires_grad, memory_format: as of `zeros_like`.
    """
    return uniform("rand_like", generator, shape, kind, device=device)


@_like(RANDN_LIKE, "random")
def randn_like(shape: Shape, kind: Any, device: Any, generator: Any) -> Tensor:
    """Numbers drawn from the standard normal distribution, arguments as of `rand_like`."""
    return normal("randn_like", generator, shape, kind, device=device)


@interceptable("like")
def full_like(
    input: Tensor,
    fill_value: Number,
    *,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """One value in the shape, dtype and device of `input`.

    Args:
        fill_value: the number.
        input, dtype, device, requires_grad, memory_format: as of `zeros_like`.
    """
    if (made := FULL_LIKE.launch(input, fill_value, dtype, device, requires_grad, memory_format)) is not None:
        return made
    options = dtype, device, requires_grad, memory_format
    value = argument_checks.scalar("full_like", "fill_value", fill_value)
    return made_like(
        "full_like", lambda shape, kind, device: filled("full_like", shape, value, kind, device), input, *options
    )


@sampling
def randint_like(
    input: Tensor,
    low: int = 0,
    high: int | Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """Integers drawn uniformly from [low, high) in the shape, dtype and device of `input`.

    Args:
        low: the least integer; 0 when only one bound is given.
        high: the integer after the greatest one.
        generator: where the randomness comes from; the default generator when not given.
        input, dtype, device, requires_grad, memory_format: as of `zeros_like`.
    """
    args = "randint_like", stream("randint_like", generator), randint_bounds("randint_like", low, high)
    return made_like("randint_like", partial(integers, *args), input, dtype, device, requires_grad, memory_format)


def new_tensor(
    self: Tensor, data: Any, *, dtype: dtype | None = None, device: DeviceLike = None, requires_grad: bool = False
) -> Tensor:
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
    self: Tensor,
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
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
    self: Tensor,
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Ones in the given size, with the dtype and device of this tensor; arguments as of `new_zeros`."""
    if (made := NEW_ONES.launch(self, sizes, size, dtype, device, requires_grad)) is not None:
        return made
    kind, target_device = options_like("new_ones", self, dtype, device)
    shape = size_argument("new_ones", sizes, size)
    return finish("new_ones", filled("new_ones", shape, 1, kind, target_device), target_device, requires_grad)


def new_full(
    self: Tensor,
    size: Sequence[int],
    fill_value: Number,
    *,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
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
    self: Tensor,
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
) -> Tensor:
    """Uninitialised elements in the given size; arguments as of `new_zeros`."""
    if (made := NEW_EMPTY.launch(self, sizes, size, dtype, device, requires_grad)) is not None:
        return made
    kind, target_device = options_like("new_empty", self, dtype, device)
    shape = size_argument("new_empty", sizes, size)
    t = from_flat(allocate("new_empty", shape, kind, target_device), shape, kind)
    return finish("new_empty", t, target_device, requires_grad)
