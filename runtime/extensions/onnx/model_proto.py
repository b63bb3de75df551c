"""A graph as a message of the `onnx` package, which writes it to files; and the errors of exports."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from typing import Any

import numpy as np

from .graph import Graph, Node, Value
from .operators import NUMBERS, operators

IR_VERSION = 8  # of files, as opset 18 came with
_NEEDED = "onnx.export() writes files with the package onnx: pip install specgrad[onnx]"


def onnx_package() -> Any:
    try:
        return import_module("onnx")
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(_NEEDED, name="onnx") from error


def model_proto(graph: Graph, opset: int, parameters: bool = True, as_inputs: bool = False) -> Any:
    """The model of a graph.

    Args:
        graph: with names.
        opset: the version of the operators.
        parameters: whether the parameters' values are in it; without them they are inputs.
        as_inputs: whether parameters are inputs too, whose values are defaults.
    """
    onnx = onnx_package()
    used = list(graph.used())
    weights = [value for value in used if value.kind == "parameter"]
    inputs = [*graph.inputs, *(weights if as_inputs or not parameters else [])]
    stored = [value for value in used if parameters or value.kind != "parameter"]
    made = onnx.helper.make_graph(
        _nodes(onnx, graph),
        "main_graph",
        [_described(onnx, value) for value in inputs],
        [_described(onnx, value) for value in graph.outputs],
        [tensor_proto(onnx, value.name, value.data, value.dtype) for value in stored],
    )
    versions = [onnx.helper.make_opsetid("", opset)]
    return onnx.helper.make_model(made, producer_name="specgrad", opset_imports=versions, ir_version=IR_VERSION)


def _nodes(onnx: Any, graph: Graph) -> list[Any]:
    counts: Counter[str] = Counter()
    read = {id(value) for value in graph.read()}
    matches = []
    for node in graph.nodes:
        counts[node.operator] += 1
        matches.append(_node(onnx, node, f"{node.operator}_{counts[node.operator]}", read))
    return matches


def _node(onnx: Any, node: Node, name: str, read: set[int]) -> Any:
    kinds = operators()[node.operator].outputs
    optional = [kind.mark == "?" for kind in kinds] * (1 if len(kinds) == len(node.outputs) else len(node.outputs))
    outputs = [
        "" if may_lack and id(value) not in read else value.name
        for value, may_lack in zip(node.outputs, optional, strict=True)
    ]
    while outputs and not outputs[-1]:
        outputs.pop()
    inputs = ["" if value is None else value.name for value in node.inputs]
    attributes = {key: _attribute(onnx, value) for key, value in node.attributes.items()}
    return onnx.helper.make_node(node.operator, inputs, outputs, name, **attributes)


def _attribute(onnx: Any, value: Any) -> Any:
    return tensor_proto(onnx, "", value, value.dtype.name) if isinstance(value, np.ndarray) else value


def _described(onnx: Any, value: Value) -> Any:
    return onnx.helper.make_tensor_value_info(value.name, NUMBERS[value.dtype], list(value.shape or ()))


def tensor_proto(onnx: Any, name: str, array: Any, dtype: str) -> Any:
    raw = np.ascontiguousarray(array).tobytes()
    return onnx.TensorProto(name=name, data_type=NUMBERS[dtype], dims=list(array.shape), raw_data=raw)


class OnnxExporterError(RuntimeError):
    """Something cannot be written as an ONNX graph: the message names the op, the module and the line."""


class UnsupportedOperatorError(OnnxExporterError):
    """An op whose entry says nothing of ONNX."""
