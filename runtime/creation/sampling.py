"""Tensors of random numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..dispatch import checks
from ..errors import DtypeError, UnsupportedDtypeError
from ..modes.intercept import interceptable
from ..random import Generator, default_generator
from ..tensor.dtypes import bfloat16, get_default_dtype, iinfo, int64
from ..tensor.dtypes import dtype as Dtype
from ..tensor.shapes import Shape
from .options import allocating, checked_size, chosen_dtype, finish, from_array, size_argument


def stream(op: str, generator: Generator | None) -> np.random.Generator:
    """NumPy's generator behind the argument `generator`, or behind the default one."""
    chosen = checks.optional_generator(op, "generator", generator)
    return (default_generator if chosen is None else chosen).rng


def uniform(op: str, rng: np.random.Generator, size: Shape, kind: Dtype) -> Any:
    """Numbers in [0, 1), also after rounding to a 16-bit dtype; both parts of a complex number."""
    values = _drawn(op, rng.random, size, kind)
    if kind.kind == "f" and not kind.native:
        digits = 2.0 ** (8 if kind is bfloat16 else 11)  # truncated to these bits, nothing rounds up to 1
        values = np.floor(values * np.float32(digits)) / np.float32(digits)
    return from_array(np.asarray(values), kind)


def normal(op: str, rng: np.random.Generator, size: Shape, kind: Dtype) -> Any:
    """Numbers of mean 0 and variance 1; a complex number has half of the variance in each part."""
    values = _drawn(op, rng.standard_normal, size, kind)
    return from_array(np.asarray(values * np.float32(0.5) ** 0.5 if kind.kind == "c" else values), kind)


def _drawn(op: str, draw: Callable[..., Any], size: Shape, kind: Dtype) -> Any:
    """Numbers of the dtype that is computed in, both parts of a complex one."""
    if kind.kind not in "fc":
        raise UnsupportedDtypeError(f"{op}(): expected a floating point or complex dtype, but got {kind}")
    with allocating(op):
        if kind.kind == "f":
            return draw(size, kind.compute.np)
        real, imaginary = (draw(size, kind.to_real().np) for _ in range(2))
        return real + 1j * imaginary


def integers(op: str, rng: np.random.Generator, bounds: tuple[int, int], size: Shape, kind: Dtype) -> Any:
    """Integers in [low, high), each equally likely."""
    low, high = bounds
    if low >= high:
        raise RuntimeError(f"{op}(): expected low to be less than high, but got low={low} >= high={high}")
    limits = (0, 1) if kind.kind == "b" else (iinfo(kind).min, iinfo(kind).max) if kind.kind == "i" else None
    least, most = limits or (-(2**63), 2**63 - 1)
    if low < least or high - 1 > most:
        raise DtypeError(f"{op}(): the range [{low}, {high}) is out of bounds for {kind}")
    if kind.kind == "c":
        raise UnsupportedDtypeError(f"{op}(): not implemented for {kind}")
    with allocating(op):
        return from_array(np.asarray(rng.integers(low, high, size)), kind)


@interceptable("random")
def rand(
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """Numbers drawn uniformly from [0, 1).

    Args:
        sizes, size: the shape, as several ints or as one list or tuple.
        generator: where the randomness comes from; the default generator when not given.
        dtype, device, requires_grad, pin_memory: as of `zeros`.

    Example:
        >>> import specgrad as sg
        >>> bool((sg.rand(5) < 1).all())
        True
    """
    shape = size_argument("rand", sizes, size)
    t = uniform("rand", stream("rand", generator), shape, chosen_dtype("rand", dtype, get_default_dtype()))
    return finish("rand", t, device, requires_grad, pin_memory)


@interceptable("random")
def randn(
    *sizes: Any,
    size: Any = None,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """Numbers drawn from the normal distribution of mean 0 and variance 1; arguments as of `rand`.

    Example:
        >>> import specgrad as sg
        >>> sg.randn(2, 3).shape
        specgrad.Size([2, 3])
    """
    shape = size_argument("randn", sizes, size)
    t = normal("randn", stream("randn", generator), shape, chosen_dtype("randn", dtype, get_default_dtype()))
    return finish("randn", t, device, requires_grad, pin_memory)


def randint_bounds(op: str, low: Any, high: Any) -> tuple[int, int]:
    """`(low, high)`, where one number alone is the upper bound."""
    if high is None:
        low, high = 0, low
    return checks.integer(op, "low", low), checks.integer(op, "high", high)


@interceptable("random")
def randint(
    low: Any = 0,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """Integers drawn uniformly from [low, high): `randint(high, size)` or `randint(low, high, size)`.

    Args:
        low: the least integer; 0 when only one bound is given.
        high: the integer after the greatest one.
        size: the shape, a list or tuple of ints.
        generator: where the randomness comes from; the default generator when not given.
        dtype: the element type, int64 when not given.
        device, requires_grad, pin_memory: as of `zeros`.

    Raises:
        RuntimeError: there is no integer in [low, high), or some do not fit into the dtype.

    Example:
        >>> import specgrad as sg
        >>> sg.randint(3, (2, 2)).dtype
        specgrad.int64
    """
    if size is None and isinstance(high, (list, tuple)):
        high, size = None, high
    if size is None:
        raise TypeError('randint() missing 1 required positional argument: "size"')
    shape = checked_size("randint", checks.integer_list("randint", "size", size))
    kind = chosen_dtype("randint", dtype, int64)
    rng = stream("randint", generator)
    t = integers("randint", rng, randint_bounds("randint", low, high), shape, kind)
    return finish("randint", t, device, requires_grad, pin_memory)


@interceptable("random")
def randperm(
    n: int,
    *,
    generator: Generator | None = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Any:
    """The numbers from 0 to n - 1 in random order.

    Args:
        n: how many numbers.
        generator: where the randomness comes from; the default generator when not given.
        dtype: the element type, int64 when not given.
        device, requires_grad, pin_memory: as of `zeros`.

    Example:
        >>> import specgrad as sg
        >>> sorted(sg.randperm(4).tolist())
        [0, 1, 2, 3]
    """
    count = checks.integer("randperm", "n", n)
    checked_size("randperm", (count,))
    kind = chosen_dtype("randperm", dtype, int64)
    if kind.kind in "bc":
        raise UnsupportedDtypeError(f"randperm(): not implemented for {kind}")
    if kind.kind == "i" and count > iinfo(kind).max + 1:
        raise DtypeError(f"randperm(): n={count} is too large for {kind}")
    with allocating("randperm"):
        t = from_array(stream("randperm", generator).permutation(count), kind)
    return finish("randperm", t, device, requires_grad, pin_memory)
