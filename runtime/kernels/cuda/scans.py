"""Kernels of scans. A state is a pair of numbers (a sum and what rounding took from it, an extreme and its place, ...).
A thread has a line (`by_thread`), or a block has a part of one (`by_block`), four elements a thread. Arrays are seen as
(before, along, after)."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..scalar import exp, log
from .kernel import Kernel, Signature, Target
from .language import T, cuda, get, int64, join, lost, put, read, uint32, write
from .per_element import with_helpers
from .storage import getter, putter

# Texts name these; a kernel has its own in their place.
A: Any = None
B: Any = None
get_other: Any = None
put_other: Any = None


def no_state() -> Any:
    return A(0), B(0)


def read_one(sources: Any, at: Any, i: Any) -> Any:
    return A(get(sources[0], at)), B(0)


def read_exponent(sources: Any, at: Any, i: Any) -> Any:
    return A(get(sources[0], at)), B(1)


def read_placed(sources: Any, at: Any, i: Any) -> Any:
    return get(sources[0], at), B(i)


def read_both(sources: Any, at: Any, i: Any) -> Any:
    return A(get(sources[0], at)), B(get_other(sources[1], at))


def read_state(sources: Any, at: Any, i: Any) -> Any:
    return sources[0][at], sources[1][at]


def write_state(results: Any, at: Any, a: Any, b: Any) -> None:
    results[0][at] = a
    results[1][at] = b


def write_one(results: Any, at: Any, a: Any, b: Any) -> None:
    put(results[0], at, T(a))


def write_count(results: Any, at: Any, a: Any, b: Any) -> None:
    put(results[0], at, a)


def write_truth(results: Any, at: Any, a: Any, b: Any) -> None:
    put(results[0], at, a != 0)


def write_sum(results: Any, at: Any, a: Any, b: Any) -> None:
    """A sum with what was lost, unless it is not finite."""
    put(results[0], at, T(a + b if b - b == 0 and b != 0 else a))


def write_placed(results: Any, at: Any, a: Any, b: Any) -> None:
    put(results[0], at, a)
    put_other(results[1], at, int64(b))


def write_logarithm(results: Any, at: Any, a: Any, b: Any) -> None:
    put(results[0], at, T(a + log(b)))


def add(a: Any, b: Any, c: Any, d: Any) -> Any:
    return A(a + c), b


def add_in_two(a: Any, b: Any, c: Any, d: Any) -> Any:
    total = a + c
    return total, b + d + lost(a, c, total)


def two_sum(a: Any, b: Any, total: Any) -> Any:
    """The rounding error of total = a + b; 0 where that is not finite."""
    part = total - a
    error = (a - (total - part)) + (b - part)
    return error if error == error else type(total)(0)


def multiply(a: Any, b: Any, c: Any, d: Any) -> Any:
    return A(a * c), b


def recur(a: Any, b: Any, c: Any, d: Any) -> Any:
    return A(c + A(a * d)), B(b * d)


def maximum(a: Any, b: Any, c: Any, d: Any) -> Any:
    """The last of the greatest; nan is greater than all."""
    if c != c or (c >= a and a == a):
        return c, d
    return a, b


def minimum(a: Any, b: Any, c: Any, d: Any) -> Any:
    if c != c or (c <= a and a == a):
        return c, d
    return a, b


def exponentials(a: Any, b: Any, c: Any, d: Any) -> Any:
    if a == c:
        return a, b + d
    if a > c:
        return a, b + d * exp(c - a)
    return c, d + b * exp(a - c)


class State(NamedTuple):
    """How elements become states, states one state, and a state results."""

    read: Any
    join: Any
    write: Any


STATES = {
    "sum": State(read_one, add, write_one),
    "sum_in_two": State(read_one, add_in_two, write_sum),
    "count": State(read_one, add, write_count),  # of what is not zero
    "product": State(read_one, multiply, write_one),
    "recurrence": State(read_both, recur, write_one),
    "maximum": State(read_placed, maximum, write_placed),
    "minimum": State(read_placed, minimum, write_placed),
    "logarithm": State(read_exponent, exponentials, write_logarithm),
}
OF_INTEGERS = ("sum", "product", "recurrence")


def types_of(name: str, computed: np.dtype) -> tuple[Any, Any]:
    if name in ("maximum", "minimum"):
        return computed.type, np.int32
    wide = {"f": np.float64, "c": np.complex128}.get(computed.kind, np.int64)
    return wide, wide if name in ("sum_in_two", "recurrence", "logarithm") else np.int32


def names_of_state(
    target: Target, name: str, computed: np.dtype, phase: str, sources: Any, results: Any
) -> dict[str, Any]:
    """What a kernel calls of a state; `phase`: "full"; "between", of states; "after", on from `totals`."""
    first, second = types_of(name, computed)
    types = {"A": first, "B": second, "T": computed.type}
    state = STATES[name]
    reads = {
        "get": getter(target, sources[0].dtype, computed),
        "get_other": getter(target, sources[-1].dtype, computed),
    }
    puts = {"put": putter(target, results[0].dtype), "put_other": putter(target, results[-1].dtype)}
    written = write_truth if results[0].dtype.kind == "b" and state.write is write_one else state.write
    if phase == "between":
        state, written = State(read_state, state.join, write_state), write_state
    helpers = {"lost": target.device(two_sum)} if name == "sum_in_two" else {}
    return {
        "A": first,
        "B": second,
        "nothing": target.device(no_state, **types),
        "read": target.device(state.read, **types, **reads),
        "join": target.device(state.join, **types, **helpers, **target.scalars(state.join, False)),
        "write": target.device(written, **types, **puts, **target.scalars(written, False)),
        "carry_in": target.device(from_totals if phase == "after" else from_nothing, **types),
    }


def from_nothing(totals: Any, part: Any) -> Any:
    return False, A(0), B(0)


def from_totals(totals: Any, part: Any) -> Any:
    if part > uint32(0):
        before = uint32(uint32(cuda.blockIdx.x) - uint32(1))
        return True, totals[0][before], totals[1][before]
    return False, A(0), B(0)


MAX_THREADS = 256  # of a block
PER_THREAD = 4

# Texts name these; a kernel has its own in their place.
nothing: Any = None
carry_in: Any = None


def line_at(line: Any, along: Any, after: Any, reverse: Any) -> Any:
    q = uint32(line // after)
    start = uint32(uint32(uint32(q * along) * after) + uint32(line - uint32(q * after)))
    step = after
    if reverse > uint32(0):
        start = uint32(start + uint32(uint32(along - uint32(1)) * after))
        step = uint32(uint32(0) - after)
    return start, step


def lesser(x: Any, y: Any) -> Any:
    return uint32(x if x < y else y)


def folded(sources: Any, start: Any, step: Any, first: Any, last: Any) -> Any:
    a, b = nothing()
    if first < last:
        a, b = read(sources, uint32(start + uint32(first * step)), first)
        i = uint32(first + uint32(1))
        while i < last:
            c, d = read(sources, uint32(start + uint32(i * step)), i)
            a, b = join(a, b, c, d)
            i = uint32(i + uint32(1))
    return a, b


def block_scan(firsts: Any, seconds: Any, threads: Any, has: Any, a: Any, b: Any) -> None:
    t = uint32(cuda.threadIdx.x)
    if has:
        firsts[t] = a
        seconds[t] = b
    cuda.syncthreads()
    distance = uint32(1)
    while distance < threads:
        e, f = nothing()
        takes = has and t >= distance
        if takes:
            e, f = firsts[uint32(t - distance)], seconds[uint32(t - distance)]
        cuda.syncthreads()
        if takes:
            a, b = join(e, f, a, b)
            firsts[t] = a
            seconds[t] = b
        cuda.syncthreads()
        distance = uint32(distance << uint32(1))


def written(
    sources: Any, results: Any, start: Any, step: Any, first: Any, last: Any, known: Any, a: Any, b: Any
) -> None:
    """Write the state after each element; (a, b) is the one before them, where one is known."""
    i = first
    while i < last:
        at = uint32(start + uint32(i * step))
        c, d = read(sources, at, i)
        if known:
            c, d = join(a, b, c, d)
        a, b = c, d
        known = True
        write(results, at, a, b)
        i = uint32(i + uint32(1))


def before_thread(firsts: Any, seconds: Any, t: Any, known: Any, x: Any, y: Any) -> Any:
    a, b = x, y
    if t > uint32(0):
        a, b = firsts[uint32(t - uint32(1))], seconds[uint32(t - uint32(1))]
        if known:
            a, b = join(x, y, a, b)
        known = True
    return known, a, b


def by_thread(sources: Any, results: Any, along: Any, after: Any, reverse: Any, size: Any) -> None:
    line = uint32(uint32(cuda.blockIdx.x) * uint32(cuda.blockDim.x) + uint32(cuda.threadIdx.x))
    if line < size:
        start, step = line_at(line, along, after, reverse)
        a, b = nothing()
        written(sources, results, start, step, uint32(0), along, False, a, b)


def by_block(
    sources: Any, results: Any, totals: Any, along: Any, after: Any, reverse: Any, parts: Any, length: Any
) -> None:
    """A part of a line, of `length` elements at most; `totals` are the states after parts, where there are several."""
    firsts, seconds = cuda.shared.array(256, A), cuda.shared.array(256, B)
    t, threads = uint32(cuda.threadIdx.x), uint32(cuda.blockDim.x)
    line = uint32(uint32(cuda.blockIdx.x) // parts)
    part = uint32(uint32(cuda.blockIdx.x) - uint32(line * parts))
    start, step = line_at(line, along, after, reverse)
    base = uint32(part * length)
    end = lesser(uint32(base + length), along)
    known, x, y = carry_in(totals, part)
    while base < end:
        first = uint32(base + uint32(t * uint32(4)))
        last = lesser(uint32(first + uint32(4)), end)
        a, b = folded(sources, start, step, first, last)
        block_scan(firsts, seconds, threads, first < end, a, b)
        if first < end:
            before, a, b = before_thread(firsts, seconds, t, known, x, y)
            written(sources, results, start, step, first, last, before, a, b)
        full = lesser(uint32(uint32(uint32(end - base) + uint32(3)) >> uint32(2)), threads)
        known, x, y = before_thread(firsts, seconds, full, known, x, y)
        cuda.syncthreads()
        base = uint32(base + uint32(threads * uint32(4)))


def by_part(sources: Any, totals: Any, along: Any, after: Any, reverse: Any, parts: Any, length: Any) -> None:
    firsts, seconds = cuda.shared.array(256, A), cuda.shared.array(256, B)
    t, threads = uint32(cuda.threadIdx.x), uint32(cuda.blockDim.x)
    line = uint32(uint32(cuda.blockIdx.x) // parts)
    start, step = line_at(line, along, after, reverse)
    base = uint32(uint32(uint32(cuda.blockIdx.x) - uint32(line * parts)) * length)
    end = lesser(uint32(base + length), along)
    own = uint32(uint32(uint32(length + threads) - uint32(1)) // threads)
    first = uint32(base + uint32(t * own))
    a, b = folded(sources, start, step, first, lesser(uint32(first + own), end))
    if first < end:
        firsts[t] = a
        seconds[t] = b
    cuda.syncthreads()
    distance = uint32(1)
    while distance < threads:
        other = uint32(t + distance)
        begins = uint32(t & uint32(uint32(distance << uint32(1)) - uint32(1))) == uint32(0)
        if begins and other < threads and uint32(base + uint32(other * own)) < end:
            a, b = join(a, b, firsts[other], seconds[other])
            firsts[t] = a
            seconds[t] = b
        cuda.syncthreads()
        distance = uint32(distance << uint32(1))
    if t == uint32(0):
        totals[0][uint32(cuda.blockIdx.x)] = a
        totals[1][uint32(cuda.blockIdx.x)] = b


@cache
def scanning(function: Any, name: str, computed: np.dtype, phase: str = "full") -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        names = names_of_state(target, name, computed, phase, signature[0], signature[1])
        return target.kernel(function, **with_helpers(target, function, names, False))

    return Kernel(f"{name} {function.__name__} {phase}", make)
