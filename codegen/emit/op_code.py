"""The functions of an entry (level 3), as data for the templates of ops/, tensor.py.j2 and the stubs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from ..library.homes import Library, Part
from ..spec.model import Argument, Entry, Type
from ..spec.numpy_code import numpy_names, possibly_missing
from .composite_code import CompositeCode
from .doc_code import DocCode
from .fast_code import FastCode
from .kernel_code import ElementKernels, number_arguments
from .node_code import NodeCode
from .out_code import out_hint, takes_out
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
}


def hint(type_: Type) -> str:
    """The Python annotation of a schema type."""
    base = _HINTS.get(type_.base, "Any")
    if type_.is_list:
        inner = f"{base} | None" if type_.optional_items else base
        base = f"Sequence[{inner}]" + (f" | {base}" if type_.size is not None else "")
    return f"{base} | None" if type_.optional and base != "Any" else base


def handed_on(argument: Argument) -> str:
    """An argument in a call that hands it on."""
    return f"{argument.python_name}=" * argument.keyword_only + argument.python_name


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
    def called(self) -> str:
        """That function as the modules of ops/ call it."""
        return f"{self.origin}.{self.name}" if self.origin else self.name

    @property
    def inplace_name(self) -> str:
        """The in-place function: `mul_`, or `pow_tensor_scalar_` where a dispatcher has the plain name."""
        return f"{self.name}_"

    @property
    def batch_rule(self) -> str:
        """The batching rule: the entry's own, or that of its family."""
        return self.entry.batch or FAMILY_RULES[self.entry.compute.kind]

    @property
    def parts(self) -> list[Part | None]:
        """The hand-written parts whose modules a module of ops/ imports."""
        kind, text = self.entry.compute.kind, self.entry.compute.text
        computed = self.library[kind, text] if kind in ("kernel", "view") else None
        return [computed, self.fast.plan if self.fast.has_plan else None, self.rule, self.own_rule]

    @property
    def own_rule(self) -> Part | None:
        """The batching rule where a user's package has it."""
        part = self.library.get("batching rule", self.batch_rule)
        return part if part is not None and part.home.label else None

    @property
    def spelt_rule(self) -> str:
        """The batching rule as `intercept` takes it: its name, or the function where a user's package has it."""
        return repr(self.batch_rule) if self.own_rule is None else self.own_rule.spelling

    @property
    def intercepted(self) -> str:
        """The arguments of `intercept`, after the function, for a call of the public function."""
        return ", ".join([self.spelt_rule, *filter(None, [self.passed])])

    @property
    def intercepted_inplace(self) -> str:
        """The same for a call of the in-place function."""
        return ", ".join([self.spelt_rule, *map(handed_on, self.inplace_arguments)])

    @property
    def returns(self) -> str:
        """The annotation of the result."""
        kinds = ["Sequence[Tensor]" if r.type.is_list else "Tensor" for r in self.entry.schema.returns]
        return kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"

    @property
    def return_type(self) -> str:
        """The named tuple of several named outputs, empty for one output."""
        names = [r.name for r in self.entry.schema.returns]
        return f'ReturnType("{self.entry.schema.name}", {tuple(names)})' if len(names) > 1 else ""

    @property
    def allowed(self) -> tuple[str, ...]:
        """The kinds of dtype that are allowed, empty when all are."""
        return () if len(self.entry.dtypes) == 4 else self.entry.dtypes

    @property
    def identity_kinds(self) -> str:
        """The letters of the kinds of dtype for which the op returns its input itself."""
        return "".join(kind[0] for kind in self.entry.identity)

    @property
    def accepts_number_first(self) -> bool:
        """Whether only the reflected operators may give a number for the first tensor."""
        first = self.arguments[0] if self.arguments else None
        return first is not None and first.type.is_tensor and self.entry.compute.kind == "elementwise"

    @property
    def matching(self) -> tuple[tuple[str, str, bool, bool], ...]:
        """What the dispatcher needs to know of each parameter."""
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
    def view_dtype(self) -> str:
        """The dtype of such a view, as an expression."""
        return "dtype" if self.has_dtype_argument else f"first._dtype.to_{self.entry.result_dtype[0]}()"

    @property
    def has_out(self) -> bool:
        return takes_out(self.entry)

    @property
    def inplace_arguments(self) -> tuple[Argument, ...]:
        """The arguments of the in-place function: what is written to comes first, wherever the schema has it."""
        return tuple(sorted(self.arguments, key=lambda a: a.name != "self"))

    def parameters(self, out: bool = False, method: bool = False, numpy: bool = False, inplace: bool = False) -> str:
        """The parameter list of the public function, or of the method (`self` first, wherever the schema has it)."""
        parts, starred = ["self"] if method else [], False
        for argument in self.inplace_arguments if inplace else self.arguments:
            if method and argument.name == "self":
                continue
            if argument.keyword_only and not starred:
                parts.append("*")
                starred = True
            default = "" if argument.default is None else f" = {argument.default}"
            if numpy and self.numpy_names and argument.name in possibly_missing(self.arguments):
                default = " = None"
            parts.append(f"{argument.python_name}: {self.parameter_hint(argument)}{default}")
        added = [f"out: {out_hint(self.entry)} = None"] if out and self.has_out else []
        added += [f"{theirs}: Any = None" for theirs, _ in self.numpy_names] if numpy else []
        return ", ".join([*parts, *(["*"] if added and not starred else []), *added])

    @property
    def numpy_names(self) -> tuple[tuple[str, str], ...]:
        """(NumPy's keyword, the schema's) of a public function of its own."""
        public = self.name == self.entry.schema.name and self.entry.variants != ("formula",)
        return numpy_names(self.arguments) if public else ()

    @property
    def passed(self) -> str:
        """The public function's arguments as a call of it hands them on."""
        return ", ".join(map(handed_on, self.arguments))

    def parameter_hint(self, argument: Argument) -> str:
        if argument.type.is_tensor and not argument.type.is_list and self.accepts_number(argument):
            return hint(argument.type).replace("Tensor", "Tensor | Number", 1)
        return hint(argument.type)

    def accepts_number(self, argument: Argument) -> bool:
        """Element-wise ops take Python numbers for every promoted tensor but the first."""
        first = next((a for a in self.arguments if a.type.is_tensor), None)
        return self.entry.compute.kind == "elementwise" and argument is not first and not self.is_raw(argument)

    def is_raw(self, argument: Argument) -> bool:
        formula = self.entry.gradients.get(argument.name)
        return formula is not None and formula.keyword == "non_differentiable"

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
    def gives_list(self) -> bool:
        """Whether the op returns a list of tensors."""
        return self.entry.schema.returns[0].type.is_list

    def check(self, argument: Argument, spelt: str = "", given: bool = False) -> str:
        """The expression that checks and normalises one argument, held in the variable `spelt`, not None if `given`."""
        type_ = argument.type
        name = _CHECKS[type_.base]
        shown = f'name, "{argument.python_name}", {spelt or argument.name}'
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

    @property
    def view(self) -> Part:
        """The function of a view's geometry."""
        return self.library["view", self.entry.compute.text]

    @cached_property
    def composite(self) -> CompositeCode:
        """How a composite is computed."""
        return CompositeCode(self)

    @property
    def requires_grad_condition(self) -> str:
        """Whether any differentiable input requires grad."""
        assert self.node is not None
        parts = []
        names = [a.name for a in self.node.arguments] + [n for n, _ in self.node.not_implemented]
        for name in names:
            argument = self.entry.schema.argument(name)
            assert argument is not None
            if argument.type.is_list:
                parts.append(f"needs_grad({name})")
            elif argument.type.optional:
                parts.append(f"({name} is not None and {name}._rg)")
            else:
                parts.append(f"{name}._rg")
        return " or ".join(parts)

    @property
    def has_dtype_argument(self) -> bool:
        return any(a.type.base == "ScalarType" for a in self.arguments)

    @property
    def fast(self) -> FastCode:
        """What native code may answer first."""
        return FastCode(self)

    @property
    def docs(self) -> DocCode:
        """The documentation of this overload alone."""
        return DocCode(self.name, (self,))
