"""CUDA kernels of random numbers: the words and functions of the CPU's. A thread makes one block of four words, and of
them four numbers of 64 bits or eight of 32; counts have a thread each, which makes attempts until one succeeds."""

from collections.abc import Callable
from typing import Any

from ...compiler.passes.primitives import fma
from ..scalar.random.counts import binomial, log_gamma_number, poisson
from ..scalar.random.philox import (
    below,
    block,
    exponential_double,
    exponential_single,
    normal_double,
    normal_single,
    uniform_double,
    uniform_single,
)
from .kernel import Array, Kernel, Signature, Target
from .language import cuda, int32, int64, put, uint32, uint64
from .storage import putter

THREADS = 256  # of a block

# Texts name these; a kernel has its own in their place.
begin: Any = None
draw: Any = None
put_within: Any = None


def of_slots(out: Any, size: Any, seed: Any, offset: Any, numbers: Any) -> None:
    key, first = begin(seed, offset)
    t = uint64(uint64(uint64(cuda.blockIdx.x) * uint64(256)) + uint64(cuda.threadIdx.x))
    a, b, c, d = block(key, uint64(uint64(first >> uint64(2)) + t))
    i = int64(int64(uint64(t << uint64(2))) - int64(uint64(first & uint64(3))))
    put_within(out, i, size, draw(int64(a), numbers))
    put_within(out, int64(i + int64(1)), size, draw(int64(b), numbers))
    put_within(out, int64(i + int64(2)), size, draw(int64(c), numbers))
    put_within(out, int64(i + int64(3)), size, draw(int64(d), numbers))


def of_halves(out: Any, size: Any, seed: Any, offset: Any, numbers: Any) -> None:
    key, first = begin(seed, offset)
    t = uint64(uint64(uint64(cuda.blockIdx.x) * uint64(256)) + uint64(cuda.threadIdx.x))
    a, b, c, d = block(key, uint64(uint64(first >> uint64(2)) + t))
    i = int64(int64(uint64(t << uint64(3))) - int64(uint64(uint64(first & uint64(3)) << uint64(1))))
    put_within(out, i, size, draw(int32(uint32(a)), numbers))
    put_within(out, int64(i + int64(1)), size, draw(int32(uint32(uint64(a >> uint64(32)))), numbers))
    put_within(out, int64(i + int64(2)), size, draw(int32(uint32(b)), numbers))
    put_within(out, int64(i + int64(3)), size, draw(int32(uint32(uint64(b >> uint64(32)))), numbers))
    put_within(out, int64(i + int64(4)), size, draw(int32(uint32(c)), numbers))
    put_within(out, int64(i + int64(5)), size, draw(int32(uint32(uint64(c >> uint64(32)))), numbers))
    put_within(out, int64(i + int64(6)), size, draw(int32(uint32(d)), numbers))
    put_within(out, int64(i + int64(7)), size, draw(int32(uint32(uint64(d >> uint64(32)))), numbers))


def given(seed: Any, offset: Any) -> Any:
    return seed, offset


def from_memory(seed: Any, offset: Any) -> Any:
    return seed[0], uint64(seed[1] + offset)


def where_it_belongs(out: Any, i: Any, size: Any, value: Any) -> None:
    if 0 <= i < size:
        put(out, i, value)


def word(h: Any, numbers: Any) -> Any:
    return uint64(h)


def uniform_float(h: Any, numbers: Any) -> Any:
    return min(fma(uniform_single(h, numbers[3]), numbers[1], numbers[0]), numbers[2])


def uniform_number(h: Any, numbers: Any) -> Any:
    return min(fma(uniform_double(h), numbers[1], numbers[0]), numbers[2])


def normal_float(h: Any, numbers: Any) -> Any:
    return fma(normal_single(h), numbers[1], numbers[0])


def normal_number(h: Any, numbers: Any) -> Any:
    return fma(normal_double(h), numbers[1], numbers[0])


def exponential_float(h: Any, numbers: Any) -> Any:
    return exponential_single(h) * numbers[0]


def exponential_number(h: Any, numbers: Any) -> Any:
    return exponential_double(h) * numbers[0]


def integer(h: Any, numbers: Any) -> Any:
    return int64(uint64(below(h, numbers[1]) + uint64(numbers[0])))


def trial(h: Any, numbers: Any) -> Any:
    return uniform_double(h) < numbers[0]


def survivor(h: Any, numbers: Any) -> Any:
    return uint32(h) >= numbers[0]


def poisson_counts(out: Any, size: Any, seed: Any, offset: Any, rates: Any) -> None:
    key, first = begin(seed, offset)
    i = int64(uint64(uint64(cuda.blockIdx.x) * uint64(256)) + uint64(cuda.threadIdx.x))
    if i < size:
        put(out, i, poisson(key, uint64(first + uint64(i)), rates[i]))


def binomial_counts(out: Any, size: Any, seed: Any, offset: Any, counts: Any, chances: Any) -> None:
    key, first = begin(seed, offset)
    i = int64(uint64(uint64(cuda.blockIdx.x) * uint64(256)) + uint64(cuda.threadIdx.x))
    if i < size:
        put(out, i, binomial(key, uint64(first + uint64(i)), counts[i], chances[i]))


def log_gamma_numbers(out: Any, size: Any, seed: Any, offset: Any, shapes: Any) -> None:
    key, first = begin(seed, offset)
    i = int64(uint64(uint64(cuda.blockIdx.x) * uint64(256)) + uint64(cuda.threadIdx.x))
    if i < size:
        put(out, i, log_gamma_number(key, uint64(first + uint64(i)), shapes[i]))


def beginning(target: Target, signature: Signature) -> Any:
    function = from_memory if isinstance(signature[2], Array) else given
    return target.device(function, **target.scalars(function, False))


def drawing(loop: Callable[..., None], function: Callable[..., Any]) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        made = target.device(function, **target.scalars(function, False))
        within = target.device(where_it_belongs, put=putter(target, signature[0].dtype))
        names = {"begin": beginning(target, signature), **target.scalars(loop, False)}
        return target.kernel(loop, draw=made, put_within=within, **names)

    return Kernel(f"{function.__name__} {loop.__name__}", make)


def counting(function: Callable[..., None]) -> Kernel:
    def make(target: Target, signature: Signature) -> Any:
        own = putter(target, signature[0].dtype)
        names = {"begin": beginning(target, signature), **target.scalars(function, False)}
        return target.kernel(function, put=own, **names)

    return Kernel(function.__name__, make)


RANDOM_BITS = drawing(of_slots, word)
UNIFORM = {4: drawing(of_halves, uniform_float), 8: drawing(of_slots, uniform_number)}  # by bytes of a number
NORMAL = {4: drawing(of_halves, normal_float), 8: drawing(of_slots, normal_number)}
EXPONENTIAL = {4: drawing(of_halves, exponential_float), 8: drawing(of_slots, exponential_number)}
INTEGERS = drawing(of_slots, integer)
TRIALS = drawing(of_slots, trial)
SURVIVORS = drawing(of_halves, survivor)
POISSON = counting(poisson_counts)
BINOMIAL = counting(binomial_counts)
LOG_GAMMA = counting(log_gamma_numbers)
