"""The functions of an entry (level 3), as data for the templates of ops/, tensor.py.j2 and the stubs."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..library.op_library import Part
from ..spec.model import Argument, Type
from ..spec.names import by_numpy_names, possibly_missing
from ..spec.types import TYPES
from .calls import parameter_list, renamed
from .composite import CompositeCode, extra_positional
from .docstrings import DocCode
from .fast_path import FastCode
from .properties import Properties


def hint(type_: Type) -> str:
    base = TYPES[type_.base].hint
    if type_.is_list:
        inner = f"{base} | None" if type_.optional_items else base
        base = f"Sequence[{inner}]" + (f" | {base}" if type_.size is not None else "")
    return f"{base} | None" if type_.optional and base != "Any" else base


@dataclass(frozen=True)
class OpCode(Properties):
    """The functions of one entry as text, beside what is known of it: all that the templates ask."""

    @property
    def inplace_name(self) -> str:
        return f"{self.name}_"

    @property
    def lazy_constructor(self) -> str:
        return f"as_{self.entry.lazy}" if self.entry.lazy else ""

    @property
    def node_class(self) -> str:
        return f"nodes.{self.node.class_name}" if self.node else "None"

    @property
    def kernel(self) -> str:
        return f"kernels.{self.entry.identifier.upper()}"

    @property
    def parts(self) -> list[Part | None]:
        kind, text = self.entry.compute.kind, self.entry.compute.text
        computed = self.library[kind, text] if kind in ("kernel", "view") else None
        plan = self.plan if self.fast.launches else None
        shape = self.library.get("shape rule", self.entry.shape)
        own_shape = shape if shape is not None and shape.op_library.label else None
        return [computed, self.writer, plan, self.plan_in_place, self.rule, self.own_rule, own_shape]

    @property
    def shape_rule(self) -> str:
        """What says the shapes of a kernel's results: the place of a function of the runtime's, which is loaded when it
        is asked for, or a function of a user's package; empty where the entry names none."""
        part = self.library.get("shape rule", self.entry.shape)
        runtime_path = "" if part is None else f'"{".".join(part.module)}:{part.name}"'
        return part.spelling if part is not None and part.op_library.label else runtime_path

    @property
    def returns(self) -> str:
        kinds = ["tuple[Tensor, ...]" if r.type.is_list else "Tensor" for r in self.entry.schema.returns]
        return kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"

    @property
    def result_type(self) -> list[str]:
        names = tuple(r.name for r in self.entry.schema.returns)
        return [f'_{self.name}_result = ReturnType("{self.entry.schema.name}", {names})'] if self.names_outputs else []

    @property
    def tensor_names(self) -> str:
        return ", ".join(f"*listed({a.python_name})" if a.type.is_list else a.python_name for a in self.tensors)

    def parameters(
        self, out: bool = False, method: bool = False, numpy: bool = False, inplace: bool = False, more: bool = False
    ) -> str:
        ordered: Sequence[Argument] = self.inplace_arguments if inplace else self.arguments
        numpy = numpy and self.is_shown
        if numpy:
            ordered = possibly_missing(ordered)
        results = "Sequence[Tensor]" if self.has_multiple_outputs else "Tensor"
        added = [f"out: {results} | None = None"] if out and self.has_out else []
        added += [f"{a.name}: {hint(a.type)} = None" for a in by_numpy_names(self.arguments)] if numpy else []
        reserved = (a for a in ordered if not method or a.name != "self")
        extra = extra_positional([self.entry]) if more and self.is_shown else []
        extra_params = [f"{name}: Any = None" for name in extra]
        listed = parameter_list(reserved, added, self.written_hint if inplace else self.parameter_hint, extra_params)
        return ", ".join(filter(None, ["self" * method, listed]))

    @property
    def renamed(self) -> list[str]:
        return renamed(self.numpy_names)

    def parameter_hint(self, argument: Argument) -> str:
        numbers = argument.type.is_tensor and not argument.type.is_list and self.accepts_number(argument)
        return ": " + (hint(argument.type).replace("Tensor", "Tensor | Number", 1) if numbers else hint(argument.type))

    def written_hint(self, argument: Argument) -> str:
        return ": Tensor" if argument == self.inplace_arguments[0] else self.parameter_hint(argument)

    @property
    def general_parameters(self) -> str:
        return ", ".join(a.name for a in self.arguments)

    @property
    def old_value_readers(self) -> str:
        """The tensors whose gradient formula reads the first one, which an in-place variant overwrites."""
        if self.entry.compute.kind == "composite":
            return f"{self.tensor_names},"
        first = self.inplace_arguments[0].name
        saved = [] if self.node is None else [t.needed_by for t in self.node.plan.tensors if t.name == first]
        return "".join(f"{a.python_name}, " for a in self.tensors if any(a.name in names for names in saved))

    def check(self, argument: Argument, is_set: bool = False) -> str:
        type_ = argument.type
        name = TYPES[type_.base].check
        shown = f'name, "{argument.python_name}", {argument.name}'
        if type_.is_tensor and type_.is_list:
            name = "tensor_list_optional" if type_.optional_items else "tensor_list"
        elif type_.is_tensor and self.entry.compute.kind == "elementwise" and not self.is_raw(argument):
            name = "operand"
        elif type_.is_list:
            name, shown = f"{name}_list", shown if type_.size is None else f"{shown}, {type_.size}"
        return f"checks.{'optional_' if type_.optional and not is_set else ''}{name}({shown})"

    def unlike(self, argument: Argument) -> str:
        """Whether an argument is no plain value of its type, which its check is for; empty where that always runs."""
        type_, name = argument.type, argument.name
        if type_.is_list or (type_.is_tensor and self.entry.compute.kind == "elementwise"):
            return f"{name} is not None" if type_.optional else ""
        if type_.is_tensor:
            other = f"not isinstance({name}, Tensor)"
        elif type_.base in ("int", "float", "bool", "str"):
            other = f"{name}.__class__ is not {type_.base}"
        else:
            return f"{name} is not None" if type_.optional else ""
        return f"{name} is not None and {other}" if type_.optional else other

    @cached_property
    def composite(self) -> CompositeCode:
        return CompositeCode(self, self.fast)

    @cached_property
    def fast(self) -> FastCode:
        return FastCode(self)

    @cached_property
    def docs(self) -> DocCode:
        return DocCode(self.name, (self,))
