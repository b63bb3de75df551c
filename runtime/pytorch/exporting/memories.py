"""Which value a tensor has in the graph: found by the memory that it reads, so that views and writes are followed.

A memory has a whole, the value of the tensor that it was made for, and values of places in it. A write to a place
gives a new whole, of which the other places are read again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...modes.inference import writes_so_far
from ...tensor.base import host_array
from ...tensor.shapes import contiguous_strides
from .errors import OnnxExporterError
from .graph import Graph, Operators
from .values import CONSTANT, INPUT, PARAMETER, Value

Place = tuple[int, tuple[int, ...], tuple[int, ...], str]  # offset, shape, strides, dtype


class Memory:
    """One memory: its storage, which lives as long, and the values of places in it."""

    def __init__(self, storage: Any, whole: Place, value: Value | None, writes: int) -> None:
        self.storage = storage
        self.whole = whole
        self.writes = writes  # how many are in the graph
        self.values: dict[Place, Value | None] = {whole: value}  # None where ONNX has no operator for a result


class Memories:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.onnx = Operators(graph)
        self.found: dict[int, Memory] = {}
        self.alive: list[Any] = []  # so that no address is used again

    def varies(self, tensor: Any) -> bool:
        memory = self.found.get(id(tensor._storage))
        return memory is not None and any(value is None or value.varies for value in memory.values.values())

    def read(self, tensor: Any) -> Value:
        """The value of a tensor; one that nothing is known of is a constant."""
        memory = self.found.get(id(tensor._storage))
        if memory is None or (memory.writes != writes_so_far(tensor) and not self.varies(tensor)):
            return self._constant(tensor)
        if memory.writes != writes_so_far(tensor):
            raise OnnxExporterError(f"a tensor was written to by {tensor._writes[1]}(), which could not be recorded")
        place = place_of(tensor)
        if place not in memory.values:
            whole = self._whole(memory)
            memory.values[place] = self._copied(tensor) if whole.kind is CONSTANT else self._part(whole, memory, place)
        value = memory.values[place]
        if value is None:
            raise OnnxExporterError("a result is used that ONNX has no operator for")
        return value

    def put(self, tensor: Any, value: Value | None) -> None:
        if value is not None:
            value.shape = tensor._shape
        memory = self.found.get(id(tensor._storage))
        if memory is None:
            self.found[id(tensor._storage)] = Memory(tensor._storage, place_of(tensor), value, writes_so_far(tensor))
        elif memory.writes != writes_so_far(tensor):
            self._write(memory, place_of(tensor), value)
            memory.writes = writes_so_far(tensor)
        else:
            memory.values.setdefault(place_of(tensor), value)

    def declare(self, tensor: Any, kind: str) -> Value:
        """An input or a parameter of the graph; parameters that share memory are one."""
        known = self.found.get(id(tensor._storage))
        if known is not None and kind is PARAMETER:
            return self.read(tensor)
        value = Value(self.graph, kind, tensor._dtype.name, tensor._shape)
        value.data = host_array(tensor) if kind is PARAMETER else None
        (self.graph.inputs if kind is INPUT else self.graph.parameters).append(value)
        self.found[id(tensor._storage)] = Memory(tensor._storage, place_of(tensor), value, writes_so_far(tensor))
        return value

    def _constant(self, tensor: Any) -> Value:
        """The value of memory that nothing varies: as it is now, and that of the whole, for writes to come."""
        whole = tensor if tensor._base is None else tensor._base
        memory = Memory(tensor._storage, place_of(whole), self._copied(whole), writes_so_far(tensor))
        self.found[id(tensor._storage)] = memory
        if place_of(tensor) not in memory.values:
            memory.values[place_of(tensor)] = self._copied(tensor)
        return memory.values[place_of(tensor)]  # type: ignore[return-value]

    def _copied(self, tensor: Any) -> Value:
        value = Value(self.graph, CONSTANT, tensor._dtype.name, tensor._shape)
        value.data = np.array(host_array(tensor))
        return value

    def _part(self, whole: Value, memory: Memory, place: Place) -> Value:
        """The value of a place that no op is known to have given: read from the whole."""
        if place[3] != memory.whole[3]:
            raise OnnxExporterError(f"memory of {memory.whole[3]} is read as {place[3]}, which ONNX cannot say")
        flat, index = self.onnx.Reshape(whole, [-1]), _within(memory.whole, place)
        value: Value = self.onnx.Gather(flat, index)
        value.shape = place[1]
        return value

    def _whole(self, memory: Memory) -> Value:
        value = memory.values[memory.whole]
        if value is None:
            raise OnnxExporterError("a result is used that ONNX has no operator for")
        return value

    def _write(self, memory: Memory, place: Place, value: Value | None) -> None:
        """A place has another value: the others are read from the new whole, when they are."""
        if place == memory.whole or value is None:
            memory.values = {memory.whole: value}
            return
        whole = self._whole(memory)
        flat, index = self.onnx.Reshape(whole, [-1]), _within(memory.whole, place).reshape(-1, 1)
        written = self.onnx.ScatterND(flat, index, self.onnx.Reshape(value, [-1]))
        new = self.onnx.Reshape(written, list(memory.whole[1]))
        new.shape = memory.whole[1]
        memory.values = {memory.whole: new, place: value}


def place_of(tensor: Any) -> Place:
    return tensor._offset, tuple(tensor._shape), tuple(tensor.stride()), tensor._dtype.name


def _positions(place: Place) -> Any:
    offset, shape, strides, _ = place
    found = np.full(shape, offset, np.int64)
    for dim, (size, step) in enumerate(zip(shape, strides, strict=True)):
        found += (np.arange(size) * step).reshape(-1, *[1] * (len(shape) - dim - 1))
    return found


def _within(whole: Place, place: Place) -> Any:
    """For each element of a place its number among those of the whole."""
    if whole[2] == contiguous_strides(whole[1]):
        return _positions(place) - whole[0]
    numbers = {int(position): number for number, position in enumerate(_positions(whole).ravel())}
    try:
        return np.array([numbers[int(p)] for p in _positions(place).ravel()], np.int64).reshape(place[1])
    except KeyError:
        raise OnnxExporterError("a view reaches beyond the tensor that it was made of") from None
