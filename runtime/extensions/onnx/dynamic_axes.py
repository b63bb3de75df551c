"""Dynamic axes, in either of PyTorch's forms: a module is recorded at several sizes, and each number that differs
between the graphs is `factor * size + more`, or a product of sizes; of a Reshape's target one number may also be left
open. The last recording only confirms. What no formula explains is an error, so that no size is fixed unseen.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...ops.creation import tensor as make_tensor
from ...pytree import flatten
from ...tensor.tensor import TensorBase, host_array
from .graph import CONSTANT, NUMBERS, Graph, Node, Operators, Value
from .program import OnnxExporterError


class Sizes:
    """The sizes that vary: by name, in each recording, and where an input has them."""

    def __init__(self, named: dict[str, list[int]], dim_sources: dict[str, tuple[int, int]]) -> None:
        self.named = named
        self.dim_sources = dim_sources  # name -> number of an input, and axis

    def formula(self, numbers: Sequence[int]) -> tuple[tuple[str, ...], int, int] | None:
        """(names, factor, more): a number in each recording as `factor` times some sizes, and `more`; or None."""
        choices = [names for count in (1, 2, 3) for names in combinations(self.named, count)]
        fitting = [(names, *result) for names in choices if (result := self._fit(names, numbers)) is not None]
        return min(fitting, key=lambda each: (each[2] != 0, len(each[0])), default=None)

    def _fit(self, names: tuple[str, ...], numbers: Sequence[int]) -> tuple[int, int] | None:
        sizes = [int(np.prod([self.named[name][k] for name in names])) for k in range(len(numbers))]
        factor, rest = divmod(numbers[1] - numbers[0], sizes[1] - sizes[0])
        more = numbers[0] - factor * sizes[0]
        fits = not rest and all(factor * size + more == number for size, number in zip(sizes, numbers, strict=True))
        return (factor, more) if fits else None


def unified(graphs: Sequence[Graph], sizes: Sizes) -> Graph:
    """The first of several recordings of one module, in which sizes that differ are computed from the inputs' shapes.
    OnnxExporterError: the recordings differ in something that no formula of the sizes explains.
    """
    unifier = Unifier(graphs, sizes)
    unifier.run()
    return graphs[0]


class Unifier:
    """Goes through recordings side by side, and changes the first."""

    def __init__(self, graphs: Sequence[Graph], sizes: Sizes) -> None:
        self.graphs, self.sizes, self.graph = graphs, sizes, graphs[0]
        self.onnx = Operators(self.graph)
        self.same: dict[Value, Value] = {}  # of the other recordings: the value of the first
        self.known: dict[str, Value] = {}  # size -> its value

    def run(self) -> None:
        columns = [graph.nodes for graph in self.graphs]
        if len({tuple(node.operator for node in nodes) for nodes in columns}) > 1:
            raise OnnxExporterError(f"onnx.export(): which ops run depends on the size of {self._names()}")
        for mine, *others in zip(*(graph.inputs + graph.parameters for graph in self.graphs), strict=True):
            self.same |= dict.fromkeys(others, mine)
        self.graph.nodes = []
        for nodes in zip(*columns, strict=True):
            self._node(nodes)
        for number, outputs in enumerate(zip(*(graph.outputs for graph in self.graphs), strict=True)):
            self.graph.outputs[number] = self._value(outputs, None)
            self.graph.outputs[number].shape = self._shape(outputs)

    def _names(self) -> str:
        return ", ".join(f"'{name}'" for name in self.sizes.named)

    def _node(self, nodes: tuple[Node, ...]) -> None:
        first = nodes[0]
        self.graph.op, self.graph.module = first.op, first.module
        if any(node.attributes.keys() != first.attributes.keys() for node in nodes) or any(
            not np.array_equal(node.attributes[key], first.attributes[key]) for node in nodes for key in node.attributes
        ):
            raise self._error(first, "an attribute")
        inputs = list(zip(*(node.inputs for node in nodes), strict=True))
        if first.operator == "Reshape" and (target := self._open(inputs[1])) is not None:
            inputs[1] = (target,) * len(nodes)
        first.inputs = [None if each[0] is None else self._value(each, first) for each in inputs]
        self.graph.nodes.append(first)
        for outputs in zip(*(node.outputs for node in nodes), strict=True):
            self.same |= dict.fromkeys(outputs[1:], outputs[0])

    def _open(self, targets: Any) -> Value | None:
        if any(target.kind is not CONSTANT for target in targets):
            return None
        rows = [target.data for target in targets]
        differing = [k for k, numbers in enumerate(zip(*rows, strict=True)) if len(set(numbers)) > 1]
        if len(differing) != 1 or -1 in rows[0] or 0 in rows[0]:
            return None
        return self.graph.constant(np.where(np.arange(len(rows[0])) == differing[0], -1, rows[0]))

    def _value(self, values: Any, node: Node | None) -> Value:
        first: Value = values[0]
        datas = [value.data for value in values]
        if all(value is first for value in values):
            return first
        if any(data is None for data in datas) or (first.kind is not CONSTANT and not _all_equal(datas)):
            if any(self.same.get(value) is not first for value in values[1:]):
                raise self._error(node, "which value is used")
            return first
        if _all_equal(datas):
            return first if first.kind is CONSTANT else self.graph.constant(first.data)
        return self._computed(datas, node)

    def _computed(self, datas: list[Any], node: Node | None) -> Value:
        """A constant that differs: numbers found from sizes, one number everywhere, or a range."""
        first = datas[0]
        if len({data.shape for data in datas}) == 1:
            return self._numbers(datas, node)
        if all(data.size and (data == first.flat[0]).all() for data in datas):
            return self.onnx.Expand(np.full((1,) * first.ndim, first.flat[0]), self._lengths(datas, node))
        if first.ndim == 1 and min(map(len, datas)) > 1:
            start, step = first[0], first[1] - first[0]
            if all(np.array_equal(data, np.arange(len(data)) * step + start) for data in datas):
                count = self.onnx.Range(0, self.onnx.Squeeze(self._lengths(datas, node)), 1)
                return self.onnx.Cast(count, to=NUMBERS[first.dtype.name]) * step + start
        raise self._error(node, "a constant")

    def _lengths(self, datas: list[Any], node: Node | None) -> Value:
        return self._numbers([np.array(data.shape, np.int64) for data in datas], node)

    def _numbers(self, datas: list[Any], node: Node | None) -> Value:
        first = datas[0]
        columns = [[data.flat[k].item() for data in datas] for k in range(first.size)]
        if any(number != int(number) for numbers in columns if len(set(numbers)) > 1 for number in numbers):
            raise self._error(node, "a constant")
        parts = [self._number(numbers, node) for numbers in columns]
        full_shape = self.onnx.Concat(*parts, axis=0) if len(parts) > 1 else parts[0]
        full_shape = full_shape if first.ndim == 1 else self.onnx.Reshape(full_shape, list(first.shape))
        return full_shape if first.dtype == np.int64 else self.onnx.Cast(full_shape, to=NUMBERS[first.dtype.name])

    def _number(self, numbers: list[Any], node: Node | None) -> Value:
        if len(set(numbers)) == 1:
            return self.graph.constant(np.array([int(numbers[0])], np.int64))
        result = self.sizes.formula([int(number) for number in numbers])
        if result is None:
            raise self._error(node, "a number")
        names, factor, more = result
        value = self._size(names[0])
        for name in names[1:]:
            value = value * self._size(name)
        value = value if factor == 1 else value * factor
        return value if more == 0 else value + more

    def _size(self, name: str) -> Value:
        if name not in self.known:
            number, axis = self.sizes.dim_sources[name]
            self.known[name] = self.onnx.Shape(self.graph.inputs[number], start=axis, end=axis + 1)
        return self.known[name]

    def _shape(self, values: Any) -> Any:
        shapes = [value.shape for value in values]
        if any(len(shape) != len(shapes[0]) for shape in shapes):
            raise OnnxExporterError(f"onnx.export(): the dimensions of an output depend on {self._names()}")
        return tuple(self._dim([int(n) for n in numbers]) for numbers in zip(*shapes, strict=True))

    def _dim(self, numbers: list[int]) -> Any:
        if len(set(numbers)) == 1:
            return numbers[0]
        result = self.sizes.formula(numbers)
        if result is None:
            return None
        names, factor, more = result
        product = "*".join((*([str(factor)] if factor != 1 else []), *names))
        return f"{product} + {more}" if more > 0 else f"{product} - {-more}" if more else product

    def _error(self, node: Node | None, what: str) -> OnnxExporterError:
        where = f"{node.op}{f' in module {node.module!r}' if node.module else ''}: " if node else ""
        return OnnxExporterError(
            f"onnx.export(): {where}{what} depends on the size of {self._names()} in no simple way"
        )


def _all_equal(datas: list[Any]) -> bool:
    first = datas[0]
    alike = all(data.shape == first.shape and data.dtype == first.dtype for data in datas)
    return alike and all(data.tobytes() == first.tobytes() for data in datas)


Axes = list[dict[int, str]]  # for each input: axis -> name of its size
_GROWTHS = ((0, 0), (3, 5), (7, 16))  # how much a size is larger in each recording: with its number, a second time so
_MIN_DYNAMIC_SIZE = 2  # a size of 1 is broadcast, and looks like one that is not there


def from_dynamic_axes(arguments: Mapping[str, Any], names: Sequence[str]) -> Axes:
    matches: Axes = []
    for name in names:
        axes = arguments.get(name, {})
        named = axes if isinstance(axes, Mapping) else {axis: f"{name}_dynamic_axes_{axis + 1}" for axis in axes}
        matches.append({int(axis): str(each) for axis, each in named.items()})
    return matches


def from_dynamic_shapes(arg: Any, args: Any, kwargs: Mapping[str, Any], parameters: Sequence[str]) -> Axes:
    if isinstance(arg, Mapping):
        trees = [arg.get(name) for name in parameters[: len(args)]] + [arg.get(name) for name in kwargs]
    else:
        trees = [*arg, *[None] * (len(args) + len(kwargs) - len(arg))]
    matches: Axes = []
    for tree, value in zip(trees, (*args, *kwargs.values()), strict=True):
        _collect(tree, value, matches)
    return matches


def _collect(tree: Any, value: Any, result: Axes) -> None:
    if isinstance(value, TensorBase):
        axes = tree if isinstance(tree, Mapping) else dict(enumerate(tree or ()))
        dims = {axis: dim for axis, dim in axes.items() if dim is not None and not isinstance(dim, int)}
        names = {axis: dim if isinstance(dim, str) else getattr(dim, "__name__", "") for axis, dim in dims.items()}
        result.append({int(axis): name or f"s{len(result)}_{axis}" for axis, name in names.items()})
    elif isinstance(value, Mapping):
        for key, item in value.items():
            _collect(tree[key] if tree else None, item, result)
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            _collect(tree[number] if tree else None, item, result)


def sizes_of(axes: Axes, tensors: Sequence[Any]) -> Sizes:
    named: dict[str, list[int]] = {}
    dim_sources: dict[str, tuple[int, int]] = {}
    for number, (each, tensor) in enumerate(zip(axes, tensors, strict=True)):
        for axis, name in each.items():
            if not -tensor.ndim <= axis < tensor.ndim:
                raise OnnxExporterError(
                    f"onnx.export(): input {number} has no axis {axis}: its shape is {tensor.shape}"
                )
            size = max(tensor.shape[axis], _MIN_DYNAMIC_SIZE)
            own = [size + first + second * len(named) for first, second in _GROWTHS]
            if named.setdefault(name, own)[0] != size:
                sizes = f"{named[name][0]} and {size}"
                raise OnnxExporterError(f"onnx.export(): the axes called '{name}' have the sizes {sizes}")
            dim_sources.setdefault(name, (number, axis % tensor.ndim))
    return Sizes(named, dim_sources)


def grown(tensors: Sequence[Any], axes: Axes, sizes: Sizes, recording: int) -> list[Any]:
    """The inputs of a recording: the last element again along dynamic axes, so that what is sorted remains so."""
    matches = []
    for each, tensor in zip(axes, tensors, strict=True):
        array = host_array(tensor)
        for axis, name in each.items():
            array = np.take(array, np.minimum(np.arange(sizes.named[name][recording]), array.shape[axis] - 1), axis)
        matches.append(make_tensor(np.array(array)))
    return matches


def named_shape(shape: Sequence[int], axes: Mapping[int, str]) -> tuple[Any, ...]:
    named = {axis % len(shape): name for axis, name in axes.items()}
    return tuple(named.get(axis, size) for axis, size in enumerate(shape))


def tensors_of(args: Any, kwargs: Any) -> list[Any]:
    return [leaf for leaf in flatten((args, kwargs))[0] if isinstance(leaf, TensorBase)]
