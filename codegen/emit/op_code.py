"""The functions of an entry (level 3), as data for the templates of ops/, tensor.py.j2 and the stubs."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..library.homes import Library, Part
from ..spec.model import Argument, Entry, Type
from ..spec.numpy_code import numpy_names, possibly_missing
from ..spec.operators import FROM_NUMBERS
from .call_code import parameter_list, renamed
from .composite_code import CompositeCode
from .doc_code import DocCode
from .fast_code import FastCode
from .kernel_code import ElementKernels, number_arguments
from .node_code import NodeCode
from .older_code import more_places
from .savings import Calls

# How a batch of calls is computed where the entry does not say: see runtime/batching/rules.
FAMILY_RULES = {"elementwise": "elementwise", "view": "along", "composite": "composite", "kernel": "loop"}

_HINTS = {"Tensor": "Tensor", "Scalar": "Number", "int": "int", "float": "float", "bool": "bool", "str": "str"}
_CHECKS = {
    "Tensor": "tensor",
    "Scalar": "scalar",
    "int": "integer",
    "float": "floating",
    "bool": "boolean",
    "str": "string",
    "ScalarType": "dtype",
    "Device": "device",
    "Generator": "generator",
    "MemoryFormat": "memory_format",
    "ProcessGroup": "process_group",
}


def hint(type_: Type) -> str:
    """The Python annotation of a schema type."""
    base = _HINTS.get(type_.base, "Any")
    if type_.is_list:
        inner = f"{base} | None" if type_.optional_items else base
        base = f"Sequence[{inner}]" + (f" | {base}" if type_.size is not None else "")
    return f"{base} | None" if type_.optional and base != "Any" else base


@dataclass(frozen=True)
class OpCode:
    """Everything the templates ask about the functions of one entry."""

    entry: Entry
    node: NodeCode | None
    kernels: ElementKernels | None
    calls: Calls
    library: Library
    origin: str = ""  # the module of the functions of a base's entry, as the modules of ops/ have it

    @property
    def name(self) -> str:
        """The Python function of this overload; the overloads of one name share a dispatcher of that name."""
        return self.calls.functions[self.entry.name]

    @property
    def inplace_name(self) -> str:
        """The in-place function: `mul_`, or `pow_tensor_scalar_` where a dispatcher has the plain name."""
        return f"{self.name}_"

    @property
    def turned(self) -> str:
        """The function that marks a view of elements that are shown conjugated or negated; empty for others."""
        return f"as_{self.entry.turns}" if self.entry.turns else ""

    @property
    def node_class(self) -> str:
        """The class of the graph node as the modules of ops/ have it."""
        return f"functions.{self.node.class_name}" if self.node else "None"

    @property
    def kernel(self) -> str:
        """The element-wise kernel as the modules of ops/ have it."""
        return f"kernels.{self.entry.identifier.upper()}"

    @property
    def batch_rule(self) -> str:
        """The batching rule: the entry's own, or that of its family."""
        return self.entry.batch or FAMILY_RULES[self.entry.compute.kind]

    @property
    def parts(self) -> list[Part | None]:
        """The hand-written parts whose modules a module of ops/ imports."""
        kind, text = self.entry.compute.kind, self.entry.compute.text
        computed = self.library[kind, text] if kind in ("kernel", "view") else None
        plan = self.fast.plan if self.fast.launches else None
        shape = self.library.get("shape rule", self.entry.shape)
        own_shape = shape if shape is not None and shape.home.label else None
        return [computed, self.writer, plan, self.fast.plan_in_place, self.rule, self.own_rule, own_shape]

    @property
    def own_rule(self) -> Part | None:
        """The batching rule where a user's package has it."""
        part = self.library.get("batching rule", self.batch_rule)
        return part if part is not None and part.home.label else None

    @property
    def shape_rule(self) -> str:
        """What says the shapes of a kernel's results: the place of a function of the runtime's, which is loaded when it
        is asked for, or a function of a user's package; empty where the entry names none."""
        part = self.library.get("shape rule", self.entry.shape)
        return "" if part is None else part.spelling if part.home.label else f'"{".".join(part.module)}:{part.name}"'

    @property
    def returns(self) -> str:
        """The annotation of the result."""
        kinds = ["Sequence[Tensor]" if r.type.is_list else "Tensor" for r in self.entry.schema.returns]
        return kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"

    @property
    def several(self) -> bool:
        """Whether the op has several outputs."""
        return len(self.entry.schema.returns) > 1

    @property
    def in_place_formula(self) -> Part | None:
        """The helper that writes what a composite gives to its first tensor: `write_` and the op's name."""
        is_composite = self.entry.compute.kind == "composite" and self.has_inplace
        return self.library.get("helper", f"write_{self.entry.schema.name}") if is_composite else None

    @property
    def writer(self) -> Part | None:
        """The kernel of the in-place form, which writes to its first array; named as the other, with an underscore."""
        is_kernel = self.entry.compute.kind == "kernel" and not self.several
        return self.library.get("kernel", f"{self.entry.compute.text}_") if self.has_inplace and is_kernel else None

    @property
    def moves(self) -> int | None:
        """Which tensor argument's elements are the results of an element-wise op, as they are; None for no one's."""
        tree, names = self.entry.compute.tree, [a.name for a in self.tensors]
        return names.index(tree.id) if isinstance(tree, ast.Name) and tree.id in names else None

    @property
    def result_type(self) -> list[str]:
        """The named tuple of several outputs; composites have one only of outputs that they compute themselves."""
        names_outputs = self.several if self.entry.compute.kind != "composite" else self.composite.names_outputs
        names = tuple(r.name for r in self.entry.schema.returns)
        return [f'_{self.name}_result = ReturnType("{self.entry.schema.name}", {names})'] if names_outputs else []

    @property
    def allowed(self) -> tuple[str, ...]:
        """The kinds of dtype that are allowed, empty when all are."""
        return () if len(self.entry.dtypes) == 4 else self.entry.dtypes

    @property
    def matching(self) -> tuple[tuple[str, str, bool, bool], ...]:
        """(name, type, whether it is required, whether it is by keyword alone) of each parameter."""
        return tuple((a.python_name, self.match_type(a), a.default is None, a.keyword_only) for a in self.arguments)

    def match_type(self, argument: Argument) -> str:
        type_ = argument.type
        base = "Operand" if type_.is_tensor and not type_.is_list and self.accepts_number(argument) else type_.base
        if type_.is_list:
            inner = "?" if type_.optional_items else ""
            base = f"{base}{inner}[{'' if type_.size is None else type_.size}]"
        return base + ("?" if type_.optional else "")

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return self.entry.schema.arguments

    @property
    def tensors(self) -> tuple[Argument, ...]:
        return self.entry.tensor_arguments

    @property
    def tensor_names(self) -> str:
        """The tensor arguments as the public function calls them, lists spread out."""
        return ", ".join(f"*listed({a.python_name})" if a.type.is_list else a.python_name for a in self.tensors)

    @property
    def numbers(self) -> tuple[Argument, ...]:
        return tuple(number_arguments(self.entry))

    @property
    def writes_first(self) -> bool:
        """Whether the entry exists only in place."""
        return bool(self.arguments) and self.arguments[0].type.writes

    @property
    def has_inplace(self) -> bool:
        return "inplace" in self.entry.variants

    @property
    def retypes(self) -> bool:
        """Whether a view reads the bytes as elements of another dtype."""
        return self.entry.compute.kind == "view" and (self.has_dtype_argument or self.entry.result_dtype[0] != "same")

    @property
    def has_out(self) -> bool:
        """Whether the function takes `out=`: its outputs are new tensors, and those of the layers say so."""
        entry = self.entry
        types = [r.type for r in entry.schema.returns]
        fresh = entry.compute.kind != "view" and all(t.is_tensor and not t.is_list and t.alias is None for t in types)
        offered = "function" in entry.variants and (entry.namespace != "nn.functional" or entry.takes_out)
        return fresh and offered and not self.writes_first

    @property
    def inplace_arguments(self) -> tuple[Argument, ...]:
        """The arguments of the in-place function: what is written to comes first, wherever the schema has it."""
        return tuple(sorted(self.arguments, key=lambda a: a.name != "self"))

    def parameters(
        self, out: bool = False, method: bool = False, numpy: bool = False, inplace: bool = False, more: bool = False
    ) -> str:
        """The parameter list of the public function, or of the method (`self` first, wherever the schema has it).

        With `more`, also the places of older forms of the call.
        """
        ordered: Sequence[Argument] = self.inplace_arguments if inplace else self.arguments
        if numpy and self.numpy_names:
            ordered = possibly_missing(ordered)
        hint = "Sequence[Tensor]" if self.several else "Tensor"
        added = [f"out: {hint} | None = None"] if out and self.has_out else []
        added += [f"{theirs}: Any = None" for theirs, _ in self.numpy_names] if numpy else []
        taken = (a for a in ordered if not method or a.name != "self")
        places = [f"{name}: Any = None" for name in more_places([self.entry])] if more and self.is_shown else []
        listed = parameter_list(taken, added, self.written_hint if inplace else self.parameter_hint, places)
        return ", ".join(filter(None, ["self" * method, listed]))

    @property
    def numpy_names(self) -> tuple[tuple[str, str], ...]:
        """(NumPy's keyword, the schema's) of a public function of its own."""
        return numpy_names(self.arguments) if self.is_shown else ()

    @property
    def is_shown(self) -> bool:
        """Whether the function is the one that users call, and no overload of it."""
        return self.name == self.entry.schema.name and self.entry.variants != ("formula",)

    @property
    def renamed(self) -> list[str]:
        """The lines by which NumPy's keywords stand for the schema's."""
        return renamed(self.numpy_names)

    def parameter_hint(self, argument: Argument) -> str:
        numbers = argument.type.is_tensor and not argument.type.is_list and self.accepts_number(argument)
        return ": " + (hint(argument.type).replace("Tensor", "Tensor | Number", 1) if numbers else hint(argument.type))

    def written_hint(self, argument: Argument) -> str:
        """The annotation in the in-place function: what is written to is a tensor."""
        return ": Tensor" if argument == self.inplace_arguments[0] else self.parameter_hint(argument)

    def accepts_number(self, argument: Argument) -> bool:
        """Element-wise ops take Python numbers for promoted tensors: for the first where it stands for an operator."""
        first = next((a for a in self.arguments if a.type.is_tensor), None)
        behind = argument is not first or self.starts_with_number
        return self.entry.compute.kind == "elementwise" and behind and not self.is_raw(argument)

    @property
    def starts_with_number(self) -> bool:
        """Whether the first operand may be a number: of what stands for an operator, as in `1 - x`."""
        return self.entry.operator in FROM_NUMBERS

    def is_raw(self, argument: Argument) -> bool:
        return argument.name in self.entry.masks

    @property
    def is_variadic(self) -> bool:
        """Whether the method takes its one list of ints (`int[]`) also as separate arguments: `x.view(2, 3)`."""
        types = [a.type for a in self.arguments[1:] if not a.keyword_only]
        return types == [Type("int", is_list=True)]

    @property
    def raw(self) -> tuple[bool, ...]:
        flags = tuple(self.is_raw(a) for a in self.tensors)
        return flags if any(flags) else ()

    @property
    def general_parameters(self) -> str:
        return ", ".join(a.name for a in self.arguments)

    @property
    def old_value_readers(self) -> str:
        """The tensor arguments whose gradient formula reads the first one, which an in-place variant overwrites.

        The ops of a composite record themselves, so each of them may.
        """
        if self.entry.compute.kind == "composite":
            return f"{self.tensor_names},"
        first = self.inplace_arguments[0].name
        saved = [] if self.node is None else [t.needed_by for t in self.node.plan.tensors if t.name == first]
        return "".join(f"{a.python_name}, " for a in self.tensors if any(a.name in names for names in saved))

    @property
    def may_share(self) -> str:
        """How other operands may lie in the memory that the in-place variant writes to: see `before_write`.

        Kernels that have indices write here and there while they still read.
        """
        if self.entry.compute.kind != "kernel":
            return "same"
        return "never" if self.raw else "anyhow"

    @property
    def memory_format(self) -> Argument | None:
        """The argument that says how the result lies in memory."""
        return next((a for a in self.arguments if a.type.base == "MemoryFormat"), None)

    @property
    def gives_list(self) -> bool:
        """Whether the op returns a list of tensors."""
        return self.entry.schema.returns[0].type.is_list

    def check(self, argument: Argument, given: bool = False) -> str:
        """The expression that checks and normalises one argument, not None if `given`."""
        type_ = argument.type
        name = _CHECKS[type_.base]
        shown = f'name, "{argument.python_name}", {argument.name}'
        if type_.is_tensor and type_.is_list:
            name = "tensor_list_optional" if type_.optional_items else "tensor_list"
        elif type_.is_tensor and self.entry.compute.kind == "elementwise" and not self.is_raw(argument):
            name = "operand"
        elif type_.is_list:
            name, shown = f"{name}_list", shown if type_.size is None else f"{shown}, {type_.size}"
        return f"checks.{'optional_' if type_.optional and not given else ''}{name}({shown})"

    def unlike(self, argument: Argument) -> str:
        """Whether an argument is anything but a plain value of its type, for only then its check has something to do.

        Empty where the check always has: lists, and operands that may be numbers.
        """
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

    @property
    def rule(self) -> Part | None:
        """The function that checks the arguments."""
        return self.library["check", self.entry.check] if self.entry.check else None

    @cached_property
    def composite(self) -> CompositeCode:
        """How a composite is computed."""
        return CompositeCode(self)

    @property
    def has_dtype_argument(self) -> bool:
        return any(a.type.base == "ScalarType" for a in self.arguments)

    @property
    def fast(self) -> FastCode:
        """The ways in which native code may answer first."""
        return FastCode(self)

    @property
    def docs(self) -> DocCode:
        """The documentation of this overload alone."""
        return DocCode(self.name, (self,))
