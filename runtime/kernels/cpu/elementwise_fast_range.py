"""Kernels block by block: where all of a block is usual, by a shorter function of `scalar/fast_range.py`, of the same
bits. Powers have a loop for each usual exponent: asked for each element, LLVM computes all answers for every one where
elements are converted as they are read."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiler.passes.scalar_library import names_in, not_inlined, rebuilt
from ..scalar import conj, pow_number, rsqrt, sqrt
from ..scalar.fast_range import COMMON

BLOCK = 512  # elements: what the loops over a block ask for ahead is the next one (`compiler/passes/loops.py`)


def function(*x: Any) -> Any:
    """The function of a kernel, or that for usual arguments; `in_blocks` puts it here, as what follows."""


def length(size: int) -> Any:
    """The size of a loop: `size`, or BLOCK where its loop is that of a whole block."""


def of_block(size: int) -> int:
    return BLOCK


def as_is(size: int) -> int:
    return size


def key(x: Any) -> Any:
    """What tells whether an argument is usual."""


def inside(like: Any, low: Any, high: Any) -> Any:
    """Whether arguments with keys from `low` to `high` are."""


def fast_loop(*x: Any) -> None:
    """The loop over a block of usual elements."""


def full_loop(*x: Any) -> None:
    """The loop over some elements, whatever they are."""


def pattern(self: Any, result: Any) -> None:
    """What the text of a kernel is that is one function of one operand; as such a text, patterns have a docstring."""
    for i in range(result.size):
        result[i] = function(self[i])


def blocks(self: Any, result: Any) -> None:
    """The same, block by block; only whole blocks are looked at: a loop of a known length leaves no elements over."""
    for block in range(result.size // BLOCK):
        start = np.uint64(block * BLOCK)
        low = high = key(self[start])
        for i in range(BLOCK):  # an unsigned place is none that Python would count from the end
            each = key(self[start + np.uint64(i)])
            low = each if each < low else low
            high = each if each > high else high
        if inside(result[start], low, high):
            fast_loop(self, result, start, min(BLOCK, result.size))
        else:
            full_loop(self, result, start, min(BLOCK, result.size))  # no constant, for which it were compiled again
    full_loop(self, result, np.uint64(result.size // BLOCK * BLOCK), result.size % BLOCK)


def full_part(self: Any, result: Any, start: Any, size: int) -> None:
    for i in range(length(size)):
        result[start + np.uint64(i)] = function(self[start + np.uint64(i)])


def pair_key(x: Any, y: Any) -> Any:
    """What tells whether two arguments are usual together; `in_blocks` puts it here, as `whole`."""


def pattern_of_pairs(self: Any, other: Any, result: Any) -> None:
    """That of two operands."""
    for i in range(result.size):
        result[i] = function(self[i], other[i])


def pattern_with_number(self: Any, other: Any, result: Any) -> None:
    """Of an operand and a number."""
    T = self.dtype.type
    other = T(other)
    for i in range(result.size):
        result[i] = function(self[i], other)


def blocks_of_pairs(self: Any, other: Any, result: Any) -> None:
    for block in range(result.size // BLOCK):
        start, fast_pairs = np.uint64(block * BLOCK), 0
        for i in range(BLOCK):
            fast_pairs += pair_key(self[start + np.uint64(i)], other[start + np.uint64(i)])
        if fast_pairs == BLOCK:
            fast_loop(self, other, result, start, min(BLOCK, result.size))
        else:
            full_loop(self, other, result, start, min(BLOCK, result.size))
    full_loop(self, other, result, np.uint64(result.size // BLOCK * BLOCK), result.size % BLOCK)


def blocks_with_number(self: Any, other: Any, result: Any) -> None:
    T = self.dtype.type
    other = T(other)
    for block in range(result.size // BLOCK):
        start, fast_pairs = np.uint64(block * BLOCK), 0
        for i in range(BLOCK):
            fast_pairs += pair_key(self[start + np.uint64(i)], other)
        if fast_pairs == BLOCK:
            fast_loop(self, other, result, start, min(BLOCK, result.size))
        else:
            full_loop(self, other, result, start, min(BLOCK, result.size))
    full_loop(self, other, result, np.uint64(result.size // BLOCK * BLOCK), result.size % BLOCK)


def pairs_of(self: Any, other: Any, result: Any, start: Any, size: int) -> None:
    for i in range(length(size)):
        result[start + np.uint64(i)] = function(self[start + np.uint64(i)], other[start + np.uint64(i)])


def with_number(self: Any, other: Any, result: Any, start: Any, size: int) -> None:
    for i in range(length(size)):
        result[start + np.uint64(i)] = function(self[start + np.uint64(i)], other)


def inside_for(order: Any, like: Any, low: Any, high: Any) -> Any:
    """What `inside` is for a function of an order and a number; `in_blocks` puts it here."""


def pattern_of_order(self: Any, order: Any, result: Any) -> None:
    """Of a number for all elements, its order, and an operand."""
    for i in range(result.size):
        result[i] = function(order, self[i])


def blocks_of_order(self: Any, order: Any, result: Any) -> None:
    for block in range(result.size // BLOCK):
        start = np.uint64(block * BLOCK)
        low = high = key(self[start])
        for i in range(BLOCK):
            each = key(self[start + np.uint64(i)])
            low = each if each < low else low
            high = each if each > high else high
        if inside_for(order, result[start], low, high):
            fast_loop(self, order, result, start, min(BLOCK, result.size))
        else:
            full_loop(self, order, result, start, min(BLOCK, result.size))
    full_loop(self, order, result, np.uint64(result.size // BLOCK * BLOCK), result.size % BLOCK)


def part_of_order(self: Any, order: Any, result: Any, start: Any, size: int) -> None:
    for i in range(length(size)):
        result[start + np.uint64(i)] = function(order, self[start + np.uint64(i)])


def pattern_of_product(grad: Any, self: Any, result: Any) -> None:
    """A derivative that is a product with one function of one operand."""
    for i in range(result.size):
        result[i] = grad[i] * conj(function(self[i]))


def pattern_of_negative(grad: Any, self: Any, result: Any) -> None:
    """The negative product."""
    for i in range(result.size):
        result[i] = -grad[i] * conj(function(self[i]))


def blocks_of_product(grad: Any, self: Any, result: Any) -> None:
    for block in range(result.size // BLOCK):
        start = np.uint64(block * BLOCK)
        low = high = key(self[start])
        for i in range(BLOCK):
            each = key(self[start + np.uint64(i)])
            low = each if each < low else low
            high = each if each > high else high
        if inside(result[start], low, high):
            fast_loop(grad, self, result, start, min(BLOCK, result.size))
        else:
            full_loop(grad, self, result, start, min(BLOCK, result.size))
    full_loop(grad, self, result, np.uint64(result.size // BLOCK * BLOCK), result.size % BLOCK)


def part_of_product(grad: Any, self: Any, result: Any, start: Any, size: int) -> None:
    for i in range(length(size)):
        result[start + np.uint64(i)] = grad[start + np.uint64(i)] * function(self[start + np.uint64(i)])


def part_of_negative(grad: Any, self: Any, result: Any, start: Any, size: int) -> None:
    for i in range(length(size)):
        result[start + np.uint64(i)] = -grad[start + np.uint64(i)] * function(self[start + np.uint64(i)])


FORMS = (
    (pattern, blocks, full_part),
    (pattern_of_order, blocks_of_order, part_of_order),
    (pattern_of_pairs, blocks_of_pairs, pairs_of),
    (pattern_with_number, blocks_with_number, with_number),
    (pattern_of_product, blocks_of_product, part_of_product),
    (pattern_of_negative, blocks_of_product, part_of_negative),
)


def in_blocks(kernel: Any) -> Any:
    code = kernel.__code__
    called = [kernel.__globals__.get(name) for name in sorted(names_in(code) - {"range"})]
    functions = [function for function in called if function is not conj]
    result = COMMON.get(functions[0]) if len(functions) == 1 else None
    if result is None:
        return kernel
    for written, looked_at, part in FORMS:
        if code.co_code == written.__code__.co_code:
            loops = {"fast_loop": loop_of(part, result.function, of_block), "full_loop": loop_of(part, functions[0])}
            tests = {"key": result.key, "pair_key": result.key, "inside": result.inside, "inside_for": result.inside}
            return rebuilt(looked_at, loops | tests)
    return kernel


def loop_of(loop: Any, function: Any, length: Any = as_is) -> Any:
    """Not inlined, as loops beside it would leave no registers. Symbols of one name are one: so it has its own."""
    made = not_inlined(rebuilt(loop, {"function": function, "length": length}))
    made.__qualname__ = f"{loop.__name__}_{length.__name__}_{function.__name__}"
    return made


def any_power(x: Any, y: Any) -> Any:
    """The power for any exponent; `with_fast_numbers` puts it here."""


def powers(self: Any, other: Any, result: Any) -> None:
    T = self.dtype.type
    other = T(other)
    if other == 2:
        for i in range(result.size):
            result[i] = self[i] * self[i]
    elif other == 3:
        for i in range(result.size):
            result[i] = self[i] * self[i] * self[i]
    elif other == 0.5:
        for i in range(result.size):
            result[i] = sqrt(self[i])
    else:
        for i in range(result.size):
            result[i] = any_power(self[i], other)


def pattern_of_derivative(grad: Any, self: Any, exponent: Any, result: Any) -> None:
    """The derivative of a power."""
    T = result.dtype.type
    exponent = T(exponent)
    for i in range(result.size):
        result[i] = T(0) if exponent == T(0) else grad[i] * conj(exponent * any_power(self[i], exponent - T(1)))


def derivatives(grad: Any, self: Any, exponent: Any, result: Any) -> None:
    T = result.dtype.type
    exponent = T(exponent)
    if exponent == 2:
        for i in range(result.size):
            result[i] = grad[i] * (exponent * self[i])
    elif exponent == 3:
        for i in range(result.size):
            result[i] = grad[i] * (exponent * (self[i] * self[i]))
    elif exponent == 0.5:
        for i in range(result.size):
            result[i] = grad[i] * (exponent * T(rsqrt(self[i])))
    else:
        for i in range(result.size):
            result[i] = T(0) if exponent == T(0) else grad[i] * (exponent * any_power(self[i], exponent - T(1)))


POWER_FORMS = ((pattern_with_number, powers), (pattern_of_derivative, derivatives))


def with_fast_numbers(kernel: Any) -> Any:
    code = kernel.__code__
    called = {kernel.__globals__.get(name) for name in names_in(code) - {"range"}}
    if called - {conj} == {pow_number}:
        for pattern, written in POWER_FORMS:
            if code.co_code == pattern.__code__.co_code:
                return rebuilt(written, {"any_power": pow_number})
    return kernel
