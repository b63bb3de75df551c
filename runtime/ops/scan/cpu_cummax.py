"""Running extremes, where they last occurred, and running logarithms of sums, of lines along (before, along, after).

Neighbouring lines are scanned side by side, as they lie. The last two arguments are the range of lines, numbered in the
order of (before, after). For logarithms a line has a top, a number among its first ones that no later one is larger
than by more than 1, and the sum of exp(x - top) so far in double precision, with what rounding has taken from it: so
nothing is lost to the length, and nothing overflows.
"""

import cmath
import math

import numpy as np

from ...compiler.jit import WRITTEN, jit
from ...kernels.cpu.loops import lines_of
from ...kernels.llvm.addresses import part_of
from ...kernels.llvm.prefix_scan import LANES, argmax_down, argmax_of_8, argmin_down, argmin_of_8
from ...kernels.scalar import exp, log
from .cpu_cumsum import WIDTH, lost, start_of

Array = np.ndarray
SIDE_BY_SIDE = 64  # lines that one thread has, at least
WIDE = 4  # groups of lines that are scanned at once: with places, they fill half of the registers
SCAN_ELEMENTS_THRESHOLD = 32  # elements


@jit(halves=WRITTEN)
def cumulative_minmax(
    x: Array, values: Array, positions: Array, along: int, after: int, takes_min: int, first: int, last: int
) -> None:
    if after == 1:
        for line in range(first, last):
            scan_line(x, values, positions, line * along, along, takes_min != 0)
        return
    line = first
    while line < last:
        column = line % after
        count = min(after - column, last - line)
        scan_columns(x, values, positions, line // after * along * after + column, along, after, count, takes_min != 0)
        line += count


@jit
def scan_columns(
    x: Array, values: Array, positions: Array, start: int, along: int, after: int, count: int, takes_min: bool
) -> None:
    """The running extremes of neighbouring lines: of many at once, then of eight; the last eight are whole again."""
    done = 0
    while count - done >= WIDE * LANES:
        if takes_min:
            argmin_down(WIDE, x, values, positions, start + done, along, after)
        else:
            argmax_down(WIDE, x, values, positions, start + done, along, after)
        done += WIDE * LANES
    while done < count and count >= LANES:
        column = start + min(done, count - LANES)
        if takes_min:
            argmin_down(1, x, values, positions, column, along, after)
        else:
            argmax_down(1, x, values, positions, column, along, after)
        done += LANES
    for k in range(done, count):
        scan_column(x, values, positions, start + k, along, after, takes_min)


@jit
def scan_column(x: Array, values: Array, positions: Array, start: int, along: int, after: int, takes_min: bool) -> None:
    best, at = x[start], 0
    for i in range(along):
        position = start + i * after
        if is_extreme(x[position], best, takes_min):
            best, at = x[position], i
        values[position], positions[position] = best, at


@jit(forceinline=True)
def scan_line(x: Array, values: Array, positions: Array, start: int, along: int, takes_min: bool) -> None:
    """The running extremes of one line whose elements follow each other: some are filled in where none is extreme."""
    best, at = x[start], 0
    for begin in range(0, along, SCAN_ELEMENTS_THRESHOLD):
        count = min(SCAN_ELEMENTS_THRESHOLD, along - begin)
        some, to = part_of(x, start + begin, count), part_of(values, start + begin, count)
        where = part_of(positions, start + begin, count)
        if is_beaten(some, best, takes_min):
            best, at = scan_some(some, to, where, begin, best, at, takes_min)
            continue
        for k in range(count):
            to[k] = best
        for k in range(count):
            where[k] = at


@jit(forceinline=True)
def scan_some(
    some: Array, values: Array, positions: Array, begin: int, best: float, at: int, takes_min: bool
) -> tuple[float, int]:
    # An int64 is compared and chosen in two cycles: vectors of them are no faster than one after the other.
    full = 0 if some.dtype.type(0.5) == 0 else some.size // LANES * LANES
    if takes_min:
        best, at = argmin_of_8(some, values, positions, 0, full, begin, best, at)
    else:
        best, at = argmax_of_8(some, values, positions, 0, full, begin, best, at)
    for k in range(full, some.size):
        if is_extreme(some[k], best, takes_min):
            best, at = some[k], begin + k
        values[k], positions[k] = best, at
    return best, at


@jit
def is_extreme(value: float, best: float, takes_min: bool) -> bool:
    return value != value or (value <= best if takes_min else value >= best)


@jit(forceinline=True)
def is_beaten(some: Array, best: float, takes_min: bool) -> bool:
    """Whether one of some elements is as extreme as `best`, or nan, or this is."""
    beaten = np.int32(0)
    if takes_min:
        for k in range(some.size):
            beaten |= np.int32(not some[k] > best)
    else:
        for k in range(some.size):
            beaten |= np.int32(not some[k] < best)
    return beaten != 0


@jit
def running_logarithms(a: Array, out: Array, along: int, after: int, first: int, last: int) -> None:
    while first < last:
        start, width = start_of(first, along, after), min(WIDTH, lines_of(after, first, last))
        tops, sums, lows = np.full(width, -math.inf), np.zeros(width), np.zeros(width)
        for i in range(along):
            at = start + i * after
            for j in range(width):
                x, top = np.float64(a[at + j]), tops[j]
                share = x - top
                if x == -math.inf or (x == math.inf and top == math.inf):
                    share = -math.inf  # nothing is added
                elif share > 1:
                    scale = exp(-share)
                    sums[j], lows[j], tops[j], share = sums[j] * scale, lows[j] * scale, x, 0.0
                before, more = sums[j], exp(share)
                sums[j] = before + more
                lows[j] += lost(before, more, sums[j])
                out[at + j] = log(sums[j]) + lows[j] / sums[j] + tops[j] if sums[j] != 0 else -math.inf
        first += width


@jit
def complex_logarithms(a: Array, out: Array, along: int, after: int, first: int, last: int) -> None:
    """The logarithm, unique up to 2 pi i, nearest to the result before, or to an element of larger real part."""
    while first < last:
        start, width = start_of(first, along, after), min(WIDTH, lines_of(after, first, last))
        tops, sums, lows = np.full(width, -math.inf), np.zeros(width, np.complex128), np.zeros(width, np.complex128)
        result = np.full(width, complex(-math.inf, 0))
        for i in range(along):
            at = start + i * after
            for j in range(width):
                z = np.complex128(a[at + j])
                share = z.real - tops[j]
                if z.real == -math.inf or (z.real == math.inf and tops[j] == math.inf):
                    share = -math.inf
                elif share > 1:
                    scale = math.exp(-share)
                    sums[j], lows[j], tops[j], share = sums[j] * scale, lows[j] * scale, z.real, 0.0
                before, size = sums[j], math.exp(share)
                more = complex(size * math.cos(z.imag), size * math.sin(z.imag)) if size != 0 else 0j
                sums[j] = before + more
                real = lost(before.real, more.real, sums[j].real)
                lows[j] += complex(real, lost(before.imag, more.imag, sums[j].imag))
                result[j] = _followed(sums[j], lows[j], tops[j], z if z.real > result[j].real else result[j])
                out[at + j] = result[j]
        first += width


@jit
def _followed(total: complex, low: complex, top: float, nearest: complex) -> complex:
    """log(total + low) + top, plus the multiple of 2 pi i that brings it nearest to `nearest`."""
    if total == 0:
        return complex(-math.inf, 0.0)
    result = cmath.log(total) + low / total + top
    rotations = round((nearest.imag - result.imag) / (2 * math.pi))
    return complex(result.real, result.imag + 2 * math.pi * rotations) if rotations == rotations else result
