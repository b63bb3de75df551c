"""What a checkpoint says of itself: which tensors it has, in which parts, and where the bytes of each lie.

It stands in the file `.metadata`, whose appearance makes the checkpoint valid. Files are only believed as far as they
are consistent: every number is checked before it is used.
"""

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from ....tensor.dtypes import dtype, from_name
from .flattening import path_of, plain_path

FORMAT = "specgrad distributed checkpoint 1"
NAME = ".metadata"
DATA = re.compile(r"__\d+_[0-9a-f]{16}\.distcp")
Key = tuple[str, tuple[int, ...]]  # of a part: the name, and where it begins in the tensor


@dataclass(frozen=True)
class ChunkStorageMetadata:
    """A part of a tensor: where it begins along each dimension, and how long it is."""

    offsets: tuple[int, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class TensorProperties:
    """What is said of a tensor besides its shape."""

    dtype: dtype


@dataclass
class TensorStorageMetadata:
    """A tensor, and the parts in which it was written."""

    properties: TensorProperties
    size: tuple[int, ...]
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """An object that is no tensor."""


@dataclass(frozen=True)
class Stored:
    """Where bytes lie: a file, the place in it, how many, and a checksum of every block of them."""

    file: str
    start: int
    nbytes: int
    checksums: tuple[int, ...]

    def plain(self) -> list[Any]:
        return [self.file, self.start, self.nbytes, list(self.checksums)]


@dataclass
class Metadata:
    """What is there by name, the way to each name in the nested state, and where the bytes of each part lie."""

    state_dict_metadata: dict[str, TensorStorageMetadata | BytesStorageMetadata]
    planner_data: dict[str, tuple[Any, ...]] = field(default_factory=dict)
    storage_data: dict[Key, Stored] = field(default_factory=dict)


def encoded(metadata: Metadata) -> dict[str, Any]:
    tensors = {
        name: [one.properties.dtype.name, list(one.size), [[list(c.offsets), list(c.sizes)] for c in one.chunks]]
        for name, one in metadata.state_dict_metadata.items()
        if isinstance(one, TensorStorageMetadata)
    }
    storage_data = [[name, list(offsets), *one.plain()] for (name, offsets), one in metadata.storage_data.items()]
    objects = [name for name, one in metadata.state_dict_metadata.items() if isinstance(one, BytesStorageMetadata)]
    ways = [[name, plain_path(path)] for name, path in metadata.planner_data.items()]
    results = {
        "format": FORMAT,
        "byteorder": sys.byteorder,
        "tensors": tensors,
        "objects": objects,
        "places": storage_data,
    }
    return {**results, "paths": ways}


def decoded(plain: Any) -> Metadata:
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise ValueError(f"it does not begin with {FORMAT!r}")
    if plain["byteorder"] != sys.byteorder:
        raise ValueError(f"it was written in {plain['byteorder']}-endian byte order, and this machine's is the other")
    try:
        metadata = _read(plain)
    except (KeyError, TypeError, IndexError) as error:
        raise ValueError(f"an entry is not what save() writes ({type(error).__name__}: {error})") from error
    _check(metadata)
    return metadata


def _read(plain: Mapping[str, Any]) -> Metadata:
    results: dict[str, TensorStorageMetadata | BytesStorageMetadata] = {
        name: BytesStorageMetadata() for name in plain["objects"]
    }
    for name, (kind, size, chunks) in plain["tensors"].items():
        parts = [ChunkStorageMetadata(tuple(offsets), tuple(sizes)) for offsets, sizes in chunks]
        results[name] = TensorStorageMetadata(TensorProperties(from_name(kind)), tuple(size), parts)
    storage_data = {
        (name, tuple(offsets)): Stored(file, start, nbytes, tuple(checksums))
        for name, offsets, file, start, nbytes, checksums in plain["places"]
    }
    return Metadata(results, {name: path_of(path) for name, path in plain["paths"]}, storage_data)


def _check(metadata: Metadata) -> None:
    """Refuse what could not have been written: parts outside their tensors, files elsewhere, bytes that are missing."""
    for name, one in metadata.state_dict_metadata.items():
        if isinstance(one, TensorStorageMetadata):
            covers(name, one.size, one.chunks)
    for (name, offsets), record in metadata.storage_data.items():
        if not DATA.fullmatch(record.file) or not _counts([record.start, record.nbytes, *record.checksums]):
            raise ValueError(f"{name} at {offsets} is said to lie in {record.file!r} at {record.start}")
    for name, one in metadata.state_dict_metadata.items():
        for offsets, size in _parts(one):
            stored = metadata.storage_data.get((name, offsets))
            if stored is None or size not in (None, stored.nbytes):
                raise ValueError(f"{name} at {offsets}: {size} bytes expected, and {stored} is there")


def _parts(one: TensorStorageMetadata | BytesStorageMetadata) -> list[tuple[tuple[int, ...], int | None]]:
    """Where the parts of an entry begin, and of how many bytes they are where that is known."""
    if isinstance(one, BytesStorageMetadata):
        return [((), None)]
    item = one.properties.dtype.itemsize
    return [(chunk.offsets, prod(chunk.sizes) * item) for chunk in one.chunks]


def _counts(numbers: Sequence[Any]) -> bool:
    return all(type(number) is int and number >= 0 for number in numbers)


def covers(name: str, size: Sequence[int], chunks: Sequence[ChunkStorageMetadata]) -> None:
    """Refuse parts that are not all of a tensor, each element once."""
    for chunk in chunks:
        inside = len(chunk.offsets) == len(chunk.sizes) == len(size) and _counts([*chunk.offsets, *chunk.sizes, *size])
        if not inside or any(b + n > s for b, n, s in zip(chunk.offsets, chunk.sizes, size, strict=True)):
            raise ValueError(f"{name}: {chunk.sizes} elements at {chunk.offsets} are outside its shape {list(size)}")
    ordered = sorted(chunks, key=lambda chunk: chunk.offsets)
    twice = next(((a, b) for i, a in enumerate(ordered) for b in ordered[i + 1 :] if _meet(a, b)), None)
    if twice is not None:
        raise ValueError(f"{name}: the parts at {twice[0].offsets} and {twice[1].offsets} have elements in common")
    there = sum(prod(chunk.sizes) for chunk in chunks)
    if there != prod(size):
        raise ValueError(f"{name}: the parts have {there} of the {prod(size)} elements of its shape {list(size)}")


def _meet(one: ChunkStorageMetadata, other: ChunkStorageMetadata) -> bool:
    return all(
        max(a, b) < min(a + m, b + n)
        for a, m, b, n in zip(one.offsets, one.sizes, other.offsets, other.sizes, strict=True)
    )
