"""`ONNXProgram`: an exported module, which can be saved and run."""

import os
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from ...ops.creation import tensor as make_tensor
from ...pytree import flatten
from ...tensor.tensor import TensorBase, host_array
from .graph import NUMBERS, Graph, Node, Value, operators

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


LARGEST_FILE = 2**31 - 1  # bytes of a protobuf message


class ONNXProgram:
    """An exported module.

    Args:
        graph: what was recorded.
        opset: the version of the operators.

    Example:
        >>> import specgrad as sg
        >>> program = sg.onnx.export(sg.nn.Linear(3, 2), (sg.ones(1, 3),), input_names=["x"])  # doctest: +SKIP
        >>> program.save("linear.onnx")  # doctest: +SKIP
    """

    def __init__(self, graph: Graph, opset: int) -> None:
        self._graph = graph
        self._opset = opset
        self._proto: Any = None

    @property
    def model_proto(self) -> Any:
        """The `onnx.ModelProto`, made when it is first asked for."""
        if self._proto is None:
            self._proto = model_proto(self._graph, self._opset)
        return self._proto

    def save(
        self,
        destination: Any,
        *,
        include_initializers: bool = True,
        keep_initializers_as_inputs: bool = False,
        external_data: bool | None = None,
    ) -> None:
        """Write the model.

        Args:
            destination: a path or a file opened for binary writing.
            include_initializers: whether the parameters' values are written; else they are inputs.
            keep_initializers_as_inputs: whether parameters are inputs too.
            external_data: whether their values go to a second file, `.data` behind the name; by default where the
                model is larger than 2 GB.
        """
        plain = include_initializers and not keep_initializers_as_inputs
        proto = self.model_proto if plain else self._proto_with(include_initializers, keep_initializers_as_inputs)
        if not isinstance(destination, (str, os.PathLike)):
            destination.write(proto.SerializeToString())
        elif external_data or (external_data is None and proto.ByteSize() > LARGEST_FILE):
            path, own = Path(destination), self._proto_with(include_initializers, keep_initializers_as_inputs)
            options = {"location": f"{path.name}.data", "size_threshold": 0}
            onnx_package().save_model(own, path, save_as_external_data=True, **options)  # which takes the values out
        else:
            Path(destination).write_bytes(proto.SerializeToString())

    def _proto_with(self, parameters: bool, as_inputs: bool) -> Any:
        return model_proto(self._graph, self._opset, parameters, as_inputs)

    def __call__(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Run the model with onnxruntime, or without it with the `onnx` package's reference implementation.

        Args:
            *args, **kwargs: as the module takes them; only tensors count.

        Returns:
            list of Tensors: the outputs, flat.
        """
        try:
            onnxruntime = import_module("onnxruntime")
        except ModuleNotFoundError:
            return self.call_reference(*args, **kwargs)
        session = onnxruntime.InferenceSession(self.model_proto.SerializeToString(), providers=["CPUExecutionProvider"])
        return [make_tensor(result) for result in session.run(None, self._feeds(args, kwargs))]

    def call_reference(self, *args: Any, **kwargs: Any) -> list[Any]:
        """Run the model with the `onnx` package's reference implementation; as a call of the program."""
        onnx_package()  # says what to install
        evaluator = import_module("onnx.reference").ReferenceEvaluator(self.model_proto)
        return [make_tensor(result) for result in evaluator.run(None, self._feeds(args, kwargs))]

    def _feeds(self, args: Any, kwargs: Any) -> dict[str, Any]:
        tensors = [host_array(leaf) for leaf in flatten((args, kwargs))[0] if isinstance(leaf, TensorBase)]
        return {value.name: array for value, array in zip(self._graph.inputs, tensors, strict=True)}

    def __repr__(self) -> str:
        graph = self._graph
        ends = f"inputs {graph.inputs}, outputs {graph.outputs}"
        return f"ONNXProgram({len(graph.nodes)} nodes, {ends}, opset {self._opset})"
