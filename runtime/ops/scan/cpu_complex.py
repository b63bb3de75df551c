"""Running products and linear recurrences of complex numbers, as `scan_products` has those of real ones."""

from __future__ import annotations

import numpy as np

from ...kernels.jit import jit
from ...kernels.scalar.primitives import fma
from .cpu_products import joined
from .cpu_sums import lines_together, lost, start_of

Array = np.ndarray


@jit(forceinline=True)
def rest(a: float, b: float, c: float, d: float) -> float:
    """What rounding has taken from fl(a b) + fl(c d)."""
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
    """The recurrence of one line."""
    one, adding, at = added[start] if added.size else factor[start], added.size > 0, start
    state = np.float64(one.real), np.float64(one.imag), 0.0, 0.0
    out[at] = one
    for _ in range(1, along):
        at += step
        state = following(state, factor[at], added[at] if adding else 0j, adding, in_two)
        a, b, low, other = state
        out[at] = complex(joined(a, low), joined(b, other))


@jit
def column_complex(
    added: Array, factor: Array, out: Array, in_two: bool, start: int, along: int, step: int, width: int
) -> None:
    """The recurrence of lines side by side."""
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
            out[at + j] = complex(joined(a, low), joined(b, other))


@jit
def complex_recurrence(
    added: Array,
    factor: Array,
    out: Array,
    in_two: bool,
    along: int,
    after: int,
    reverse: bool,
    first: int,
    last: int,
) -> None:
    """The recurrence along each line, or the running products: in double precision, and with the errors `in_two`."""
    step = -after if reverse else after
    while first < last:
        start, width = start_of(first, along, after), lines_together(after, first, last)
        start += (along - 1) * after * reverse
        if width == 1:
            row_complex(added, factor, out, in_two, start, along, step)
        else:
            column_complex(added, factor, out, in_two, start, along, step, width)
        first += width
