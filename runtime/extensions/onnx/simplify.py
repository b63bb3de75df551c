"""The last steps of a graph: what is not used is dropped, equal constants become one, and everything gets a name."""

from __future__ import annotations

from collections.abc import Sequence

from .graph import CONSTANT, RESULT, Graph, Operators, Value


def finish(graph: Graph, input_names: Sequence[str], output_names: Sequence[str]) -> None:
    _give_outputs_nodes(graph)
    graph.prune()
    _join_constants(graph)
    _name(graph, input_names, output_names)


def _give_outputs_nodes(graph: Graph) -> None:
    onnx, seen = Operators(graph), set[Value]()
    for number, value in enumerate(graph.outputs):
        if value.kind is not RESULT or value in seen:
            shape = value.shape
            graph.outputs[number] = onnx.Identity(value)
            graph.outputs[number].shape = shape
        seen.add(value)


def _join_constants(graph: Graph) -> None:
    first: dict[object, Value] = {}
    replaced = {}
    for value in graph.used():
        if value.kind is CONSTANT:
            key = value.data.dtype.name, value.data.shape, value.data.tobytes()
            replaced[value] = first.setdefault(key, value)
    graph.replace(replaced)


def _name(graph: Graph, input_names: Sequence[str], output_names: Sequence[str]) -> None:
    reserved = set[str]()

    def give(value: Value, requested: str) -> None:
        name, number = requested, 0
        while name in reserved:
            number += 1
            name = f"{requested}_{number}"
        reserved.add(name)
        value.name = name

    for value, name in zip(graph.inputs + graph.outputs, (*input_names, *output_names), strict=True):
        give(value, name)
    used = list(graph.used())
    for value in used:
        if value.name:
            give(value, value.name)
    for value in used:
        if not value.name:
            give(value, "constant")
    for node in graph.nodes:
        for output in node.outputs:
            if not output.name:
                give(output, "/".join((*filter(None, [node.module.replace(".", "/")]), node.operator)))
