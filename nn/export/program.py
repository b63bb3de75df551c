"""ExportedProgram: a graph with all that it reads as inputs, and the module that it stands for."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from ...runtime.extensions.pytree.structure import TreeSpec, tree_flatten, tree_unflatten
from ...runtime.tensor.tensor import TensorBase
from ..fx.graph import Graph
from ..fx.graph_module import GraphModule, owner_of
from ..modules.module import Module
from .signatures import ExportGraphSignature, InputKind


class CallSpec(NamedTuple):
    """How arguments and results are nested."""

    in_spec: TreeSpec
    out_spec: TreeSpec


@dataclass
class ModuleCallSignature:
    """The inputs and outputs of a module, and how they are nested."""

    inputs: list[Any]
    outputs: list[Any]
    in_spec: TreeSpec
    out_spec: TreeSpec


@dataclass
class ModuleCallEntry:
    """A module by its path, and its signature."""

    fqn: str
    signature: ModuleCallSignature | None = None


@dataclass
class Expected:
    """What an input has to be: its sizes, of which those with a name vary, or a value."""

    name: str
    value: Any
    sizes: tuple[int | str, ...] = ()


class ExportedModule(GraphModule):
    """The module of an ExportedProgram: it takes and gives what the exported module did, for inputs that fit."""

    _call: CallSpec
    _expected: list[Expected]
    _bounds: Mapping[str, tuple[int, float]]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the exported module gives; an AssertionError for inputs that the graph was not made for."""
        values = _flat(self._call.in_spec, args, kwargs)
        check(values, self._expected, self._bounds)
        inputs = [value for value in values if isinstance(value, TensorBase)]
        return tree_unflatten(list(super().__call__(*inputs)), self._call.out_spec)

    def train(self, mode: bool = True) -> NoReturn:
        """Refused, as by PyTorch: what depends on the mode is in the graph."""
        raise NotImplementedError("Calling train() is not supported yet.")

    def eval(self) -> NoReturn:
        """Refused, as by PyTorch."""
        raise NotImplementedError("Calling eval() is not supported yet.")


class ExportedProgram:
    """A module as a graph of the calls that it makes.

    Args:
        graph_module: the graph, whose inputs are parameters, buffers, constants, then the user's.
        graph_signature: what these are.
        state: parameters, buffers and constants by path.
        call_spec: how the user's inputs and outputs are nested.
        expected: what the user's inputs have to be.
        range_constraints: bounds of sizes that vary, by name.
        example_inputs: the arguments that the graph was made with.

    Example:
        >>> program = sg.export.export(sg.nn.Linear(2, 3), (sg.ones(4, 2),))
        >>> program.module()(sg.zeros(4, 2)).shape
        specgrad.Size([4, 3])
        >>> program.graph_signature.parameters
        ('weight', 'bias')
    """

    def __init__(
        self,
        graph_module: GraphModule,
        graph_signature: ExportGraphSignature,
        state: Mapping[str, Any],
        call_spec: CallSpec,
        expected: list[Expected],
        range_constraints: Mapping[str, tuple[int, float]],
        example_inputs: tuple[tuple[Any, ...], dict[str, Any]],
    ) -> None:
        self._graph_module = graph_module
        self._signature = graph_signature
        self._state, self._call_spec, self._expected = state, call_spec, expected
        self._bounds = range_constraints
        self._example = example_inputs

    @property
    def graph_module(self) -> GraphModule:
        """The graph as a module that takes all that it reads."""
        return self._graph_module

    @property
    def graph(self) -> Graph:
        """The graph."""
        return self._graph_module.graph

    @property
    def graph_signature(self) -> ExportGraphSignature:
        """What the graph's inputs and outputs are."""
        return self._signature

    @property
    def call_spec(self) -> CallSpec:
        """How the user's inputs and outputs are nested."""
        return self._call_spec

    @property
    def example_inputs(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments that the graph was made with."""
        return self._example

    @property
    def range_constraints(self) -> Mapping[str, tuple[int, float]]:
        """The bounds of sizes that vary, by name."""
        return self._bounds

    @property
    def dialect(self) -> str:
        """Of which operators the graph is made: specgrad's functions, where PyTorch says ATEN."""
        return "SPECGRAD"

    @property
    def module_call_graph(self) -> list[ModuleCallEntry]:
        """The exported module, with its signature."""
        inputs, outputs = [spec.arg for spec in self._signature.input_specs], self._signature.output_specs
        signature = ModuleCallSignature(inputs, [spec.arg for spec in outputs], *self._call_spec)
        return [ModuleCallEntry("", signature)]

    @property
    def state_dict(self) -> dict[str, Any]:
        """Parameters and persistent buffers by path."""
        left_out = {*self._signature.non_persistent_buffers, *self._signature.lifted_tensor_constants}
        return OrderedDict((path, value) for path, value in self._state.items() if path not in left_out)

    @property
    def constants(self) -> dict[str, Any]:
        """Tensors that are neither parameters nor buffers, by name, and buffers that `state_dict` leaves out."""
        names = (*self._signature.lifted_tensor_constants, *self._signature.non_persistent_buffers)
        return {name: self._state[name] for name in names}

    tensor_constants = constants

    def named_parameters(self) -> Iterator[tuple[str, Any]]:
        """Parameters with their paths."""
        yield from ((path, self._state[path]) for path in self._signature.parameters)

    def parameters(self) -> Iterator[Any]:
        """Parameters."""
        yield from (value for _, value in self.named_parameters())

    def named_buffers(self) -> Iterator[tuple[str, Any]]:
        """Buffers with their paths."""
        yield from ((path, self._state[path]) for path in self._signature.buffers)

    def buffers(self) -> Iterator[Any]:
        """Buffers."""
        yield from (value for _, value in self.named_buffers())

    def module(self, check_guards: bool = True) -> ExportedModule:
        """A module that computes the graph, with the same parameters and buffers.

        With `check_guards` it compares sizes and values of inputs with those that the graph was made for.
        """
        targets = {spec.arg.name: spec.target for spec in self._signature.input_specs if spec.target is not None}
        graph, result = Graph(), {}
        for node in self.graph.nodes:
            if node.op == "placeholder" and node.name in targets:
                result[node] = graph.get_attr(targets[node.name] or "")
            elif node.op != "placeholder" or node.name in self._tensor_inputs:
                result[node] = graph.node_copy(node, lambda each: result[each])
        module = ExportedModule(_root_of(self._state, self._signature), graph, "ExportedModule")
        for path in self.constants:  # no part of the state, as in the module that was exported
            outer, _, name = path.rpartition(".")
            module.get_submodule(outer)._non_persistent_buffers_set.add(name)
        expected = self._expected if check_guards else []
        module.__dict__.update(_call=self._call_spec, _expected=expected, _bounds=self._bounds)
        return module

    @property
    def _tensor_inputs(self) -> set[str]:
        return {one.name for one in self._expected if isinstance(one.value, TensorBase)}

    def run_decompositions(
        self, decomp_table: Any = None, decompose_custom_triton_ops: bool = False
    ) -> "ExportedProgram":
        """This program, as ops have no lower level; `decomp_table` and `decompose_custom_triton_ops` say nothing."""
        return self

    def validate(self) -> None:
        """Check that the graph is well formed."""
        self.graph.lint()

    def __call__(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refused, as by PyTorch."""
        raise RuntimeError(
            "Unable to call ExportedProgram directly. You should use `exported_program.module()` instead."
        )

    def __str__(self) -> str:
        code = self._graph_module.code.strip().replace("\n", "\n    ")
        bounds = dict(self._bounds)
        return f"ExportedProgram:\n    {code}\n\nGraph signature: {self._signature}\nRange constraints: {bounds}\n"


def check(values: list[Any], expected: list[Expected], bounds: Mapping[str, tuple[int, float]]) -> None:
    """Compare inputs with what a graph was made for; the AssertionError has PyTorch's words."""
    sizes: dict[str, int] = {}
    for value, one in zip(values, expected, strict=False):
        if not isinstance(one.value, TensorBase):
            same = value is one.value or (type(value) is type(one.value) and value == one.value)
            assert same, f"Guard failed: {one.name} == {one.value!r}"
            continue
        assert isinstance(value, TensorBase), f"Guard failed: {one.name} is a tensor"
        assert value.ndim == len(one.sizes), f"Guard failed: {one.name}.dim() == {len(one.sizes)}"
        for dim, (size, requested) in enumerate(zip(value.shape, one.sizes, strict=True)):
            if isinstance(requested, int):
                assert size == requested, f"Guard failed: {one.name}.size()[{dim}] == {requested}"
                continue
            low, high = bounds[requested]
            assert low <= size <= high, f"Guard failed: {low} <= {one.name}.size()[{dim}] <= {high}"
            same_size = sizes.setdefault(requested, size)
            assert size == same_size, f"Guard failed: {one.name}.size()[{dim}] == {same_size}"


def _flat(requested: TreeSpec, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    names = requested.child(1).context or []
    if set(kwargs) != set(names):
        raise ValueError(
            f"Ran into a kwarg keyword mismatch: Got the following keywords {list(kwargs)} but expected {list(names)}"
        )
    values, result = tree_flatten((args, {name: kwargs[name] for name in names}))
    if result != requested:
        raise ValueError(
            f"Trying to flatten user inputs with exported input tree spec: \n{requested}\nbut got: \n{result}"
        )
    return values


def _root_of(state: Mapping[str, Any], signature: ExportGraphSignature) -> Module:
    root = Module()
    persistent = {spec.target: spec.persistent for spec in signature.input_specs if spec.kind is InputKind.BUFFER}
    for path, value in state.items():
        owner, name = owner_of(root, path)
        if path in persistent:
            owner.register_buffer(name, value, persistent=bool(persistent[path]))
        else:
            setattr(owner, name, value)
    return root
