"""Files that specgrad wrote before it wrote PyTorch's: an archive with nested objects as JSON, and raw storages.
Nothing in it can run code.
"""

import base64
import json
import re
import sys
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from ...device.device import CPU, device
from ...shapes import Size
from ...tensor.dtype_views import storage_as
from ...tensor.dtypes import dtype, from_name, uint8
from ...tensor.memory import placed
from ...tensor.tensor import from_flat
from .rebuild import check_layout, check_sizes, rebuild
from .zip_archive import Archive, Damage

_PLAIN = (type(None), bool, int, float, str)
_SEQUENCES: dict[str, Any] = {"list": list, "tuple": tuple, "Size": Size, "set": set, "frozenset": frozenset}
_MAPPINGS: dict[str, Any] = {"dict": dict, "OrderedDict": OrderedDict, "Counter": Counter}
_subclasses: dict[str, type] = {}

Node = Any  # what JSON holds: a plain value, or a dict with the key "type"


def register_tensor_class(name: str, cls: type) -> type:
    _subclasses[name] = cls
    return cls


def tensor_classes() -> dict[str, type]:
    plain = type(from_flat(np.empty(0, np.uint8), (0,), uint8))
    return {"tensor": plain, **_subclasses}


class Decoder:
    """Turns nodes back into objects; `storage` reads a storage by number, `place` chooses the device."""

    def __init__(self, storage: Callable[[int, dtype, device], Any], locate: Callable[[str], device]) -> None:
        self._storage = storage
        self._location = locate
        self._tensors: list[Any] = []

    def decode(self, node: Node) -> Any:
        if type(node) in _PLAIN:
            return node
        kind = _checked_type(_checked_type(node, dict)["type"], str)
        if kind in _SEQUENCES:
            return _SEQUENCES[kind](self.decode(item) for item in _checked_type(node["items"], list))
        if kind in _MAPPINGS:
            return self._mapping(node)
        if kind in _LEAVES:
            return _LEAVES[kind](node["value"])
        if kind == "same":
            return self._same(node)
        if kind not in ("tensor", "array"):
            raise ValueError(f"unknown type {kind!r}")
        return self._tensor(node) if kind == "tensor" else self._array(node)

    def _same(self, node: Node) -> Any:
        number = _checked_type(node["as"], int)
        if not 0 <= number < len(self._tensors) or self._tensors[number] is None:
            raise ValueError(f"there is no tensor {number} yet")
        return self._tensors[number]

    def _mapping(self, node: Node) -> Any:
        result = _MAPPINGS[node["type"]]()
        for key, value in _checked_type(node["items"], list):  # one by one: a Counter made from pairs counts the pairs
            result[self.decode(key)] = self.decode(value)
        if "metadata" in node:
            result._metadata = self.decode(node["metadata"])
        return result

    def _tensor(self, node: Node) -> Any:
        position = len(self._tensors)
        self._tensors.append(None)
        kind = from_name(node["dtype"])
        requires_grad = _checked_type(node["requires_grad"], bool)
        if requires_grad and not (kind.is_floating_point or kind.is_complex):
            raise ValueError(f"a tensor of {kind} requires no gradient")
        locate = self._location(_checked_type(node["device"], str))
        storage = self._storage(_checked_type(node["storage"], int), kind, locate)
        shape, strides = tuple(_checked_type(node["shape"], list)), tuple(_checked_type(node["strides"], list))
        layout = shape, strides, node["offset"]
        check_layout(*layout, storage.size)
        attributes = _checked_type(self.decode(node.get("attributes", {"type": "dict", "items": []})), dict)
        attributes = {_checked_type(name, str): value for name, value in attributes.items()}
        cls = tensor_classes()[node["class"]]
        t = rebuild(cls, storage, layout, requires_grad, locate, attributes, kind)
        self._tensors[position] = t
        return t

    def _array(self, node: Node) -> Any:
        storage = self._storage(_checked_type(node["storage"], int), from_name(node["dtype"]), CPU)
        shape = tuple(_checked_type(node["shape"], list))
        check_sizes(shape)
        array = storage.reshape(shape)
        return array[()] if node["scalar"] else array


def _checked_type(value: Any, cls: type) -> Any:
    """The value, which must be of just this class: what JSON holds may be anything."""
    if type(value) is not cls:
        raise ValueError(f"expected {cls.__name__}, but got {type(value).__name__}")
    return value


def _decoded_bytes(value: Any) -> bytes:
    return base64.b64decode(_checked_type(value, str), validate=True)


_LEAVES: dict[str, Callable[[Any], Any]] = {
    "complex": lambda value: complex(*value),
    "dtype": from_name,
    "device": device,
    "bytes": _decoded_bytes,
    "bytearray": lambda value: bytearray(_decoded_bytes(value)),
}


DESCRIPTION = "tree.json"
_FORMAT = {"format": "specgrad", "version": 1, "byteorder": sys.byteorder}
_MEMBER = re.compile(r"tree\.json|storages/(0|[1-9][0-9]*)")


def read_described(archive: Archive, locate: Callable[[str], device]) -> Any:
    for name in archive:
        if not _MEMBER.fullmatch(name):
            raise Damage(f"save writes no member called {name}")
    tree = json.loads(archive.read(DESCRIPTION).tobytes())
    for key, expected in _FORMAT.items():
        if tree[key] != expected:
            raise Damage(f"{key} is {tree[key]!r}, expected {expected!r}")
    return Decoder(_Storages(archive).read, locate).decode(tree["object"])


class _Storages:
    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._cached: dict[tuple[int, device], Any] = {}

    def read(self, number: int, kind: dtype, locate: device) -> Any:
        if (number, locate) not in self._cached:
            raw = self._archive.read(f"storages/{number}")
            if raw.size % kind.itemsize:
                raise Damage(f"storage {number} has no whole number of {kind} elements")
            self._cached[number, locate] = placed(raw.view(kind.np), locate)
        return storage_as(self._cached[number, locate], kind)
