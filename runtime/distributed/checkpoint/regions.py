"""Which bytes of the parts of a tensor belong where in a part that is cut otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from .metadata import ChunkStorageMetadata

_AT_ONCE = 2**24  # bytes of a part that are read together


class Region(NamedTuple):
    """What a stored part and a wanted one have in common.

    Args:
        chunk: the stored part.
        begin: where the common part begins in the stored one.
        into: where it begins in the wanted one.
        sizes: how long it is.
    """

    chunk: ChunkStorageMetadata
    begin: tuple[int, ...]
    into: tuple[int, ...]
    sizes: tuple[int, ...]


def common(chunks: Sequence[ChunkStorageMetadata], offsets: Sequence[int], sizes: Sequence[int]) -> list[Region]:
    matches = []
    for chunk in chunks:
        first = [max(a, b) for a, b in zip(chunk.offsets, offsets, strict=True)]
        ends = zip(chunk.offsets, chunk.sizes, offsets, sizes, strict=True)
        last = [min(a + m, b + n) for a, m, b, n in ends]
        if all(a < b for a, b in zip(first, last, strict=True)):
            begin = tuple(a - b for a, b in zip(first, chunk.offsets, strict=True))
            into = tuple(a - b for a, b in zip(first, offsets, strict=True))
            matches.append(Region(chunk, begin, into, tuple(b - a for a, b in zip(first, last, strict=True))))
    return matches


def spans(region: Region, item: int) -> Iterator[tuple[int, int, Region]]:
    """The bytes of the stored part that a region needs, some rows at a time, with the region of these rows.

    Args:
        region: the region.
        item: bytes of an element.

    Yields:
        The first byte, the one behind the last, and the region of whole rows that they hold.
    """
    if not region.sizes:  # a number
        yield 0, item, region
        return
    row = prod(region.chunk.sizes[1:]) * item
    step = max(1, _AT_ONCE // max(1, row))
    for start in range(0, region.sizes[0], step):
        count = min(step, region.sizes[0] - start)
        first = region.begin[0] + start
        rows = Region(
            region.chunk,
            (0, *region.begin[1:]),
            (region.into[0] + start, *region.into[1:]),
            (count, *region.sizes[1:]),
        )
        yield first * row, (first + count) * row, rows


def placed(data: np.ndarray, rows: Region, into: np.ndarray) -> None:
    """Copy the elements of a region out of the bytes of whole rows.

    Args:
        data: the bytes.
        rows: the region, whose `begin` counts from them.
        into: where elements are written, an array of bytes of one dimension more than the wanted part.
    """
    item = into.shape[-1]
    value = data.reshape(*rows.sizes[:1], *rows.chunk.sizes[1:], item)
    chosen = tuple(slice(a, a + n) for a, n in zip(rows.begin, rows.sizes, strict=True))
    requested = tuple(slice(a, a + n) for a, n in zip(rows.into, rows.sizes, strict=True))
    into[requested] = value[chosen]
