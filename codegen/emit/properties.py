"""What is known of an entry where code is made of it: each fact is found once, and all emitters ask the same record."""

import ast
from dataclasses import dataclass
from functools import cached_property

from ..library.op_library import Library, Part
from ..proof.scalar_code import number_arguments
from ..spec.model import Argument, Entry, Type
from ..spec.names import FROM_NUMBERS, numpy_names
from .elementwise_kernels import ElementKernels
from .node import NodeCode
from .saved_tensors import Calls

# How a batch of calls is computed where the entry does not say: see runtime/extensions/vmap.
FAMILY_RULES = {"elementwise": "elementwise", "view": "along", "composite": "composite", "kernel": "loop"}


@dataclass(frozen=True)
class Properties:
    """An entry with its node, its kernels and its hand-written parts, and what follows from these."""

    entry: Entry
    node: NodeCode | None
    kernels: ElementKernels | None
    calls: Calls
    library: Library
    origin: str = ""  # the module of the functions of a base's entry, as the modules of ops/ have it

    @cached_property
    def name(self) -> str:
        return self.calls.functions[self.entry.name]

    @cached_property
    def is_shown(self) -> bool:
        return self.name == self.entry.schema.name and self.entry.variants != ("formula",)

    # Arguments

    @property
    def arguments(self) -> tuple[Argument, ...]:
        return self.entry.schema.arguments

    @cached_property
    def tensors(self) -> tuple[Argument, ...]:
        return self.entry.tensor_arguments

    @cached_property
    def numbers(self) -> tuple[Argument, ...]:
        return tuple(number_arguments(self.entry))

    @cached_property
    def inplace_arguments(self) -> tuple[Argument, ...]:
        return tuple(sorted(self.arguments, key=lambda a: a.name != "self"))

    @cached_property
    def numpy_names(self) -> tuple[tuple[str, str], ...]:
        return numpy_names(self.arguments) if self.is_shown else ()

    @cached_property
    def has_dtype_argument(self) -> bool:
        return any(a.type.base == "ScalarType" for a in self.arguments)

    @cached_property
    def memory_format(self) -> Argument | None:
        return next((a for a in self.arguments if a.type.base == "MemoryFormat"), None)

    @cached_property
    def is_variadic(self) -> bool:
        types = [a.type for a in self.arguments[1:] if not a.keyword_only]
        return types == [Type("int", is_list=True)]

    @cached_property
    def starts_with_number(self) -> bool:
        return self.entry.operator in FROM_NUMBERS

    def accepts_number(self, argument: Argument) -> bool:
        first = next((a for a in self.arguments if a.type.is_tensor), None)
        behind = argument is not first or self.starts_with_number
        return self.entry.compute.kind == "elementwise" and behind and not self.is_raw(argument)

    def is_raw(self, argument: Argument) -> bool:
        return argument.name in self.entry.masks

    @cached_property
    def raw(self) -> tuple[bool, ...]:
        flags = tuple(self.is_raw(a) for a in self.tensors)
        return flags if any(flags) else ()

    @cached_property
    def matching(self) -> tuple[tuple[str, str, bool, bool], ...]:
        return tuple((a.python_name, self.match_type(a), a.default is None, a.keyword_only) for a in self.arguments)

    def match_type(self, argument: Argument) -> str:
        type_ = argument.type
        base = "Operand" if type_.is_tensor and not type_.is_list and self.accepts_number(argument) else type_.base
        if type_.is_list:
            inner = "?" if type_.optional_items else ""
            base = f"{base}{inner}[{'' if type_.size is None else type_.size}]"
        return base + ("?" if type_.optional else "")

    # Results

    @cached_property
    def has_multiple_outputs(self) -> bool:
        return len(self.entry.schema.returns) > 1

    @cached_property
    def gives_list(self) -> bool:
        return self.entry.schema.returns[0].type.is_list

    @cached_property
    def names_outputs(self) -> bool:
        if self.entry.compute.kind != "composite":
            return self.has_multiple_outputs
        tree = self.entry.compute.written or self.entry.compute.tree
        unnamed = any(output.name == "result0" for output in self.entry.schema.returns)
        return self.has_multiple_outputs and not unnamed and tree is not None and _gives_tuple(tree)

    @cached_property
    def has_inplace(self) -> bool:
        return "inplace" in self.entry.variants

    @cached_property
    def writes_first(self) -> bool:
        return bool(self.arguments) and self.arguments[0].type.writes

    @cached_property
    def has_out(self) -> bool:
        entry = self.entry
        types = [r.type for r in entry.schema.returns]
        types_fit = all(t.is_tensor and not t.is_list and t.alias is None for t in types)
        from_flat = entry.compute.kind != "view" and types_fit
        offered = "function" in entry.variants and (entry.namespace != "nn.functional" or entry.takes_out)
        return from_flat and offered and not self.writes_first

    @cached_property
    def retypes(self) -> bool:
        return self.entry.compute.kind == "view" and (self.has_dtype_argument or self.entry.result_dtype[0] != "same")

    @cached_property
    def moves(self) -> int | None:
        tree, names = self.entry.compute.tree, [a.name for a in self.tensors]
        return names.index(tree.id) if isinstance(tree, ast.Name) and tree.id in names else None

    @cached_property
    def may_share(self) -> str:
        """How operands may lie in the memory that is written to (`before_write`); kernels with indices still read."""
        if self.entry.compute.kind != "kernel":
            return "full"
        return "none" if self.raw else "overlap"

    @cached_property
    def allowed(self) -> tuple[str, ...]:
        return () if len(self.entry.dtypes) == 4 else self.entry.dtypes

    # Hand-written parts

    @cached_property
    def rule(self) -> Part | None:
        return self.library["check", self.entry.check] if self.entry.check else None

    @cached_property
    def batch_rule(self) -> str:
        return self.entry.batch or FAMILY_RULES[self.entry.compute.kind]

    @cached_property
    def own_rule(self) -> Part | None:
        part = self.library.get("batching rule", self.batch_rule)
        return part if part is not None and part.op_library.label else None

    @cached_property
    def inplace_formula(self) -> Part | None:
        is_composite = self.entry.compute.kind == "composite" and self.has_inplace
        return self.library.writers.get(("helper", self.entry.schema.name)) if is_composite else None

    @cached_property
    def writer(self) -> Part | None:
        is_kernel = self.entry.compute.kind == "kernel" and not self.has_multiple_outputs
        named = self.has_inplace and is_kernel
        return self.library.writers.get(("kernel", self.entry.compute.text)) if named else None

    @cached_property
    def plan(self) -> Part | None:
        return self.library.get("plan", self.entry.compute.text)

    @cached_property
    def plan_in_place(self) -> Part | None:
        if self.writer is not None:
            return self.library.get("plan", self.writer.name)
        moves = self.writes_first and self.moves is not None
        return self.library.get("plan", self.entry.schema.name) if moves else None


def _gives_tuple(tree: ast.expr) -> bool:
    if isinstance(tree, ast.IfExp):
        return _gives_tuple(tree.body) or _gives_tuple(tree.orelse)
    return isinstance(tree, ast.Tuple)
