"""Running products and linear recurrences; compiled on first use, for each dtype.

y_i = f_i y_(i-1) + x_i along each line, or y_(i+1) in reverse; the first is x_i itself. Where `added` is empty there is
no x, and the first is f_i: a running product. Arrays are flat (before, along, after), as in cpu_cumsum.py.
float32 is computed in double precision. For float64 and complex128 what rounding takes from products and sums is
carried on beside them by the same recurrence.
"""

import math

import numpy as np

from ...compiler.jit import jit
from ...compiler.passes.primitives import fma
from ...kernels.cpu.loops import copy_row, lines_of
from ...kernels.cpu.plan import Array
from ...kernels.llvm.addresses import part_of
from ...kernels.llvm.prefix_scan import LANES, running_products
from .cpu_cumsum import NARROW, WIDTH, lost, start_of


@jit(forceinline=True)
def renormalized(high: float, low: float) -> float:
    """high + low; high alone where it is not finite, and where nothing was lost, for it may be -0."""
    return high + low if 0 < abs(low) < math.inf else high


@jit
def neighbours_products(a: Array, out: Array, like: Array, along: int, first: int, last: int) -> None:
    full = along // LANES * LANES
    for k in range(first, last):
        at = k * along
        total = running_products(a, out, at, at + full, like.dtype.type(1))
        for position in range(at + full, at + along):
            total *= a[position]
            out[position] = total


@jit
def row_products(a: Array, out: Array, like: Array, along: int, after: int, first: int, last: int) -> None:
    """The running products of lines one by one, in the type of `like`; those of four elements do not wait."""
    for k in range(first, last):
        total, at = like.dtype.type(1), start_of(k, along, after)
        for _ in range(along // 4):
            base, one = total, like.dtype.type(a[at])
            three = like.dtype.type(a[at + 2 * after])
            two, four = one * a[at + after], three * a[at + 3 * after]
            total = base * (two * four)
            out[at], out[at + after], out[at + 2 * after] = base * one, base * two, base * (two * three)
            out[at + 3 * after] = total
            at += 4 * after
        for _ in range(along % 4):
            total *= a[at]
            out[at] = total
            at += after


@jit
def row_recurrence(
    added: Array, factor: Array, out: Array, along: int, after: int, reverse: bool, first: int, last: int
) -> None:
    step = -after if reverse else after
    for k in range(first, last):
        at = start_of(k, along, after) + (along - 1) * after * reverse
        total = np.float64(added[at])
        out[at] = total
        for _ in range(1, along):
            at += step
            total = total * factor[at] + added[at]
            out[at] = total


@jit
def row_recurrence_in_two(
    added: Array, factor: Array, out: Array, along: int, after: int, reverse: bool, first: int, last: int
) -> None:
    """The recurrence of lines one by one, in float64 with its rounding errors carried beside."""
    step = -after if reverse else after
    for k in range(first, last):
        at = start_of(k, along, after) + (along - 1) * after * reverse
        total, low = added[at] if added.size else factor[at], 0.0
        out[at] = total
        for _ in range(1, along):
            at += step
            before = total
            total = before * factor[at]
            error = fma(before, factor[at], -total)
            if added.size:
                product = total
                total = product + added[at]
                error += lost(product, added[at], total)
            low = fma(low, factor[at], error)
            out[at] = renormalized(total, low)


@jit
def column_recurrence(
    added: Array, factor: Array, out: Array, totals: Array, start: int, along: int, after: int, reverse: bool
) -> None:
    end, width = along - 1 if reverse else 0, totals.size
    copy_row(part_of(added if added.size else factor, start + end * after, width), totals)
    copy_row(totals, part_of(out, start + end * after, width))
    for i in range(1, along):
        at = start + abs(i - end) * after
        by, to = part_of(factor, at, width), part_of(out, at, width)
        if added.size:
            more = part_of(added, at, width)
            for j in range(width):
                totals[j] = totals[j] * by[j] + more[j]
                to[j] = totals[j]
        else:
            for j in range(width):
                totals[j] *= by[j]
                to[j] = totals[j]


@jit
def column_recurrence_in_two(
    added: Array, factor: Array, out: Array, totals: Array, start: int, along: int, after: int, reverse: bool
) -> None:
    end, width = along - 1 if reverse else 0, totals.size
    lows = np.zeros(width)
    copy_row(part_of(added if added.size else factor, start + end * after, width), totals)
    copy_row(totals, part_of(out, start + end * after, width))
    for i in range(1, along):
        at = start + abs(i - end) * after
        by, to = part_of(factor, at, width), part_of(out, at, width)
        more = part_of(added, at if added.size else 0, width if added.size else 0)
        for j in range(width):
            before = totals[j]
            total = before * by[j]
            error = fma(before, by[j], -total)
            if more.size:
                product = total
                total = product + more[j]
                error += lost(product, more[j], total)
            lows[j] = fma(lows[j], by[j], error)
            to[j] = renormalized(total, lows[j])
            totals[j] = total


@jit
def recurrence(
    added: Array, factor: Array, out: Array, like: Array, in_two: bool, along: int, after: int, reverse: bool,
    first: int, last: int,
) -> None:  # fmt: skip
    if after <= NARROW:
        if in_two:
            row_recurrence_in_two(added, factor, out, along, after, reverse, first, last)
        elif added.size:
            row_recurrence(added, factor, out, along, after, reverse, first, last)
        elif after == 1:
            neighbours_products(factor, out, like, along, first, last)
        else:
            row_products(factor, out, like, along, after, first, last)
        return
    while first < last:
        start, width = start_of(first, along, after), min(WIDTH, lines_of(after, first, last))
        totals = np.empty(width, like.dtype)
        if in_two:
            column_recurrence_in_two(added, factor, out, totals, start, along, after, reverse)
        else:
            column_recurrence(added, factor, out, totals, start, along, after, reverse)
        first += width


@jit(forceinline=True)
def rest(a: float, b: float, c: float, d: float) -> float:
    """The rounding error of fl(a b) + fl(c d)."""
    one, two = a * b, c * d
    return fma(a, b, -one) + fma(c, d, -two) + lost(one, two, one + two)


@jit(forceinline=True)
def following(
    state: tuple[float, ...], factor: complex, added: complex, adding: bool, in_two: bool
) -> tuple[float, ...]:
    """The parts of state * factor + added, and what has been lost of either until then where that is kept."""
    a, b, low, other = state
    c, d, x, y = np.float64(factor.real), np.float64(factor.imag), np.float64(added.real), np.float64(added.imag)
    real, imag = a * c - b * d, a * d + b * c
    if in_two:
        error, more = rest(a, c, -b, d), rest(a, d, b, c)
        if adding:
            error, more = error + lost(real, x, real + x), more + lost(imag, y, imag + y)
        low, other = fma(low, c, fma(-other, d, error)), fma(low, d, fma(other, c, more))
    if adding:
        real, imag = real + x, imag + y
    return real, imag, low, other


@jit
def row_complex(added: Array, factor: Array, out: Array, in_two: bool, start: int, along: int, step: int) -> None:
    one, adding, at = added[start] if added.size else factor[start], added.size > 0, start
    state = np.float64(one.real), np.float64(one.imag), 0.0, 0.0
    out[at] = one
    for _ in range(1, along):
        at += step
        state = following(state, factor[at], added[at] if adding else 0j, adding, in_two)
        a, b, low, other = state
        out[at] = complex(renormalized(a, low), renormalized(b, other))


@jit
def column_complex(
    added: Array, factor: Array, out: Array, in_two: bool, start: int, along: int, step: int, width: int
) -> None:
    states, adding = np.zeros((width, 4)), added.size > 0
    for j in range(width):
        one = added[start + j] if adding else factor[start + j]
        states[j, 0], states[j, 1], out[start + j] = one.real, one.imag, one
    for i in range(1, along):
        at = start + i * step
        for j in range(width):
            own = states[j]
            state = own[0], own[1], own[2], own[3]
            a, b, low, other = following(state, factor[at + j], added[at + j] if adding else 0j, adding, in_two)
            own[0], own[1], own[2], own[3] = a, b, low, other
            out[at + j] = complex(renormalized(a, low), renormalized(b, other))


@jit
def complex_recurrence(
    added: Array, factor: Array, out: Array, in_two: bool, along: int, after: int, reverse: bool, first: int, last: int
) -> None:
    step = -after if reverse else after
    while first < last:
        start, width = start_of(first, along, after), min(WIDTH, lines_of(after, first, last))
        start += (along - 1) * after * reverse
        if width == 1:
            row_complex(added, factor, out, in_two, start, along, step)
        else:
            column_complex(added, factor, out, in_two, start, along, step, width)
        first += width
