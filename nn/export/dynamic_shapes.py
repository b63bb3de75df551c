"""Sizes that vary: `Dim`, and graphs from the same module recorded at three sizes.

A number of the graph may be a multiple of a size, or of a product of two, and a number added. What two recordings lead
to has to hold for the third. What differs in another way is refused, so no size is fixed unseen.
"""

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum, auto
from itertools import combinations_with_replacement
from typing import Any

from ...runtime.errors import ArgumentError, type_name
from ...runtime.tensor.tensor import TensorBase
from ..fx.graph import Graph
from ..fx.node import Node
from ..fx.node_arguments import leaves, map_aggregate

STEPS = ((2, 5), (3, 4), (7, 9), (5, 11), (4, 13))  # by which sizes differ in the second and third recording
Numbers = tuple[int, int, int]


def samples(hints: Mapping[str, int], bounds: Mapping[str, tuple[int, float]]) -> dict[str, Numbers]:
    """Three sizes for each name, the first the example's; a ValueError where the bounds leave no three."""
    results = {}
    for number, (name, hint) in enumerate(hints.items()):
        low, high = bounds[name]
        steps = STEPS[number % len(STEPS)]
        above = [hint + step for step in steps if hint + step <= high]
        below = [hint - step for step in (*steps, 1, 2, 3) if hint - step >= max(low, 1)]
        others = list(dict.fromkeys([*above, *below, *(hint + step for step in (1, 2, 3) if hint + step <= high)]))
        if not low <= hint <= high or len(others) < 2:
            raise ValueError(f"export(): the size {name} is {hint}, and has too little room between {low} and {high}")
        results[name] = hint, others[0], others[1]
    return results


class Formulas:
    """Numbers of a graph by sizes: nodes that compute them, each made once.

    Args:
        graph: the first recording, whose numbers are replaced.
        sizes: the three values of each size.
        places: the node of an input and the dim that have it.
    """

    def __init__(self, graph: Graph, sizes: Mapping[str, Numbers], dim_sources: Mapping[str, tuple[Node, int]]) -> None:
        self.graph, self.sizes, self.dim_sources = graph, sizes, dim_sources
        self.made: dict[Any, Node] = {}
        self.last = [node for node in graph.nodes if node.op == "placeholder"][-1]

    def number(self, values: Numbers, where: str) -> Node:
        """The node of a number that has three values; a ValueError where no formula gives them."""
        for factors in self._products():
            made = [1, 1, 1]
            for name in factors:
                made = [x * y for x, y in zip(made, self.sizes[name], strict=True)]
            fit = _line(made, values)
            if fit is not None:
                return self._node(factors, *fit)
        raise ValueError(
            f"export(): {where} has a number that is {', '.join(map(str, values))} at three sizes, and no formula of "
            "these: say Dim.STATIC, or make the module with numbers that do not depend on it"
        )

    def _products(self) -> Iterator[tuple[str, ...]]:
        yield from ((name,) for name in self.sizes)
        yield from combinations_with_replacement(self.sizes, 2)

    def _node(self, factors: tuple[str, ...], times: int, added: int) -> Node:
        first, *others = [self._size(name) for name in factors]
        result = first
        for other in others:
            result = self._computed(operator.mul, result, other)
        result = self._computed(operator.mul, result, times) if times != 1 else result
        return self._computed(operator.add, result, added) if added else result

    def _size(self, name: str) -> Node:
        node, dim = self.dim_sources[name]
        return self._once(("size", name), lambda: self.graph.call_method("size", (node, dim)))

    def _computed(self, function: Callable[..., Any], one: Node, other: Any) -> Node:
        key = function, one, other
        return self._once(key, lambda: self.graph.call_function(function, (one, other)))

    def _once(self, key: Any, make: Callable[[], Node]) -> Node:
        if key not in self.made:
            with self.graph.inserting_after(self.last):
                self.made[key] = self.last = make()
        return self.made[key]


def _line(sizes: Sequence[int], values: Numbers) -> tuple[int, int] | None:
    """(a, b) where a * size + b are the values, in whole numbers."""
    rest = 0 if sizes[0] == sizes[1] else (values[1] - values[0]) % (sizes[1] - sizes[0])
    if rest or sizes[0] == sizes[1]:
        return None
    times = (values[1] - values[0]) // (sizes[1] - sizes[0])
    added = values[0] - times * sizes[0]
    return (times, added) if times * sizes[2] + added == values[2] else None


def merge(graphs: Sequence[Graph], formulas: Formulas) -> None:
    """Put formulas where the arguments of three recordings differ, into the first of them.

    A ValueError where they differ otherwise: Python has gone another way.
    """
    node_lists = [list(graph.nodes) for graph in graphs]
    if len({tuple((node.op, _named(node)) for node in nodes) for nodes in node_lists}) > 1:
        raise ValueError("export(): what the module calls depends on a size that is to vary")
    for first, second, third in zip(*node_lists, strict=True):
        if first.op == "placeholder":
            continue
        others = iter(zip(leaves((second.args, second.kwargs)), leaves((third.args, third.kwargs)), strict=True))
        where = f"a call of {_named(first)}"
        first.args = map_aggregate(first.args, lambda value: _merged(value, next(others), formulas, where))  # noqa: B023
        first.kwargs = map_aggregate(first.kwargs, lambda value: _merged(value, next(others), formulas, where))  # noqa: B023


def _merged(value: Any, others: tuple[Any, Any], formulas: Formulas, where: str) -> Any:
    values = value, *others
    if isinstance(value, Node) or all(type(each) is type(value) and each == value for each in others):
        return value
    if all(type(each) is int for each in values):
        return formulas.number(values, where)
    raise ValueError(f"export(): {where} has {value!r} at one size and {others[0]!r} at another")


def _named(node: Node) -> str:
    return node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))


class _Hint(Enum):
    AUTO = auto()
    DYNAMIC = auto()
    STATIC = auto()


class Dim:
    """A size that may vary. Dims of the same name are the same size.

    Args:
        name: its name, an identifier.
        min: the smallest size.
        max: the largest; any when not given.

    Raises: ValueError: the name is no identifier, or the bounds hold for no size.

    Example:
        >>> sg.export.Dim("batch", min=1, max=64)
        Dim('batch', min=1, max=64)
    """

    AUTO = _Hint.AUTO
    DYNAMIC = _Hint.DYNAMIC
    STATIC = _Hint.STATIC

    def __init__(self, name: str, *, min: int | None = None, max: int | None = None) -> None:
        if not name.isidentifier():
            raise ValueError(f"Dim names must be valid identifiers, got {name}")
        self.__name__ = name
        self.min = 0 if min is None else min
        self.max: float = math.inf if max is None else max
        if self.max < self.min:
            raise ValueError(f"Dim(): no size is at least {min} and at most {max}")

    def __repr__(self) -> str:
        low = f", min={self.min}" * (self.min > 0)
        high = f", max={self.max}" * (self.max < math.inf)
        return f"Dim('{self.__name__}'{low}{high})"


def dims(*names: str, min: int | None = None, max: int | None = None) -> tuple[Dim, ...]:
    """Several Dims with the same bounds.

    Args:
        names: their names.
        min, max: the smallest and the largest size.

    Example:
        >>> sg.export.dims("height", "width", max=32)
        (Dim('height', max=32), Dim('width', max=32))
    """
    return tuple(Dim(name, min=min, max=max) for name in names)


class Sizes:
    """The sizes that vary: for each its bounds, and where it stands: (number of the input, dim)."""

    def __init__(self) -> None:
        self.bounds: dict[str, tuple[int, float]] = {}
        self.dim_sources: dict[str, list[tuple[int, int]]] = {}

    def note(self, dim: Any, number: int, position: int, path: str) -> None:
        if dim is None or dim is Dim.STATIC or isinstance(dim, int):
            return
        if not isinstance(dim, Dim | _Hint):
            raise ArgumentError(f"export(): dynamic_shapes{path} must be a Dim, an int or None, not {type_name(dim)}")
        name = dim.__name__ if isinstance(dim, Dim) else f"s{len(self.dim_sources)}"
        self.bounds[name] = (dim.min, dim.max) if isinstance(dim, Dim) else (0, math.inf)
        self.dim_sources.setdefault(name, []).append((number, position))

    def read(self, dim_spec: Any, value: Any, numbers: Mapping[int, int], path: str = "") -> None:
        if dim_spec is None:
            return
        if isinstance(value, TensorBase):
            pairs = dim_spec.items() if isinstance(dim_spec, dict) else enumerate(dim_spec)
            for position, dim in pairs:
                self.note(dim, numbers[id(value)], position % value.ndim, path)
        elif isinstance(value, dict):
            for key, part in value.items():
                self.read(dim_spec.get(key), part, numbers, f"{path}[{key!r}]")
        elif isinstance(value, tuple | list):
            for position, part in enumerate(dim_spec):
                self.read(part, value[position], numbers, f"{path}[{position}]")
        else:
            raise ArgumentError(f"export(): dynamic_shapes{path} says sizes of a {type_name(value)}, which has none")
