"""export: a module's graph for example inputs, with parameters, buffers and constants as its first inputs."""

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NoReturn

from ...runtime.errors import ArgumentError, type_name
from ...runtime.extensions.pytree.structure import TreeSpec, tree_flatten, tree_unflatten
from ...runtime.methods.queries import equal
from ...runtime.namespace import op
from ...runtime.tensor.generator import fork_rng
from ...runtime.tensor.grad_mode import no_grad
from ...runtime.tensor.tensor import TensorBase
from ..fx.graph_module import GraphModule
from ..fx.node import Node
from ..modules.module import Module
from .dynamic_shapes import Formulas, Sizes, merge, samples
from .program import CallSpec, Expected, ExportedProgram
from .recorder import DataDependentError, Recorder
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
    return f"{prefix}_{path.replace('.', '_')}"


def program_of(
    mod: Module,
    recording: Recording,
    values: list[Any],
    call_spec: CallSpec,
    sizes: Sizes,
    args: tuple[tuple[Any, ...], dict[str, Any]],
) -> ExportedProgram:
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


def export(
    mod: Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    strict: bool = False,
    preserve_module_call_signature: tuple[str, ...] = (),
    prefer_deferred_runtime_asserts_over_guards: bool = False,
) -> ExportedProgram:
    """The graph of the calls that a module makes for example inputs.

    The module runs once, and Python's control flow is followed as it goes for these inputs. With sizes that vary it
    runs three times, and numbers that differ become formulas of sizes.

    Args:
        mod: the module, in the mode in which it is to compute.
        args, kwargs: the example inputs.
        dynamic_shapes: sizes that vary: for each argument, by its name or place, a dict {dim: Dim}, or a list of these
            or None for each dim, nested as the argument is.
        strict, preserve_module_call_signature, prefer_deferred_runtime_asserts_over_guards: not looked at: there is one
            way to record.

    Raises:
        DataDependentError: Python asks for a number that depends on an input: a RuntimeError.
        ValueError: something depends on a size that is to vary, and is no formula of sizes.

    Example:
        >>> batch = sg.export.Dim("batch")
        >>> program = sg.export.export(sg.nn.Linear(2, 3), (sg.ones(4, 2),), dynamic_shapes=({0: batch},))
        >>> program.module()(sg.zeros(9, 2)).shape
        specgrad.Size([9, 3])
    """
    if not isinstance(mod, Module):
        raise ValueError(f"Expected `mod` to be an instance of `torch.nn.Module`, got {type(mod)}.")
    if not isinstance(args, tuple):
        raise ArgumentError(f"Expecting `args` to be a tuple of example positional inputs, got {type_name(args)}")
    inputs = args, dict(kwargs or {})
    values, in_spec = tree_flatten(inputs)
    names = _names_of(mod, *inputs)
    first = record(mod, values, in_spec, names)
    sizes = _sizes_that_vary(dynamic_shapes, mod, inputs, values)
    if sizes.dim_sources:
        _let_vary(mod, values, in_spec, names, first, sizes)
    return program_of(mod, first, values, CallSpec(in_spec, first.out_spec), sizes, inputs)


def record(mod: Module, values: list[Any], in_spec: TreeSpec, names: list[str]) -> Recording:
    """Run a module, and note what it calls; buffers and random numbers are as before afterwards."""
    recorder = Recorder()
    for path, parameter in mod.named_parameters(remove_duplicate=False):
        recorder.declare(node_name("p", path), parameter, is_input=False)
    for path, buffer in mod.named_buffers(remove_duplicate=False):
        recorder.declare(node_name("b", path), buffer, is_input=False)
    inputs = [recorder.declare(name, value) for name, value in zip(names, values, strict=True)]
    args, kwargs = tree_unflatten(values, in_spec)
    with _unchanged(mod), recorder.watching():
        result = mod(*args, **kwargs)
    outputs, out_spec = tree_flatten(result)
    recorder.finish(outputs)
    return Recording(recorder, inputs, outputs, out_spec)


@contextmanager
def _unchanged(mod: Module) -> Iterator[None]:
    before = [(buffer, buffer.detach().clone()) for buffer in mod.buffers()]
    try:
        with fork_rng():
            yield
    finally:
        with no_grad():
            for buffer, values in before:
                buffer.copy_(values)


def _names_of(mod: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    bound = inspect.signature(mod.forward).bind(*args, **kwargs)
    names = []
    for name, value in bound.arguments.items():
        parts = value if name in kwargs or not isinstance(value, dict) or name != "kwargs" else value
        leaves = tree_flatten(parts)[0]
        names += [name] if len(leaves) == 1 and leaves[0] is value else [f"{name}_{k}" for k in range(len(leaves))]
    return names


def _sizes_that_vary(
    dim_spec: Any, mod: Module, args: tuple[tuple[Any, ...], dict[str, Any]], values: list[Any]
) -> Sizes:
    sizes = Sizes()
    if dim_spec is None:
        return sizes
    numbers = {id(value): number for number, value in enumerate(values)}
    arguments = inspect.signature(mod.forward).bind(*args[0], **args[1]).arguments
    if isinstance(dim_spec, tuple | list):
        dim_spec = dict(zip(arguments, dim_spec, strict=True))
    if set(dim_spec) - set(arguments):
        raise ValueError(
            f"export(): dynamic_shapes names {sorted(set(dim_spec) - set(arguments))}, which are no arguments"
        )
    for name, value in arguments.items():
        sizes.read(dim_spec.get(name), value, numbers, f"[{name!r}]")
    for name, dim_sources in sizes.dim_sources.items():
        if len({values[number].shape[dim] for number, dim in dim_sources}) > 1:
            raise ValueError(f"export(): the size {name} stands for several sizes of the example inputs")
    return sizes


def _let_vary(
    mod: Module, values: list[Any], in_spec: TreeSpec, names: list[str], first: Recording, sizes: Sizes
) -> None:
    hints = {
        name: values[dim_sources[0][0]].shape[dim_sources[0][1]] for name, dim_sources in sizes.dim_sources.items()
    }
    chosen = samples(hints, sizes.bounds)
    others = [record(mod, _resized(values, sizes, chosen, number), in_spec, names) for number in (1, 2)]
    for other in others:
        for one, same in zip(first.recorder.constants.values(), other.recorder.constants.values(), strict=False):
            if one is not same and not (one.shape == same.shape and equal(one, same)):
                raise DataDependentError(
                    "export(): a tensor that the module makes otherwise than by calls depends on a size"
                )
    dim_sources = {name: (first.inputs[result[0][0]], result[0][1]) for name, result in sizes.dim_sources.items()}
    formulas = Formulas(first.recorder.graph, chosen, dim_sources)
    merge([first.recorder.graph, *(other.recorder.graph for other in others)], formulas)


def _resized(values: list[Any], sizes: Sizes, chosen: Mapping[str, tuple[int, ...]], number: int) -> list[Any]:
    """The example inputs with other sizes: slices are left out, or come again."""
    matches = list(values)
    for name, dim_sources in sizes.dim_sources.items():
        for which, dim in dim_sources:
            index = op.remainder(_count(chosen[name][number], matches[which]), matches[which].shape[dim])
            matches[which] = matches[which].detach().index_select(dim, index)
    return matches


def _count(size: int, like: Any) -> Any:
    return like.new_ones(size).long().cumsum(0) - 1


def save(ep: ExportedProgram, f: Any, **options: Any) -> NoReturn:
    """Refused: a file `f` of a program `ep` names functions to call, and specgrad reads no such files."""
    raise NotImplementedError(
        "export.save(): there is no format for programs. Save the module's state_dict, or use onnx.export"
    )


def load(f: Any, **options: Any) -> NoReturn:
    """Refused: a file `f` of a program names functions to call."""
    raise NotImplementedError("export.load(): programs of PyTorch are made of ATen's ops, which specgrad has not")
