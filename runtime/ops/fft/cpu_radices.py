"""How a Fourier transform of a length is computed: radices of its passes, and tables of exp(-2 pi i k / n)."""

import functools
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...kernels.cpu.plan import Array
from ...kernels.llvm.fft_butterflies import NARROW
from .cpu_loops import vector_lanes

MAX_LENGTH = 1 << 16  # longer ones are left to SciPy
ODD = (3, 5, 7, 11, 13)  # radices; lengths that have other odd factors are left to it too
FIRST = ((2,), (4,), (8,), (4, 4), (4, 8), (4, 4, 4))  # passes for 2^1 ... 2^6


class Table(NamedTuple):
    """Steps (radix, m, s, where its factors begin) and factors, as passes take them; whether rows lie as columns."""

    steps: Array
    factors: Array
    twiddled: bool


@functools.cache
def radices(n: int) -> tuple[int, ...] | None:
    """None of other prime factors, or too many numbers. They depend on n alone: the same bits on all processors."""
    twos = (n & -n).bit_length() - 1
    result, rest = powers(twos), n >> twos
    for radix in ODD:
        while rest % radix == 0:
            result, rest = (*result, radix), rest // radix
    return result if rest == 1 and n <= MAX_LENGTH else None


def powers(twos: int) -> tuple[int, ...]:
    """Radices for 2^twos: eights, and as many fours as are left over, first."""
    if twos <= len(FIRST):
        return FIRST[twos - 1] if twos else ()
    fours = -twos % 3
    return (4,) * fours + (8,) * ((twos - 2 * fours) // 3)


@functools.lru_cache(maxsize=256)
def table(n: int, dtype: np.dtype, columns: bool, forward: bool) -> Table:
    lanes = vector_lanes(dtype.type(0))
    result = radices(n) or ()
    twiddled = columns or not fills_vectors(n, result, lanes)
    circle, steps, parts, offset, s = twiddles(n), [], [], 0, 1
    circle[1] *= 1 if forward else -1
    for radix in result:
        m = n // (radix * s)
        steps.append((radix, m, s, offset))
        powers_of = np.outer(np.arange(m), np.arange(1, radix)) * s % n
        chosen = circle[:, powers_of]  # part, p, j
        wide = twiddled or s >= lanes
        factors = chosen.transpose(1, 2, 0) if wide else np.repeat(chosen.transpose(2, 0, 1), s, -1)
        parts.append(factors.astype(dtype).reshape(-1))
        offset, s = offset + factors.size, s * radix
    concatenated = np.concatenate([np.empty(0, dtype), *parts])
    return Table(np.array(steps, np.int64).reshape(-1, 4), concatenated, twiddled)


def fills_vectors(n: int, result: tuple[int, ...], lanes: int) -> bool:
    s = 1
    for radix in result:
        if s % lanes and ((radix, s) not in NARROW or n // radix % lanes):
            return False
        s *= radix
    return bool(result)


@functools.lru_cache(maxsize=256)
def half_angle_twiddles(n: int, dtype: np.dtype, exact_table: bool) -> Array:
    """Cosines, then sines, of 2 pi k / (2 n) for k below n, as spectra forward have them, else with opposite signs."""
    circle = twiddles(2 * n)[:, :n]
    return np.concatenate([circle[0], -circle[1] if exact_table else circle[1]]).astype(dtype)


def twiddles(n: int) -> Array:
    """The parts of exp(-2 pi i k / n) for k below n, from angles below an eighth of a turn, in the widest floats."""
    k = np.arange(n)
    quarter, rest = 4 * k // n, 4 * k % n  # k = (quarter + rest / n) n / 4
    small = np.minimum(rest, n - rest).astype(np.longdouble) * (np.longdouble(np.pi) + PI_REST) / (2 * n)
    cosine, sine = np.cos(small), np.sin(small)
    cosine, sine = np.where(2 * rest > n, sine, cosine), np.where(2 * rest > n, cosine, sine)
    real = np.choose(quarter, [cosine, -sine, -cosine, sine])
    imaginary = np.choose(quarter, [-sine, -cosine, sine, cosine])
    return np.stack([real, imaginary])


PI_REST = np.longdouble(1.2246467991473532e-16)  # pi without its float64


def with_sizes(shape: Sequence[int], sizes: Sequence[int], dim: Sequence[int]) -> tuple[int, ...]:
    matches = list(shape)
    for d, size in zip(dim, sizes, strict=True):
        matches[d] = size
    return tuple(matches)


def resized(a: Array, shape: Sequence[int]) -> Array:
    cropped = a[tuple([slice(size) for size in shape])]
    if cropped.shape[: len(shape)] == tuple(shape):
        return cropped
    result = np.zeros((*shape, *a.shape[len(shape) :]), a.dtype)
    result[tuple([slice(size) for size in cropped.shape])] = cropped
    return result
