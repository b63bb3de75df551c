"""The files that PyTorch wrote before it wrote archives: pickles in a row, and then raw storages."""

import struct
import sys
from functools import partial
from typing import Any

import numpy as np

from ...tensor.dtypes import uint8
from .pickle_names import find
from .pickle_reader import Named, Reader
from .pickle_tensors import StorageType, storage_tensor
from .torch_format import DeviceMap, Storages, checked_identity
from .zip_archive import Damage

MAGIC = bytes.fromhex("80028a0a6cfc9c46f9206aa850192e")  # a pickle of one number
_VERSION = 1001
_LENGTH = struct.Struct("<q")


def read_legacy(data: bytes, locate: DeviceMap) -> Any:
    """The object of such a file: magic number, version, machine, object, keys of storages, storages."""
    reader = Reader(data, find, _no_storage)
    reader.position = len(MAGIC)
    version, machine = reader.load(), reader.load()
    if version != _VERSION or type(machine) is not dict:
        raise Damage(f"its version is {version!r}, which is not {_VERSION}")
    begin = reader.position
    sizes, reader.position = _element_sizes(data, begin)
    keys = reader.load()
    spans = _spans(data, reader.position, keys, sizes)
    swapped = bool(machine.get("little_endian", True)) != (sys.byteorder == "little")
    reader = Reader(data, find, _Storages(partial(_bytes_of, data, spans), locate, swapped))
    reader.position = begin
    return reader.load()


def _no_storage(identity: Any) -> Any:
    raise Damage("there is a storage where none belongs")


def _is_class(identity: Any) -> bool:
    """Whether it is a class of modules, behind which such files have its source."""
    return type(identity) is tuple and len(identity) == 4 and identity[0] == "module"


class _Nothing:
    """What stands for any object while a pickle is only looked through."""

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def extend(self, items: Any) -> None: ...

    def update(self, items: Any) -> None: ...


def _made(*arguments: Any, **more: Any) -> _Nothing:
    return _Nothing()


def _nothing(value: Any, state: Any) -> None: ...


def _storage_types(module: str, name: str) -> Named:
    result = find(module, name) if name.endswith("Storage") else None
    known = result is not None and isinstance(result.value, StorageType)
    return result if result is not None and known else Named(_Nothing, _made, _made, _nothing, fill=True)


def _element_sizes(data: bytes, begin: int) -> tuple[dict[str, int], int]:
    """The size of an element of each storage that the object names, and where its pickle ends."""
    sizes: dict[str, int] = {}

    def noted(identity: Any) -> Any:
        if _is_class(identity):
            return identity[1]
        kind, key, _, _ = checked_identity(identity)
        sizes[key] = (kind or uint8).itemsize
        return _Nothing()

    reader = Reader(data, _storage_types, noted)
    reader.position = begin
    reader.load()
    return sizes, reader.position


def _spans(data: bytes, position: int, keys: Any, sizes: dict[str, int]) -> dict[str, tuple[int, int]]:
    if type(keys) is not list:
        raise Damage("it has no list of storages")
    spans: dict[str, tuple[int, int]] = {}
    for key in keys:
        if type(key) is not str or key not in sizes or position + _LENGTH.size > len(data):
            raise Damage(f"there is no storage {key!r}")
        (count,) = _LENGTH.unpack_from(data, position)
        position += _LENGTH.size
        if count < 0 or position + count * sizes[key] > len(data):
            raise Damage(f"storage {key} reaches beyond the file")
        spans[key] = position, count
        position += count * sizes[key]
    return spans


def _bytes_of(data: bytes, spans: dict[str, tuple[int, int]], key: str, count: int, itemsize: int) -> Any:
    start, stored = spans.get(key, (0, -1))
    if stored != count or start + count * itemsize > len(data):
        raise Damage(f"storage {key} has {stored} elements, which are not {count}")
    return np.frombuffer(data, np.uint8, count * itemsize, start).copy()


class _Storages(Storages):
    def __call__(self, identity: Any) -> Any:
        if _is_class(identity):
            return identity[1]
        entry = super().__call__(identity)
        return entry if len(identity) == 5 or identity[5] is None else _part(entry, identity[5])


def _part(storage: Any, view: Any) -> Any:
    if type(view) is not tuple or len(view) != 3 or not all(type(n) is int and n >= 0 for n in view[1:]):
        raise Damage("a storage is no part of another")
    _, offset, size = view
    if offset + size > storage._storage.size:
        raise Damage("a storage reaches beyond the one that it is a part of")
    return storage_tensor(storage._storage[offset : offset + size], storage.dtype)
