"""What the inputs and outputs of an exported graph are: ExportGraphSignature and its parts, under PyTorch's names."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any


@dataclass
class TensorArgument:
    """A tensor: the name of its node."""

    name: str


@dataclass
class ConstantArgument:
    """A value that is no tensor, which the graph was made for."""

    name: str
    value: Any


class InputKind(Enum):
    """What an input of the graph is."""

    USER_INPUT = auto()
    PARAMETER = auto()
    BUFFER = auto()
    CONSTANT_TENSOR = auto()


class OutputKind(Enum):
    """What an output of the graph is."""

    USER_OUTPUT = auto()


@dataclass
class InputSpec:
    """An input: what it is, its node, and the path of the parameter, buffer or constant that it stands for."""

    kind: InputKind
    arg: TensorArgument | ConstantArgument
    target: str | None = None
    persistent: bool | None = None

    def __str__(self) -> str:
        target = "" if self.target is None else f" target={self.target!r}"
        persistent = "" if self.persistent is None else f" persistent={self.persistent}"
        return f"{self.arg.name}: {self.kind.name}{target}{persistent}"


@dataclass
class OutputSpec:
    """An output: what it is, and its node."""

    kind: OutputKind
    arg: TensorArgument | ConstantArgument
    target: str | None = None

    def __str__(self) -> str:
        return f"{self.arg.name}: {self.kind.name}"


@dataclass
class ExportGraphSignature:
    """The inputs and outputs of an exported graph in their order.

    Args:
        input_specs: parameters, buffers, constants, then what the user gives.
        output_specs: what the user gets.
    """

    input_specs: list[InputSpec]
    output_specs: list[OutputSpec]

    def _names(self, kind: InputKind) -> dict[str, str]:
        return {spec.arg.name: spec.target or "" for spec in self.input_specs if spec.kind is kind}

    @property
    def inputs_to_parameters(self) -> Mapping[str, str]:
        """The paths of parameters by the names of their nodes."""
        return self._names(InputKind.PARAMETER)

    @property
    def inputs_to_buffers(self) -> Mapping[str, str]:
        """The paths of buffers by the names of their nodes."""
        return self._names(InputKind.BUFFER)

    @property
    def inputs_to_lifted_tensor_constants(self) -> Mapping[str, str]:
        """The names of constants by those of their nodes."""
        return self._names(InputKind.CONSTANT_TENSOR)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The paths of parameters."""
        return tuple(self.inputs_to_parameters.values())

    @property
    def buffers(self) -> tuple[str, ...]:
        """The paths of buffers."""
        return tuple(self.inputs_to_buffers.values())

    @property
    def non_persistent_buffers(self) -> tuple[str, ...]:
        """The paths of buffers that `state_dict` leaves out."""
        return tuple(spec.target or "" for spec in self.input_specs if spec.persistent is False)

    @property
    def lifted_tensor_constants(self) -> tuple[str, ...]:
        """The names of tensors that the module made while it ran, or kept as plain attributes."""
        return tuple(self.inputs_to_lifted_tensor_constants.values())

    @property
    def user_inputs(self) -> tuple[Any, ...]:
        """The nodes of what the user gives, and values that the graph was made for."""
        return tuple(_spec_of(spec.arg) for spec in self.input_specs if spec.kind is InputKind.USER_INPUT)

    @property
    def user_outputs(self) -> tuple[Any, ...]:
        """The nodes of what the user gets, and values that are the same for all inputs."""
        return tuple(_spec_of(spec.arg) for spec in self.output_specs)

    def __str__(self) -> str:
        inputs, outputs = "\n".join(map(str, self.input_specs)), "\n".join(map(str, self.output_specs))
        return f"\n# inputs\n{inputs}\n\n# outputs\n{outputs}\n"


def _spec_of(argument: TensorArgument | ConstantArgument) -> Any:
    return argument.name if isinstance(argument, TensorArgument) else argument.value
