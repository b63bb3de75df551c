"""Which value a tensor has in the graph: found by the memory that it reads, so that views and writes are followed.

A memory has a whole, the value of the tensor that it was made for, and values of places in it. A write to a place
gives a new whole, of which the other places are read again.
"""

from typing import Any

import numpy as np

from ...shapes import contiguous_strides
from ...tensor.grad_mode import current_version
from ...tensor.tensor import host_array
from .graph import CONSTANT, INPUT, PARAMETER, Graph, Operators, Value
from .program import OnnxExporterError

Region = tuple[int, tuple[int, ...], tuple[int, ...], str]  # offset, shape, strides, dtype


class Memory:
    """One memory: its storage, which lives as long, and the values of places in it."""

    def __init__(self, storage: Any, full_region: Region, value: Value | None, writes: int) -> None:
        self.storage = storage
        self.full_region = full_region
        self.writes = writes  # how many are in the graph
        self.values: dict[Region, Value | None] = {full_region: value}  # None where ONNX has no operator for a result


class Memories:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.onnx = Operators(graph)
        self.by_storage: dict[int, Memory] = {}
        self.alive: list[Any] = []  # so that no address is used again

    def varies(self, tensor: Any) -> bool:
        memory = self.by_storage.get(id(tensor._storage))
        return memory is not None and any(value is None or value.varies for value in memory.values.values())

    def read(self, tensor: Any) -> Value:
        memory = self.by_storage.get(id(tensor._storage))
        if memory is None or (memory.writes != current_version(tensor) and not self.varies(tensor)):
            return self._constant(tensor)
        if memory.writes != current_version(tensor):
            raise OnnxExporterError(
                f"a tensor was written to by {tensor._version_counter[1]}(), which could not be recorded"
            )
        region = region_of(tensor)
        if region not in memory.values:
            full_region = _known(memory.values[memory.full_region])
            memory.values[region] = (
                self._copied(tensor) if full_region.kind is CONSTANT else self._part(full_region, memory, region)
            )
        return _known(memory.values[region])

    def put(self, tensor: Any, value: Value | None) -> None:
        if value is not None:
            value.shape = tensor._shape
        memory = self.by_storage.get(id(tensor._storage))
        if memory is None:
            self._follow(tensor, tensor, value)
        elif memory.writes != current_version(tensor):
            self._write(memory, region_of(tensor), value)
            memory.writes = current_version(tensor)
        else:
            memory.values.setdefault(region_of(tensor), value)

    def declare(self, tensor: Any, kind: str) -> Value:
        known = self.by_storage.get(id(tensor._storage))
        if known is not None and kind is PARAMETER:
            return self.read(tensor)
        value = Value(self.graph, kind, tensor._dtype.name, tensor._shape)
        value.data = host_array(tensor) if kind is PARAMETER else None
        (self.graph.inputs if kind is INPUT else self.graph.parameters).append(value)
        self._follow(tensor, tensor, value)
        return value

    def _follow(self, tensor: Any, base: Any, value: Value | None) -> Memory:
        memory = Memory(tensor._storage, region_of(base), value, current_version(tensor))
        self.by_storage[id(tensor._storage)] = memory
        return memory

    def _constant(self, tensor: Any) -> Value:
        base = tensor if tensor._base is None else tensor._base
        memory = self._follow(tensor, base, self._copied(base))
        if region_of(tensor) not in memory.values:
            memory.values[region_of(tensor)] = self._copied(tensor)
        return memory.values[region_of(tensor)]  # type: ignore[return-value]

    def _copied(self, tensor: Any) -> Value:
        value = Value(self.graph, CONSTANT, tensor._dtype.name, tensor._shape)
        value.data = np.array(host_array(tensor))
        return value

    def _part(self, full_region: Value, memory: Memory, region: Region) -> Value:
        if region[3] != memory.full_region[3]:
            raise OnnxExporterError(f"memory of {memory.full_region[3]} is read as {region[3]}, which ONNX cannot say")
        flat, index = self.onnx.Reshape(full_region, [-1]), _within(memory.full_region, region)
        value: Value = self.onnx.Gather(flat, index)
        value.shape = region[1]
        return value

    def _write(self, memory: Memory, region: Region, value: Value | None) -> None:
        """A place has another value: the others are read from the new whole, when they are."""
        if region == memory.full_region or value is None:
            memory.values = {memory.full_region: value}
            return
        full_region = _known(memory.values[memory.full_region])
        flat, index = self.onnx.Reshape(full_region, [-1]), _within(memory.full_region, region).reshape(-1, 1)
        written = self.onnx.ScatterND(flat, index, self.onnx.Reshape(value, [-1]))
        new = self.onnx.Reshape(written, list(memory.full_region[1]))
        new.shape = memory.full_region[1]
        memory.values = {memory.full_region: new, region: value}


def _known(value: Value | None) -> Value:
    if value is None:
        raise OnnxExporterError("a result is used that ONNX has no operator for")
    return value


def region_of(tensor: Any) -> Region:
    return tensor._offset, tuple(tensor._shape), tuple(tensor.stride()), tensor._dtype.name


def _positions(region: Region) -> Any:
    offset, shape, strides, _ = region
    result = np.full(shape, offset, np.int64)
    for dim, (size, step) in enumerate(zip(shape, strides, strict=True)):
        result += (np.arange(size) * step).reshape(-1, *[1] * (len(shape) - dim - 1))
    return result


def _within(full_region: Region, region: Region) -> Any:
    """For each element of a place its number among those of the whole."""
    if full_region[2] == contiguous_strides(full_region[1]):
        return _positions(region) - full_region[0]
    numbers = {int(position): number for number, position in enumerate(_positions(full_region).ravel())}
    try:
        return np.array([numbers[int(p)] for p in _positions(region).ravel()], np.int64).reshape(region[1])
    except KeyError:
        raise OnnxExporterError("a view reaches beyond the tensor that it was made of") from None
