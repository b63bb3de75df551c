"""The program of a recording: what its inputs and outputs are, and what the user's have to be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...runtime.pytorch.trees.structure import TreeSpec
from ...runtime.tensor.base import TensorBase
from ..fx.graph_module import GraphModule
from ..fx.node import Node
from ..modules.module import Module
from .dims import Sizes
from .program import CallSpec, Expected, ExportedProgram
from .recording import Recorder
from .signatures import (
    ConstantArgument,
    ExportGraphSignature,
    InputKind,
    InputSpec,
    OutputKind,
    OutputSpec,
    TensorArgument,
)


@dataclass
class Recording:
    """One run: the recorder, the nodes of the user's inputs, what came out, and how it was nested."""

    recorder: Recorder
    inputs: list[Node]
    outputs: list[Any]
    out_spec: TreeSpec


def node_name(prefix: str, path: str) -> str:
    """The name of the node of a parameter or buffer."""
    return f"{prefix}_{path.replace('.', '_')}"


def program_of(
    mod: Module,
    recording: Recording,
    values: list[Any],
    call_spec: CallSpec,
    sizes: Sizes,
    args: tuple[tuple[Any, ...], dict[str, Any]],
) -> ExportedProgram:
    """The program of a recording of a module for these inputs."""
    state: dict[str, Any] = dict(mod.named_parameters(remove_duplicate=False))
    state |= dict(mod.named_buffers(remove_duplicate=False)) | recording.recorder.constants
    signature = ExportGraphSignature(list(_input_specs(mod, recording, values)), _output_specs(recording))
    expected = _expected(recording, values, sizes)
    graph_module = GraphModule({}, recording.recorder.graph)
    return ExportedProgram(graph_module, signature, state, call_spec, expected, sizes.bounds, args)


def _input_specs(mod: Module, recording: Recording, values: list[Any]) -> Iterator[InputSpec]:
    saved, user = mod.state_dict(keep_vars=True), iter(values)
    parameters = {node_name("p", path): path for path, _ in mod.named_parameters(remove_duplicate=False)}
    buffers = {node_name("b", path): path for path, _ in mod.named_buffers(remove_duplicate=False)}
    for node in recording.recorder.graph.find_nodes(op="placeholder"):
        argument = TensorArgument(node.name)
        if node in recording.inputs:
            value = next(user)
            is_tensor = isinstance(value, TensorBase)
            yield InputSpec(InputKind.USER_INPUT, argument if is_tensor else ConstantArgument(node.name, value))
        elif node.name in recording.recorder.constants:
            yield InputSpec(InputKind.CONSTANT_TENSOR, argument, node.name)
        elif str(node.target) in parameters:
            yield InputSpec(InputKind.PARAMETER, argument, parameters[str(node.target)])
        else:
            path = buffers[str(node.target)]
            yield InputSpec(InputKind.BUFFER, argument, path, path in saved)


def _output_specs(recording: Recording) -> list[OutputSpec]:
    matches = []
    outputs: Any = recording.recorder.graph.output_node().args[0]
    for value in outputs:
        argument = TensorArgument(value.name) if isinstance(value, Node) else ConstantArgument("", value)
        matches.append(OutputSpec(OutputKind.USER_OUTPUT, argument))
    return matches


def _expected(recording: Recording, values: list[Any], sizes: Sizes) -> list[Expected]:
    named = {position: name for name, dim_sources in sizes.dim_sources.items() for position in dim_sources}
    matches = []
    for number, (node, value) in enumerate(zip(recording.inputs, values, strict=True)):
        shape = tuple(value.shape) if isinstance(value, TensorBase) else ()
        matches.append(Expected(node.name, value, tuple(named.get((number, d), size) for d, size in enumerate(shape))))
    return matches
