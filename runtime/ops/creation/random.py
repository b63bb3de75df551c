"""Random tensors: which words of a generator's stream they take, in which dtype they are computed.

Numbers are made by kernels that fill flat arrays (`kernels/cpu/random.py`); float16 and bfloat16 are rounded from
float32, complex numbers are pairs of real ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from math import prod
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...device.device import CPU, META, DeviceLike
from ...dispatch import argument_checks
from ...errors import DtypeError, UnsupportedDtypeError
from ...kernels.cpu import random
from ...namespace import Tensor
from ...shapes import Shape
from ...tensor.dtypes import FLOAT8, bfloat16, bool_, dtype, get_default_dtype, iinfo, int64
from ...tensor.generator import Generator, default_generator
from ...tensor.memory_format import layout
from ...tensor.observers import sampling
from ...tensor.tensor import from_flat
from ...tracebacks import hide_internal_frames
from .fast_calls import Creation, named_like, public
from .options import (
    allocate_array,
    cast,
    checked_size,
    chosen_dtype,
    device_for,
    finish,
    require_strided,
    size_argument,
    written,
)

HALF_OF_VARIANCE = 0.5**0.5  # as a factor: what each part of a complex number has


def stream(op: str, generator: Generator | None) -> Generator:
    return default_generator if generator is None else argument_checks.optional_generator(op, "generator", generator)


class Range(NamedTuple):
    """What uniform numbers of a dtype lie in: low + width u, at most `top`, from the bits of `mask`."""

    low: float
    width: float
    top: float
    mask: int


@lru_cache(256)
def range_of(kind: dtype, low: float, high: float) -> Range:
    """[low, high) in a dtype: nothing is rounded up to `high`, unless it is all there is."""
    part = kind.to_real() if kind.kind == "c" else kind
    digits = 24 if part.native else 8 if part is bfloat16 else 11
    with np.errstate(over="ignore"):
        low_limit, top = np.asarray([low, high], part.np)
        if float(top) >= high:
            top = np.nextafter(top, np.asarray(-np.inf, part.np))
    return Range(low, high - low, max(float(top), float(low_limit)), (1 << 24) - (1 << 24 - digits))


def uniform(
    op: str, generator: Generator, size: Shape, kind: dtype, low: float = 0.0, high: float = 1.0, device: Any = None
) -> Any:
    """Numbers in [low, high), also after rounding to a 16-bit dtype; both parts of a complex number."""
    _require_fractions(op, kind)
    return _floats(op, generator, size, kind, device, "fill_uniform", *range_of(kind, low, high))


def normal(
    op: str, generator: Generator, size: Shape, kind: dtype, mean: float = 0.0, std: float = 1.0, device: Any = None
) -> Any:
    """Numbers of this mean and standard deviation; a complex number has half of the variance in each part."""
    _require_fractions(op, kind)
    if kind.kind == "f":
        return _floats(op, generator, size, kind, device, "fill_normal", mean, std)
    sampled = _floats(op, generator, size, kind, device, "fill_normal", 0.0, std * HALF_OF_VARIANCE)
    return sampled.add_(mean) if mean else sampled


def exponential(op: str, generator: Generator, size: Shape, kind: dtype, rate: float = 1.0, device: Any = None) -> Any:
    """Numbers of the density rate e^(-rate x), larger than 0."""
    if kind.kind != "f":
        raise UnsupportedDtypeError(f"{op}(): expected a floating point dtype, but got {kind}")
    return _floats(op, generator, size, kind, device, "fill_exponential", 1.0 / rate)


def integers(
    op: str, generator: Generator, bounds: tuple[int, int], size: Shape, kind: dtype, device: Any = None
) -> Any:
    """Integers in [low, high), each as likely as the others, up to 2^-64."""
    low, high = bounds
    if low >= high:
        raise RuntimeError(f"{op}(): expected low to be less than high, but got low={low} >= high={high}")
    limits = (0, 1) if kind.kind == "b" else (iinfo(kind).min, iinfo(kind).max) if kind.kind == "i" else None
    low_limit, high_limit = limits or (-(2**63), 2**63 - 1)
    if low < low_limit or high - 1 > high_limit:
        raise DtypeError(f"{op}(): the range [{low}, {high}) is out of bounds for {kind}")
    if kind.kind == "c":
        raise UnsupportedDtypeError(f"{op}(): not implemented for {kind}")
    return filled_by("fill_integers", op, generator, size, int64, device, low, high, cast_to=kind)


def filled_by(
    fill: str,
    op: str,
    generator: Generator,
    size: Shape,
    kind: dtype,
    device: Any,
    *args: Any,
    bits: int = 64,
    random_count: int | None = None,
    cast_to: dtype | None = None,
) -> Any:
    target_device = device_for(op, device)
    flat = allocate_array(op, prod(size), kind.np, target_device)
    count = random.random_slots_of(flat.size, bits) if random_count is None else random_count
    _fill(fill, flat, count, generator, target_device, args)
    return converted(from_flat(flat, size, kind), kind if cast_to is None else cast_to)


def converted(t: Any, kind: dtype) -> Any:
    if t._dtype is kind:
        return t
    return from_flat(cast(t._flat, kind), t._shape, kind) if t._device is CPU else t.to(kind)


def _require_fractions(op: str, kind: dtype) -> None:
    if kind.kind not in "fc" or kind in FLOAT8:
        raise UnsupportedDtypeError(
            f"{op}(): expected a floating point or complex dtype, but got {kind}: not implemented for "
            f"'{kind.scalar_type}'"
        )


def _floats(op: str, generator: Generator, size: Shape, kind: dtype, device: Any, fill: str, *numbers: float) -> Any:
    """Floating-point numbers, both parts of complex ones; those of 16 bits are computed in float32 on the host."""
    target_device = device_for(op, device)
    sampled = kind.compute if target_device is CPU else kind
    flat = allocate_array(op, prod(size), sampled.np, target_device)
    parts = flat.view(sampled.to_real().np) if kind.kind == "c" else flat
    _fill(fill, parts, random.random_slots_of(parts.size, 8 * parts.itemsize), generator, target_device, numbers)
    return from_flat(cast(flat, kind) if flat.dtype != kind.np else flat, size, kind)


def _fill(fill: str, flat: Any, count: int, generator: Generator, target_device: Any, args: tuple[Any, ...]) -> None:
    """Let a function of the device fill an array with the next `count` words, if there is anything to fill."""
    if target_device is CPU:
        getattr(random, fill)(flat, *generator.take(count), *args)
    elif target_device is not META:
        from ...kernels.cuda_launch import random as on_device  # loaded with the first device

        # The seed, and the first of its words; of a draw for a graph, what stands for them.
        getattr(on_device, fill)(flat, *on_device.position(generator, count, target_device), *args)


RAND = Creation("rand", "uniform", "gSs")
RANDN = Creation("randn", "normal", "gSs")
SURVIVORS = Creation("survivors", "survivors", "gSsv")
RANDINT = Creation("randint", "integers", "gvns")
RANDPERM = Creation("randperm", "permutation", "gv")


class _Sampled(Protocol):
    def __call__(
        self,
        *sizes: int | Sequence[int],
        size: Sequence[int] | None = None,
        generator: Generator | None = None,
        out: Tensor | None = None,
        dtype: dtype | None = None,
        layout: layout | None = None,
        device: DeviceLike = None,
        requires_grad: bool = False,
        pin_memory: bool = False,
    ) -> Tensor: ...


def _sampled(creation: Creation) -> Callable[[Any], _Sampled]:
    """The public function of how numbers are drawn, which asks native code before all who watch, of whom it knows."""

    def decorate(make: Any) -> Any:
        name = creation.name

        def general(
            *sizes: Any,
            size: Any = None,
            generator: Any = None,
            out: Any = None,
            dtype: Any = None,
            device: Any = None,
            requires_grad: bool = False,
            pin_memory: bool = False,
        ) -> Any:
            if out is not None:
                return written(partial(watched, *sizes, size=size, generator=generator), out, dtype, requires_grad)
            shape, kind = size_argument(name, sizes, size), chosen_dtype(name, dtype, get_default_dtype())
            t = make(stream(name, generator), shape, kind, device)
            return finish(name, t, device, requires_grad, pin_memory)

        watched = sampling(named_like(general, make))

        def sampled(
            *sizes: int | Sequence[int],
            size: Sequence[int] | None = None,
            generator: Generator | None = None,
            out: Tensor | None = None,
            dtype: dtype | None = None,
            layout: layout | None = None,
            device: DeviceLike = None,
            requires_grad: bool = False,
            pin_memory: bool = False,
        ) -> Tensor:
            if layout is not None:
                require_strided(name, layout)
            if out is None:
                made = creation.launch(generator, sizes, size, dtype, device, requires_grad, pin_memory)
                if made is not None:
                    return made
            options: dict[str, Any] = {
                "dtype": dtype,
                "device": device,
                "requires_grad": requires_grad,
                "pin_memory": pin_memory,
            }
            if out is not None:
                options["out"] = out
            return watched(*sizes, size=size, generator=generator, **options)

        return public(sampled, watched, make)

    return decorate


@_sampled(RAND)
def rand(generator: Generator, shape: Shape, kind: dtype, device: Any) -> Tensor:
    """Numbers drawn uniformly from [0, 1).

    Args:
        sizes, size: the shape, as several ints or as one list or tuple.
        generator: where the randomness comes from; the default generator when not given.
        out, dtype, layout, device, requires_grad, pin_memory: as of `zeros`.

    Example:
        >>> import specgrad as sg
        >>> bool((sg.rand(5) < 1).all())
        True
    """
    try:
        return uniform("rand", generator, shape, kind, device=device)
    except Exception as error:
        hide_internal_frames(error)
        raise


@_sampled(RANDN)
def randn(generator: Generator, shape: Shape, kind: dtype, device: Any) -> Tensor:
    """Numbers drawn from the normal distribution of mean 0 and variance 1; arguments as of `rand`.

    Example:
        >>> import specgrad as sg
        >>> sg.randn(2, 3).shape
        specgrad.Size([2, 3])
    """
    try:
        return normal("randn", generator, shape, kind, device=device)
    except Exception as error:
        hide_internal_frames(error)
        raise


def randint_bounds(op: str, low: Any, high: Any) -> tuple[int, int]:
    if high is None:
        low, high = 0, low
    return argument_checks.integer(op, "low", low), argument_checks.integer(op, "high", high)


@sampling
def randint(
    low: int = 0,
    high: int | Sequence[int] | None = None,
    size: Sequence[int] | None = None,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Integers drawn uniformly from [low, high): `randint(high, size)` or `randint(low, high, size)`.

    Args:
        low: the least integer; 0 when only one bound is given.
        high: the integer after the greatest one.
        size: the shape, a list or tuple of ints.
        generator: where the randomness comes from; the default generator when not given.
        dtype: the element type, int64 when not given.
        out, layout, device, requires_grad, pin_memory: as of `zeros`.

    Raises:
        RuntimeError: there is no integer in [low, high), or some do not fit into the dtype.

    Example:
        >>> import specgrad as sg
        >>> sg.randint(3, (2, 2)).dtype
        specgrad.int64
    """
    if size is None and isinstance(high, (list, tuple)):
        high, size = None, high
    if out is layout is None:
        made = RANDINT.launch(generator, low, high, size, dtype, device, requires_grad, pin_memory)
        if made is not None:
            return made
    require_strided("randint", layout)
    if out is not None:
        return written(partial(randint, low, high, size, generator=generator), out, dtype, requires_grad)
    if size is None:
        raise TypeError('randint() missing 1 required positional argument: "size"')
    shape = checked_size("randint", argument_checks.integer_list("randint", "size", size))
    kind = chosen_dtype("randint", dtype, int64)
    t = integers("randint", stream("randint", generator), randint_bounds("randint", low, high), shape, kind, device)
    return finish("randint", t, device, requires_grad, pin_memory)


@sampling
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The numbers from 0 to n - 1 in random order.

    Args:
        n: how many numbers.
        generator: where the randomness comes from; the default generator when not given.
        dtype: the element type, int64 when not given.
        out, layout, device, requires_grad, pin_memory: as of `zeros`.

    Example:
        >>> import specgrad as sg
        >>> sorted(sg.randperm(4).tolist())
        [0, 1, 2, 3]
    """
    made = RANDPERM.launch(generator, n, dtype, device, requires_grad, pin_memory) if out is layout is None else None
    if made is not None:
        return made
    require_strided("randperm", layout)
    if out is not None:
        return written(partial(randperm, n, generator=generator), out, dtype, requires_grad)
    count = argument_checks.integer("randperm", "n", n)
    checked_size("randperm", (count,))
    kind = chosen_dtype("randperm", dtype, int64)
    if kind.kind in "bc":
        raise UnsupportedDtypeError(f"randperm(): not implemented for {kind}")
    if kind.kind == "i" and count > iinfo(kind).max + 1:
        raise DtypeError(f"randperm(): n={count} is too large for {kind}")
    chosen = stream("randperm", generator)
    t = filled_by("fill_permutation", "randperm", chosen, (count,), int64, device, cast_to=kind)
    return finish("randperm", t, device, requires_grad, pin_memory)


@sampling
def survivors(*sizes: int, p: float, device: Any = None) -> Any:
    """False with probability p < 1, which is rounded to a multiple of 2^-32: what dropout leaves."""
    if (made := SURVIVORS.launch(None, sizes, None, p, bool_, device, False)) is not None:
        return made
    return filled_by("fill_survivors", "dropout", default_generator, sizes, bool_, device, p, bits=32)
