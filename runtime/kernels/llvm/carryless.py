"""Remainders by products without carries: of polynomials over the field of two elements, two in each 16 bytes.

A polynomial A x^D + B has the remainder of A (x^D mod P) + B. In 16 bytes of memory, of which the first bit belongs to
the highest power, the first 8 bytes stand 64 powers above the others; products are one power short of where they
belong, which the factors make good. V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
Instruction", Intel, 2009.
"""

from __future__ import annotations

from typing import Any

from ..compile.machine import carryless_bytes
from . import for_numba

POLYNOMIAL = 0x104C11DB7  # of CRC-32, the bit of the highest power first
AT_ONCE = 4  # vectors, each of which waits for the products before


def power(n: int) -> int:
    """x^n modulo the polynomial, as a factor: in the order of the memory's bits, one power up."""
    remainder = 1
    for _ in range(n):
        remainder <<= 1
        remainder ^= POLYNOMIAL if remainder >> 32 else 0
    return int(f"{remainder:032b}"[::-1], 2) << 1


@for_numba
def fold_blocks(context: Any, source: Any, count: Any, register: Any, to: Any) -> Any:
    """fold_blocks(source, count, register, to): write one block that has the remainder of `count` of them.

    `source` and `to` are addresses; a block has `AT_ONCE` vectors; `register` is xored to the first four bytes.
    """
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = carryless_bytes()
        word, byte = ir.IntType(64), ir.IntType(8)
        kind = ir.VectorType(word, size // 8)
        product_type = ir.FunctionType(kind, [kind, kind, byte])
        name = f"llvm.x86.pclmulqdq.{8 * size}"
        product = cgutils.get_or_insert_function(builder.module, product_type, name)
        distance = 8 * size * AT_ONCE
        factors = ir.Constant(kind, [power(distance + 32), power(distance - 32)] * (size // 16))

        def place(base: Any, block: Any, k: int) -> Any:
            offset = builder.add(builder.mul(block, word(size * AT_ONCE)), word(size * k))
            return builder.inttoptr(builder.add(base, offset), kind.as_pointer())

        sums = [cgutils.alloca_once(builder, kind) for _ in range(AT_ONCE)]
        for k, total in enumerate(sums):
            first = builder.load(place(args[0], word(0), k), align=1)
            if k == 0:
                lane = builder.xor(builder.extract_element(first, word(0)), args[2])
                first = builder.insert_element(first, lane, word(0))
            builder.store(first, total)
        with cgutils.for_range_slice(builder, word(1), args[1], word(1), inc=True) as (block, _):
            for k, total in enumerate(sums):
                before, new = builder.load(total), builder.load(place(args[0], block, k), align=1)
                low, high = (builder.call(product, [before, factors, byte(halves)]) for halves in (0x00, 0x11))
                builder.store(builder.xor(builder.xor(low, high), new), total)
        for k, total in enumerate(sums):
            builder.store(builder.load(total), place(args[3], word(0), k), align=1)
        return context.get_dummy_value()

    integer = types.int64
    return types.void(integer, integer, integer, integer), code
