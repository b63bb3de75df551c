"""Nested objects as JSON: what `save` writes beside the raw storages. Nothing in it can run code."""

from __future__ import annotations

import base64
from collections import Counter, OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import SerializationError, type_name
from ..tensor.base import TensorBase, fresh
from ..tensor.devices import CPU, device
from ..tensor.dtypes import dtype, from_name, from_numpy, uint8
from ..tensor.memory import on_host
from ..tensor.shapes import Size
from .rebuild import check_layout, check_sizes, parts, rebuild

_PLAIN = (type(None), bool, int, float, str)
_SEQUENCES: dict[str, Any] = {"list": list, "tuple": tuple, "Size": Size, "set": set, "frozenset": frozenset}
_MAPPINGS: dict[str, Any] = {"dict": dict, "OrderedDict": OrderedDict, "Counter": Counter}
_NAMES = {cls: name for name, cls in {**_SEQUENCES, **_MAPPINGS}.items()}
_subclasses: dict[str, type] = {}

Node = Any  # what JSON holds: a plain value, or a dict with the key "type"


def register_tensor_class(name: str, cls: type) -> type:
    """Let tensors of this subclass be saved under `name` and loaded as the same class."""
    _subclasses[name] = cls
    return cls


def _tensor_classes() -> dict[str, type]:
    plain = type(fresh(np.empty(0, np.uint8), (0,), uint8))
    return {"tensor": plain, **_subclasses}


class Encoder:
    """Turns objects into nodes and collects the storages of their tensors, each storage once."""

    def __init__(self) -> None:
        self.storages: list[np.ndarray] = []
        self._places: dict[tuple[Any, int, str], int] = {}
        self._tensors: dict[int, tuple[int, Any]] = {}
        self._open: set[int] = set()

    def encode(self, value: Any, path: str = "obj") -> Node:
        """The node of a value; `path` is the Python expression that leads to it, for errors."""
        cls = type(value)
        if cls in _PLAIN:
            return value
        if isinstance(value, TensorBase):
            return self._tensor(value, path)
        if cls in _NAMES:
            return self._container(value, path)
        if isinstance(value, (np.ndarray, np.generic)):
            return self._array(value, path)
        leaf = _leaf(value)
        if leaf is None:
            raise SerializationError(
                f"save(): cannot save an object of type {type_name(value)} at {path}: files hold tensors, "
                "NumPy arrays, numbers, strings, None, and lists, tuples, sets and dicts of these "
                "(save a state_dict rather than a module)"
            )
        return leaf

    def _container(self, value: Any, path: str) -> Node:
        if id(value) in self._open:
            raise SerializationError(f"save(): the object at {path} contains itself")
        self._open.add(id(value))
        node: dict[str, Any] = {"type": _NAMES[type(value)]}
        if node["type"] in _MAPPINGS:
            node["items"] = [
                [self.encode(k, f"key {k!r} of {path}"), self.encode(v, f"{path}[{k!r}]")] for k, v in value.items()
            ]
            if getattr(value, "_metadata", None) is not None:
                node["metadata"] = self.encode(value._metadata, f"{path}._metadata")
        else:
            node["items"] = [self.encode(v, f"{path}[{i}]") for i, v in enumerate(value)]
        self._open.discard(id(value))
        return node

    def _tensor(self, tensor: Any, path: str) -> Node:
        if id(tensor) in self._tensors:
            return {"type": "same", "as": self._tensors[id(tensor)][0]}
        name = next((n for n, c in _tensor_classes().items() if c is type(tensor)), None)
        if name is None:
            raise SerializationError(f"save(): cannot save a tensor of the class {type_name(tensor)} at {path}")
        self._tensors[id(tensor)] = (len(self._tensors), tensor)
        _, storage, (shape, strides, offset), requires_grad, place, attributes, kind = parts(tensor)
        node = {"type": "tensor", "class": name, "storage": self._storage(storage), "dtype": kind.name}
        node |= {"shape": shape, "strides": strides, "offset": offset}
        node |= {"requires_grad": requires_grad, "device": str(place)}
        if attributes:
            node["attributes"] = self.encode(attributes, f"{path}.__dict__")
        return node

    def _array(self, value: Any, path: str) -> Node:
        array = np.array(value, order="C")
        try:
            kind = from_numpy(array.dtype)
        except TypeError as error:
            raise SerializationError(f"save(): cannot save the array at {path}: {error}") from None
        where = self._storage(array.reshape(-1))
        scalar = isinstance(value, np.generic)
        return {"type": "array", "storage": where, "dtype": kind.name, "shape": array.shape, "scalar": scalar}

    def _storage(self, storage: Any) -> int:
        """The number of the storage; the same memory gets the same number."""
        on_cpu = isinstance(storage, np.ndarray)
        address = storage.__array_interface__["data"][0] if on_cpu else (storage.device, storage.address)
        key = (address, storage.nbytes, str(storage.dtype))
        if storage.nbytes == 0 or key not in self._places:
            self._places[key] = len(self.storages)
            self.storages.append(on_host(storage))
        return self._places[key]


def _leaf(value: Any) -> Node:
    if type(value) is complex:
        return {"type": "complex", "value": [value.real, value.imag]}
    if isinstance(value, dtype):
        return {"type": "dtype", "value": value.name}
    if isinstance(value, device):
        return {"type": "device", "value": str(value)}
    if type(value) in (bytes, bytearray):
        return {"type": type(value).__name__, "value": base64.b64encode(value).decode("ascii")}
    return None


class Decoder:
    """Turns nodes back into objects; `storage` reads a storage by number, `place` chooses the device."""

    def __init__(self, storage: Callable[[int, dtype, device], Any], place: Callable[[str], device]) -> None:
        self._storage = storage
        self._place = place
        self._tensors: list[Any] = []

    def decode(self, node: Node) -> Any:
        """The object of a node."""
        if type(node) in _PLAIN:
            return node
        kind = _given(_given(node, dict)["type"], str)
        if kind in _SEQUENCES:
            return _SEQUENCES[kind](self.decode(item) for item in _given(node["items"], list))
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
        number = _given(node["as"], int)
        if not 0 <= number < len(self._tensors) or self._tensors[number] is None:
            raise ValueError(f"there is no tensor {number} yet")
        return self._tensors[number]

    def _mapping(self, node: Node) -> Any:
        result = _MAPPINGS[node["type"]]()
        for key, value in _given(node["items"], list):  # one by one: a Counter made from pairs counts the pairs
            result[self.decode(key)] = self.decode(value)
        if "metadata" in node:
            result._metadata = self.decode(node["metadata"])
        return result

    def _tensor(self, node: Node) -> Any:
        position = len(self._tensors)
        self._tensors.append(None)
        kind = from_name(node["dtype"])
        requires_grad = _given(node["requires_grad"], bool)
        if requires_grad and not (kind.is_floating_point or kind.is_complex):
            raise ValueError(f"a tensor of {kind} requires no gradient")
        place = self._place(_given(node["device"], str))
        storage = self._storage(_given(node["storage"], int), kind, place)
        shape, strides = tuple(_given(node["shape"], list)), tuple(_given(node["strides"], list))
        layout = shape, strides, node["offset"]
        check_layout(*layout, storage.size)
        attributes = _given(self.decode(node.get("attributes", {"type": "dict", "items": []})), dict)
        attributes = {_given(name, str): value for name, value in attributes.items()}
        cls = _tensor_classes()[node["class"]]
        t = rebuild(cls, storage, layout, requires_grad, place, attributes, kind)
        self._tensors[position] = t
        return t

    def _array(self, node: Node) -> Any:
        storage = self._storage(_given(node["storage"], int), from_name(node["dtype"]), CPU)
        shape = tuple(_given(node["shape"], list))
        check_sizes(shape)
        array = storage.reshape(shape)
        return array[()] if node["scalar"] else array


def _given(value: Any, cls: type) -> Any:
    """The value, which must be of just this class: what JSON holds may be anything."""
    if type(value) is not cls:
        raise ValueError(f"expected {cls.__name__}, but got {type(value).__name__}")
    return value


def _decoded_bytes(value: Any) -> bytes:
    return base64.b64decode(_given(value, str), validate=True)


_LEAVES: dict[str, Callable[[Any], Any]] = {
    "complex": lambda value: complex(*value),
    "dtype": from_name,
    "device": device,
    "bytes": _decoded_bytes,
    "bytearray": lambda value: bytearray(_decoded_bytes(value)),
}
