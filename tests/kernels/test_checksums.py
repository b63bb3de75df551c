"""CRC-32 of much memory is that of zlib, whatever its length and what stands before it."""

import zlib

import numpy as np
import pytest

from specgrad.runtime.kernels.compile.loading import load_compiler
from specgrad.runtime.kernels.cpu.checksums import EVERY, LEAST, LINE, REACH, crc32, fold

rng = np.random.default_rng(0)


@pytest.mark.parametrize("size", [0, 1, 1000, LEAST - 1, *range(LEAST, LEAST + LINE + 2), 300_001, 1 << 20])
def test_the_checksum_is_that_of_zlib(size: int) -> None:
    load_compiler()
    memory = rng.integers(0, 256, size + 3, np.uint8)[3:]
    for before in (0, 1, 0x12345678, 0xFFFFFFFF):
        assert crc32(memory, before) == zlib.crc32(memory.tobytes(), before)


@pytest.mark.parametrize("size", [LEAST, LEAST + LINE - 1, 300_001])
def test_the_fold_without_products(size: int) -> None:
    """What processors without products of polynomials do."""
    load_compiler()
    memory = rng.integers(0, 256, size, np.uint8)
    rest = np.empty(REACH + (size - REACH) % LINE, np.uint8)
    fold(memory, 0x12345678 ^ EVERY, rest)
    assert zlib.crc32(rest, EVERY) == zlib.crc32(memory, 0x12345678)


def test_parts_one_after_the_other_have_the_checksum_of_all() -> None:
    load_compiler()
    memory = rng.integers(0, 256, 5 * LEAST + 7, np.uint8)
    found = crc32(memory[2 * LEAST + 5 :], crc32(memory[: 2 * LEAST + 5]))
    assert found == zlib.crc32(memory.tobytes())
    memory[-1] ^= 1
    assert crc32(memory) != found
