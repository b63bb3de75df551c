"""Random numbers as tensors: which words of a generator's stream they take, in which dtype they are computed.

Numbers are made by kernels that fill flat arrays (`kernels/cpu/draws.py`); float16 and bfloat16 are rounded from
float32, complex numbers are pairs of real ones.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ..dispatch import checks
from ..errors import DtypeError, UnsupportedDtypeError
from ..kernels.cpu import draws
from ..random import Generator, default_generator
from ..tensor.base import fresh
from ..tensor.dtypes import bfloat16, iinfo, int64
from ..tensor.dtypes import dtype as Dtype
from ..tensor.shapes import Shape
from .options import allocate_array, cast

HALF_OF_VARIANCE = 0.5**0.5  # as a factor: what each part of a complex number has


def stream(op: str, generator: Generator | None) -> Generator:
    """The argument `generator`, or the default one."""
    return default_generator if generator is None else checks.optional_generator(op, "generator", generator)


class Range(NamedTuple):
    """What uniform numbers of a dtype lie in: low + width u, at most `top`, from the bits of `mask`."""

    low: float
    width: float
    top: float
    mask: int


@lru_cache(256)
def range_of(kind: Dtype, low: float, high: float) -> Range:
    """[low, high) in a dtype: nothing is rounded up to `high`, unless it is all there is."""
    part = kind.to_real() if kind.kind == "c" else kind
    digits = 24 if part.native else 8 if part is bfloat16 else 11
    with np.errstate(over="ignore"):
        least, top = np.asarray([low, high], part.np)
        if float(top) >= high:
            top = np.nextafter(top, np.asarray(-np.inf, part.np))
    return Range(low, high - low, max(float(top), float(least)), (1 << 24) - (1 << 24 - digits))


def uniform(op: str, generator: Generator, size: Shape, kind: Dtype, low: float = 0.0, high: float = 1.0) -> Any:
    """Numbers in [low, high), also after rounding to a 16-bit dtype; both parts of a complex number."""
    flat = _real_numbers(op, size, kind)
    least, width, top, mask = range_of(kind, low, high)
    draws.fill_uniform(flat, *_words_for(generator, flat), least, width, top, mask)
    return _tensor(flat, size, kind)


def normal(op: str, generator: Generator, size: Shape, kind: Dtype, mean: float = 0.0, std: float = 1.0) -> Any:
    """Numbers of this mean and standard deviation; a complex number has half of the variance in each part."""
    flat = _real_numbers(op, size, kind)
    if kind.kind == "c":
        draws.fill_normal(flat, *_words_for(generator, flat), 0.0, std * HALF_OF_VARIANCE)
        flat[::2] += mean
    else:
        draws.fill_normal(flat, *_words_for(generator, flat), mean, std)
    return _tensor(flat, size, kind)


def exponential(op: str, generator: Generator, size: Shape, kind: Dtype, rate: float = 1.0) -> Any:
    """Numbers of the density rate e^(-rate x), larger than 0."""
    if kind.kind != "f":
        raise UnsupportedDtypeError(f"{op}(): expected a floating point dtype, but got {kind}")
    flat = _real_numbers(op, size, kind)
    draws.fill_exponential(flat, *_words_for(generator, flat), 1.0 / rate)
    return _tensor(flat, size, kind)


def integers(op: str, generator: Generator, bounds: tuple[int, int], size: Shape, kind: Dtype) -> Any:
    """Integers in [low, high), each as likely as the others, up to 2^-64."""
    low, high = bounds
    if low >= high:
        raise RuntimeError(f"{op}(): expected low to be less than high, but got low={low} >= high={high}")
    limits = (0, 1) if kind.kind == "b" else (iinfo(kind).min, iinfo(kind).max) if kind.kind == "i" else None
    least, most = limits or (-(2**63), 2**63 - 1)
    if low < least or high - 1 > most:
        raise DtypeError(f"{op}(): the range [{low}, {high}) is out of bounds for {kind}")
    if kind.kind == "c":
        raise UnsupportedDtypeError(f"{op}(): not implemented for {kind}")
    flat = allocate_array(op, prod(size), int64.np)
    draws.fill_integers(flat, *generator.take(flat.size), low, high)
    return _tensor(flat, size, kind)


def permutation(op: str, generator: Generator, count: int, kind: Dtype) -> Any:
    """The numbers from 0 to count - 1 in random order."""
    flat = allocate_array(op, count, int64.np)
    draws.fill_permutation(flat, *generator.take(count))
    return _tensor(flat, (count,), kind)


def doubles(op: str, generator: Generator, size: Shape) -> np.ndarray:
    """Uniform numbers in [0, 1) as an array of float64, for what is computed in double precision from them."""
    flat = allocate_array(op, prod(size), np.dtype(np.float64))
    draws.fill_uniform(flat, *generator.take(flat.size), 0.0, 1.0, 1.0, 0)
    return flat.reshape(size)


def _real_numbers(op: str, size: Shape, kind: Dtype) -> np.ndarray:
    """A flat array for real numbers in the dtype that is computed in, or for both parts of complex ones."""
    if kind.kind == "f":
        return allocate_array(op, prod(size), kind.compute.np)
    if kind.kind == "c":
        return allocate_array(op, 2 * prod(size), kind.to_real().np)
    raise UnsupportedDtypeError(f"{op}(): expected a floating point or complex dtype, but got {kind}")


def _words_for(generator: Generator, flat: np.ndarray) -> tuple[int, int]:
    """The seed and the first word for an array of floating-point numbers."""
    return generator.take(draws.words_of(flat.size, 8 * flat.itemsize))


def _tensor(flat: np.ndarray, size: Shape, kind: Dtype) -> Any:
    """A tensor over an array that nobody else holds, in the dtype."""
    if flat.dtype != kind.np:
        flat = flat.view(kind.np) if kind.kind == "c" else cast(flat, kind)
    return fresh(flat, size, kind)
