"""Which rank writes what: each its own rows, and of what several have alike one, so that all write about as much.

And which bytes of the parts of a tensor belong where in a part that is cut otherwise.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ....tensor.dtypes import from_name
from ....tensor.tensor import TensorBase
from .. import buffers
from ..shard_rows import row_range_of
from .metadata import ChunkStorageMetadata, Key, covers


@dataclass(frozen=True)
class Piece:
    """What a rank has under a name: all or a part of a tensor, or an object, for which `kind`, the dtype, is empty.

    `shape` is that of the whole tensor; `offsets` and `sizes` are the place in it of what is here.
    """

    name: str
    kind: str = ""
    shape: tuple[int, ...] = ()
    offsets: tuple[int, ...] = ()
    sizes: tuple[int, ...] = ()

    @property
    def key(self) -> Key:
        return self.name, self.offsets

    @property
    def nbytes(self) -> int:
        """Of objects 0: they are short."""
        return prod(self.sizes) * from_name(self.kind).itemsize if self.kind else 0

    def plain(self) -> list[Any]:
        return [self.name, self.kind, list(self.shape), list(self.offsets), list(self.sizes)]


def piece(name: str, value: Any) -> Piece:
    if not isinstance(value, TensorBase):
        return Piece(name)
    tensor = buffers.tensor("checkpoint", value, name)
    shape, kind = tuple(tensor._shape), tensor._dtype.name
    rows = row_range_of(tensor)
    if rows is None:
        return Piece(name, kind, shape, (0,) * len(shape), shape)
    if shape != rows.local_shape:
        raise ValueError(
            f"{name}: it is said to be rows {rows.first} to {rows.first + rows.count} of a tensor of shape "
            f"{list(rows.shape)}, but its shape here is {list(shape)}"
        )
    return Piece(name, kind, rows.shape, (rows.first, *[0] * (len(shape) - 1)), shape)


def pieces(leaves: Mapping[str, Any]) -> list[Piece]:
    """Parts without elements are left out."""
    matches = [piece(name, value) for name, value in leaves.items()]
    return [one for one in matches if one.sizes == one.shape or prod(one.sizes) > 0]


def read_plain(plain: list[list[Any]]) -> list[Piece]:
    return [Piece(name, kind, *map(tuple, records)) for name, kind, *records in plain]


def shared_out(every: list[list[Piece]]) -> dict[Key, int]:
    """The rank that writes each part, the same answer on all ranks, of what each rank has."""
    owners: dict[Key, list[int]] = {}
    results: dict[Key, Piece] = {}
    for rank, own in enumerate(every):
        for one in own:
            owners.setdefault(one.key, []).append(rank)
            _agree(results.setdefault(one.key, one), one, owners[one.key][0], rank)
    _check_wholes(results)
    written = [0] * len(every)
    chosen: dict[Key, int] = {}
    for key in sorted(results, key=lambda key: (len(owners[key]) > 1, -results[key].nbytes)):
        rank = min(owners[key], key=lambda rank: written[rank])
        chosen[key] = rank
        written[rank] += results[key].nbytes
    return chosen


def _agree(first: Piece, other: Piece, one_rank: int, other_rank: int) -> None:
    if first != other:
        raise ValueError(
            f"{first.name}: rank {one_rank} has {_error_message(first)}, but rank {other_rank} has "
            f"{_error_message(other)}; a tensor of which ranks have parts is a ShardedTensor"
        )


def _error_message(one: Piece) -> str:
    if not one.kind:
        return "an object"
    return f"{one.kind} {list(one.sizes)} at {list(one.offsets)} of a tensor of shape {list(one.shape)}"


def _check_wholes(result: Mapping[Key, Piece]) -> None:
    by_name: dict[str, list[Piece]] = {}
    for one in result.values():
        by_name.setdefault(one.name, []).append(one)
    for name, parts in by_name.items():
        for one in parts[1:]:
            if (one.kind, one.shape) != (parts[0].kind, parts[0].shape):
                raise ValueError(f"{name}: one rank has {_error_message(parts[0])}, another {_error_message(one)}")
        if parts[0].kind:
            covers(name, parts[0].shape, [ChunkStorageMetadata(one.offsets, one.sizes) for one in parts])


_AT_ONCE = 2**24  # bytes of a part that are read together


class Region(NamedTuple):
    """What a stored part (`chunk`) and a wanted one have in common: where that begins in each, and how long it is."""

    chunk: ChunkStorageMetadata
    begin: tuple[int, ...]
    into: tuple[int, ...]
    sizes: tuple[int, ...]


def common(chunks: Sequence[ChunkStorageMetadata], offsets: Sequence[int], sizes: Sequence[int]) -> list[Region]:
    matches = []
    for chunk in chunks:
        first = np.maximum(chunk.offsets, offsets)
        lengths = np.minimum(np.add(chunk.offsets, chunk.sizes), np.add(offsets, sizes)) - first
        if (lengths > 0).all():
            parts = first - chunk.offsets, first - offsets, lengths
            matches.append(Region(chunk, *[tuple(part.tolist()) for part in parts]))
    return matches


def spans(region: Region, item: int) -> Iterator[tuple[int, int, Region]]:
    """The bytes of the stored part that a region needs: first and end of some rows at a time, and their region."""
    if not region.sizes:  # a number
        yield 0, item, region
        return
    row = prod(region.chunk.sizes[1:]) * item
    step = max(1, _AT_ONCE // max(1, row))
    for start in range(0, region.sizes[0], step):
        count = min(step, region.sizes[0] - start)
        first = region.begin[0] + start
        begin, into = (0, *region.begin[1:]), (region.into[0] + start, *region.into[1:])
        rows = Region(region.chunk, begin, into, (count, *region.sizes[1:]))
        yield first * row, (first + count) * row, rows


def placed(data: np.ndarray, rows: Region, into: np.ndarray) -> None:
    """Copy the elements of a region out of `data`, the bytes of whole rows, from which `rows.begin` counts.

    `into` is an array of bytes of one dimension more than the wanted part.
    """
    item = into.shape[-1]
    value = data.reshape(*rows.sizes[:1], *rows.chunk.sizes[1:], item)
    chosen = tuple(slice(a, a + n) for a, n in zip(rows.begin, rows.sizes, strict=True))
    requested = tuple(slice(a, a + n) for a, n in zip(rows.into, rows.sizes, strict=True))
    into[requested] = value[chosen]
