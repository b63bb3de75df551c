"""`onnx.export`: a module with example inputs to a file of ONNX."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...errors import type_name
from ...pytree import flatten, unflatten
from ...tensor.grad_mode import no_grad
from ...tensor.tensor import TensorBase, host_array
from .dynamic_axes import (
    Axes,
    from_dynamic_axes,
    from_dynamic_shapes,
    grown,
    named_shape,
    sizes_of,
    tensors_of,
    unified,
)
from .graph import CONSTANT, NEWEST_OPSET, OPSET, RESULT, Graph, Operators, Value
from .program import OnnxExporterError, ONNXProgram, onnx_package
from .recorder import recorded


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


_exporting = [False]
_CLOSE = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-3}  # what `verify` lets pass, relative to the largest


def is_in_onnx_export() -> bool:
    """Whether a module is being exported."""
    return _exporting[0]


def export(
    model: Any,
    args: Any = (),
    f: Any = None,
    *,
    kwargs: Mapping[str, Any] | None = None,
    verbose: bool | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    opset_version: int | None = None,
    dynamo: bool = True,
    external_data: bool | None = None,
    dynamic_shapes: Any = None,
    custom_translation_table: Any = None,
    report: bool = False,
    optimize: bool = True,
    verify: bool = False,
    profile: bool = False,
    dump_exported_program: bool = False,
    artifacts_dir: Any = ".",
    export_params: bool = True,
    keep_initializers_as_inputs: bool = False,
    dynamic_axes: Mapping[str, Any] | None = None,
    training: Any = None,
    operator_export_type: Any = None,
    do_constant_folding: bool = True,
    custom_opsets: Any = None,
    export_modules_as_functions: Any = False,
    autograd_inlining: bool = True,
) -> ONNXProgram | None:
    """Write what a module computes as a graph of ONNX operators: the ops that it calls for example inputs.

    Python's control flow is followed once, as it goes for these inputs. The module computes as after `eval()`. Needs
    the package `onnx` (`pip install specgrad[onnx]`).

    Args:
        model: a Module, or a function of tensors.
        args: its arguments, a tuple; tensors, also in tuples, lists and dicts, become inputs, all else is fixed.
        f: a path, or a file opened for binary writing; None only returns the program.
        kwargs: keyword arguments.
        verbose: whether the graph is printed.
        input_names, output_names: names of the flat inputs and outputs; by default those of the arguments.
        opset_version: of the operators, 18 (the default) or later.
        dynamo: whether the program is returned; the graph is the same.
        external_data: whether parameters go to a second file; by default where one file cannot hold them.
        dynamic_shapes: for each argument {axis: name}, by place or by name; other axes have the sizes of the examples.
        verify: whether the program is run and compared with the module.
        export_params: whether the parameters' values are written; else they are inputs.
        keep_initializers_as_inputs: whether parameters are inputs too, whose values are defaults.
        dynamic_axes: {name of an input: {axis: name}} or {name of an input: [axis]}, the older form.
        do_constant_folding, optimize, training, operator_export_type, autograd_inlining, artifacts_dir: change nothing.
        custom_translation_table, report, profile, dump_exported_program, custom_opsets, export_modules_as_functions:
            are refused.

    Returns:
        ONNXProgram, or None where `dynamo` is false.

    Raises:
        OnnxExporterError: an op cannot be written; the error names it, the module and the line.
        ModuleNotFoundError: the package `onnx` is not installed.

    Example:
        >>> import specgrad as sg
        >>> x = sg.ones(2, 3)
        >>> program = sg.onnx.export(sg.nn.Linear(3, 1), (x,), dynamic_shapes=({0: "batch"},))  # doctest: +SKIP
    """
    call_arguments = locals()
    for name in filter(call_arguments.get, _REFUSED):
        raise NotImplementedError(f"onnx.export(): argument '{name}' is not supported")
    opset = _opset(opset_version)
    onnx_package()
    args = args if isinstance(args, (tuple, list)) else (args,)
    exported = Exported(model, tuple(args), dict(kwargs or {}), input_names, output_names)
    axes = exported.axes(dynamic_axes, dynamic_shapes)
    with _eval_mode(model), no_grad(), _in_export():
        graph = exported.dynamic(axes) if any(axes) else exported.static()
    exported.finish(graph, axes)
    program = ONNXProgram(graph, opset)
    if verify:
        _check(program, exported)
    if verbose:
        print(program.model_proto)
    if f is not None:
        program.save(
            f,
            include_initializers=export_params,
            keep_initializers_as_inputs=keep_initializers_as_inputs,
            external_data=external_data,
        )
    return program if dynamo else None


_REFUSED = (
    *("custom_translation_table", "report", "profile", "dump_exported_program"),
    *("custom_opsets", "export_modules_as_functions"),
)


def _opset(version: int | None) -> int:
    if version is None:
        return OPSET
    if not OPSET <= version <= NEWEST_OPSET:
        raise ValueError(f"onnx.export(): expected opset_version to be {OPSET} to {NEWEST_OPSET}, but got {version}")
    return version


class Exported:
    """A module with the inputs that it is exported for.

    Args:
        model: a Module or a function.
        args, kwargs: its arguments.
        input_names, output_names: names of flat inputs and outputs, or None.
    """

    def __init__(
        self,
        model: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        input_names: Sequence[str] | None,
        output_names: Sequence[str] | None,
    ) -> None:
        self.model, self.args, self.kwargs = model, args, kwargs
        self.tensors = tensors_of(args, kwargs)
        self.parameters = _parameter_names(model, len(args))
        named = zip((*self.parameters[: len(args)], *kwargs), (*args, *kwargs.values()), strict=True)
        default = [name for key, value in named for name in _leaf_names(key, value)]
        self.input_names = [*(input_names or ()), *default[len(input_names or ()) :]][: len(self.tensors)]
        self.output_names = output_names
        self.outputs: list[Any] = []  # what the module returned, of the first recording

    def axes(self, dynamic_axes: Mapping[str, Any] | None, dynamic_shapes: Any) -> Axes:
        if dynamic_shapes is not None:
            return from_dynamic_shapes(dynamic_shapes, self.args, self.kwargs, self.parameters)
        known = {*self.input_names, *(self.output_names or ()), "output"}
        for name in dynamic_axes or {}:
            if name not in known:
                raise ValueError(f"onnx.export(): dynamic_axes names '{name}', which is no input or output")
        return from_dynamic_axes(dynamic_axes or {}, self.input_names)

    def static(self) -> Graph:
        graph, self.outputs = self.record([tensor.detach().clone() for tensor in self.tensors], False)
        return graph

    def dynamic(self, axes: Axes) -> Graph:
        sizes = sizes_of(axes, self.tensors)
        matches = [self.record(grown(self.tensors, axes, sizes, number), True) for number in range(3)]
        return unified([graph for graph, _ in matches], sizes)

    def record(self, tensors: list[Any], everything: bool) -> tuple[Graph, list[Any]]:
        leaves, tree = flatten((self.args, self.kwargs))
        value = iter(tensors)
        leaves = [next(value) if isinstance(leaf, TensorBase) else leaf for leaf in leaves]
        args, kwargs = unflatten(leaves, tree)
        model, is_module = self.model, hasattr(self.model, "named_modules")
        parameters = dict([*model.named_parameters(), *model.named_buffers()]) if is_module else {}
        paths = {id(module): path for path, module in model.named_modules()} if is_module else {}
        return recorded(lambda: list(_outputs_in(model(*args, **kwargs))), tensors, parameters, paths, everything)

    def finish(self, graph: Graph, axes: Axes) -> None:
        for value, own in zip(graph.inputs, axes or [{}] * len(graph.inputs), strict=True):
            value.shape = named_shape(value.shape or (), own) if own else value.shape
        count = len(graph.outputs)
        default = ["output"] if count == 1 else [f"output_{number}" for number in range(count)]
        args = list(self.output_names or ())
        finish(graph, self.input_names, [*args, *default[len(args) :]][:count])


def _parameter_names(model: Any, count: int) -> list[str]:
    parameters = inspect.signature(getattr(model, "forward", model)).parameters.values()
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    starred = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), "input")
    return [*names, *(f"{starred}_{number}" for number in range(len(names), count))]


def _leaf_names(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, TensorBase):
        yield name
    elif isinstance(value, (Mapping, list, tuple)):
        items = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, item in items:
            yield from _leaf_names(f"{name}_{key}", item)


def _outputs_in(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _outputs_in(item)
    elif value is not None:
        if not isinstance(value, TensorBase):
            raise OnnxExporterError(f"onnx.export(): a module's outputs are tensors, not {type_name(value)}")
        yield value


@contextmanager
def _eval_mode(model: Any) -> Iterator[None]:
    modules = [module for module in model.modules() if module.training] if hasattr(model, "modules") else []
    for module in modules:
        module.training = False
    try:
        yield
    finally:
        for module in modules:
            module.training = True


@contextmanager
def _in_export() -> Iterator[None]:
    before, _exporting[0] = _exporting[0], True
    try:
        yield
    finally:
        _exporting[0] = before


def _check(program: ONNXProgram, exported: Exported) -> None:
    """Compare what the program computes with what the module does."""
    run: Callable[..., list[Any]] = program
    with _eval_mode(exported.model), no_grad():
        requested = list(_outputs_in(exported.model(*exported.args, **exported.kwargs)))
    for number, (result, value) in enumerate(zip(run(*exported.args, **exported.kwargs), requested, strict=True)):
        ours, theirs = (np.asarray(host_array(each), np.float64) for each in (value, result))
        limit = _CLOSE.get(value._dtype.name, 1e-6) * max(1.0, np.abs(ours).max(initial=0))
        if ours.shape != theirs.shape or not np.allclose(ours, theirs, rtol=0, atol=limit, equal_nan=True):
            raise OnnxExporterError(f"onnx.export(): output {number} of the exported model differs from the module's")
