"""The graph node of an entry, as data for the templates of nodes/."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ..library.op_library import Part
from ..proof.scalar_code import number_arguments
from ..spec.definitions import substituted
from ..spec.formula import names_in
from ..spec.model import Argument, Entry
from .elementwise_kernels import ElementKernels, hands_on, is_integer_argument, is_plain_number
from .forward_mode import forward_lines
from .saved_tensors import Calls, NodePlan, SavedTensor, SavedValue, Shared, make_plan

NATIVE_PARTS = ("", "_shape", "_dtype", "shapes")  # of values that native code keeps
MAX_NODE_TENSORS = 12  # tensors and values that a node keeps, and edges, which native code writes down


@dataclass(frozen=True)
class NodeCode:
    entry: Entry
    calls: Calls
    kernels: ElementKernels | None

    @cached_property
    def plan(self) -> NodePlan:
        return make_plan(self.entry, self.calls)

    @cached_property
    def class_name(self) -> str:
        return self._class_of(self.entry.name)

    @property
    def by_result(self) -> str:
        """The class whose nodes stand for this one's where the operand was written to since; a mutant has none."""
        other = self.entry.if_written
        return self._class_of(other) if other in self.calls.own else ""

    def _class_of(self, entry: str) -> str:
        phrases = entry.partition(".")[0].strip("_").split("_")
        camel = "".join(w[:1].upper() + w[1:] for w in phrases)
        return f"{camel}Backward{self.calls.overload_numbers[entry]}"

    @cached_property
    def arguments(self) -> tuple[Argument, ...]:
        return tuple(a for a in self.entry.schema.arguments if a.name in self.plan.formulas)

    @cached_property
    def takes_list(self) -> bool:
        return len(self.arguments) == 1 and self.arguments[0].type.is_list

    @cached_property
    def not_implemented(self) -> tuple[tuple[str, str], ...]:
        result = ((n, f) for n, f in self.entry.gradients.items() if f.keyword == "not_implemented")
        return tuple((n, f.why) for n, f in result)

    @cached_property
    def backward_tensors(self) -> tuple[SavedTensor, ...]:
        return tuple(t for t in self.plan.tensors if t.name in self.plan.backward_reads)

    @cached_property
    def backward_values(self) -> tuple[SavedValue, ...]:
        return tuple(v for v in self.plan.values if v.name in self.plan.backward_reads)

    @cached_property
    def kernel(self) -> Part | None:
        tree = self.entry.backward.tree if self.entry.backward else None
        return None if tree is None else self.calls.library["kernel", tree.func.id]  # type: ignore[attr-defined]

    @cached_property
    def by_kernel(self) -> bool:
        return self.kernel is not None and not self.fast and not self.fused

    @cached_property
    def kernel_plan(self) -> Part | None:
        return self.calls.library.get("plan", self.kernel.name) if self.kernel else None

    @cached_property
    def backward_reads(self) -> list[str]:
        """What the kernel for backward takes, as `KernelOpGradient` is told it."""
        call = ast.parse(self.plan.backward, mode="eval").body
        operands = call.args  # type: ignore[attr-defined]
        return [self.backward_read(operand, operand is operands[-1]) for operand in operands]

    def backward_read(self, operand: ast.expr, is_last: bool) -> str:
        raw = {a.name for a in self.entry.tensor_arguments if a.name in self.entry.masks and a.type.optional}
        items = {a.name for a in self.entry.tensor_arguments if a.type.optional_items}
        tensors = {t.name: t for t in self.backward_tensors}
        values = {v.name: v.slot for v in self.backward_values}
        code = ast.unparse(operand)
        match operand:
            case ast.Name("grad"):
                return '("g", "")'
            case ast.Name("grads"):
                return ", ".join(f'("g", "", {i})' for i in self.differentiable_outputs)
            case ast.Name("output_mask"):
                return '("w", "")'
            case ast.Name(name) if name in tensors:
                if tensors[name].kind == "list":
                    return f'("{"i" if is_last and name in items else "l"}", "{tensors[name].slot}")'
                return f'("{"r" if name in raw else "k"}", "{tensors[name].slot}")'
            case ast.Name(name) if name in values:
                return f'("v", "{values[name]}")'
            case ast.Constant():
                return f'("c", "", {code})'
        slots = {"grad": "", **{name: tensor.slot for name, tensor in tensors.items()}, **values}
        read = sorted(_names([code]) & slots.keys())
        if len(read) == 1 and read[0] in values:
            return f'("v", "{values[read[0]]}", lambda {read[0]}: {code})'
        return f'("e", {tuple(slots[name] for name in read)!r}, lambda {", ".join(read)}: {code})'

    @cached_property
    def differentiable_outputs(self) -> tuple[int, ...]:
        return tuple(i for i, yes in enumerate(self.entry.output_differentiability) if yes)

    @cached_property
    def outputs(self) -> int:
        return len(self.entry.schema.returns)

    @cached_property
    def gives_list(self) -> bool:
        return self.entry.schema.returns[0].type.is_list

    @cached_property
    def plain(self) -> bool:
        tensors = self.entry.tensor_arguments
        one_list = len(tensors) == 1 and self.takes_list and not self.plan.tensors
        before = tensors[:-1] if tensors and tensors[-1].type.optional_items else tensors
        single = (one_list and not tensors[0].type.optional_items) or not any(a.type.is_list for a in before)
        fits_native = max(len(self.plan.tensors), len(self.plan.values), len(self.arguments)) <= MAX_NODE_TENSORS
        fits = single and fits_native and not self.gives_list and bool(self.differentiable_outputs)
        return fits and all(v.part in NATIVE_PARTS for v in self.plan.values)

    @cached_property
    def values(self) -> dict[str, tuple[str, str]]:
        return {value.slot: (value.source, value.part) for value in self.plan.values}

    @cached_property
    def keeps_what(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        names = [a.name for a in self.arguments]
        return {
            t.slot: (f"output {t.index}" if t.kind == "output" else t.name, tuple(n for n in names if n in t.needed_by))
            for t in self.plan.tensors
        }

    @cached_property
    def hands_on_if(self) -> str:
        """True where every gradient is that of the result; the slot of the number that must be 1 for it; else empty."""
        if self._all_grad and not self.plan.backward:
            return "True"
        tree = ast.parse(self.hands_on or "0", mode="eval").body
        match tree:
            case ast.Compare(ast.Attribute(attr=slot), [ast.Eq()], [ast.Constant(1)]):
                return repr(slot)
        return ""

    def is_saved_for_some(self, saved: SavedTensor) -> bool:
        """Whether it is kept only where certain arguments require grad."""
        return len(saved.needed_by) < len(self.arguments)

    def unpack(self, saved: SavedTensor) -> str:
        if saved.slot in self.saved_outputs:
            index = f", {saved.index}" if self.outputs > 1 else ""
            return f'unpack_output(node, "{saved.slot}"{index})'
        return f'unpack_list(node, "{saved.slot}")' if saved.kind == "list" else f'unpack(node, "{saved.slot}")'

    @cached_property
    def formulas_shown(self) -> str:
        used = [shared.name for shared in self.plan.shared if shared.name in self.entry.definitions]
        defined = [f"{name} = {self.entry.definitions[name].text}" for name in used]
        formulas = [f"{name}: {self.entry.gradients[name].text}" for name in self.plan.formulas]
        return "; ".join([*formulas, *defined])

    @cached_property
    def formula_reads(self) -> frozenset[str]:
        return frozenset(_names([*self.plan.formulas.values(), *(s.source for s in self.plan.shared)]))

    def value_of(self, shared: Shared) -> str:
        if len(shared.formulas) == len(self.arguments):
            return shared.source
        numbers = [i for i, argument in enumerate(self.arguments) if argument.name in shared.formulas]
        is_choice = isinstance(ast.parse(shared.source, mode="eval").body, ast.IfExp)
        source = f"({shared.source})" if is_choice else shared.source
        return f"{source} if {' or '.join(f'node.edges[{i}] is not None' for i in numbers)} else None"

    @cached_property
    def saved_outputs(self) -> dict[str, int]:
        outputs = (t for t in self.plan.tensors if t.kind == "output" and t.index in self.differentiable_outputs)
        return {t.slot: t.index for t in outputs}

    @cached_property
    def forward(self) -> list[str] | None:
        return forward_lines(self.entry, self.calls)

    @cached_property
    def fused(self) -> dict[int, tuple[tuple[str, ...], tuple[str, ...]]]:
        kernels = self.kernels.backward if self.kernels else {}
        return {
            mask: (tuple(f"kept_{n}" for n in kernel.arrays[1:]), tuple(f"_saved_{n.name}" for n in kernel.numbers))
            for mask, kernel in kernels.items()
        }

    @cached_property
    def fast(self) -> bool:
        simple = (bool(self.fused) or self.always_hands_on) and len(self.arguments) <= 2
        return simple and all(is_plain_number(n) or is_integer_argument(n) for n in number_arguments(self.entry))

    @cached_property
    def always_hands_on(self) -> bool:
        return self.kernels is not None and self._all_grad

    @cached_property
    def _all_grad(self) -> bool:
        return hands_on(self.entry.gradients[name] for name in self.plan.formulas)

    @cached_property
    def hands_on(self) -> str:
        """When every formula is just `grad`: the condition on number arguments that these state; empty for never."""
        names = (a.name for a in number_arguments(self.entry))
        retained = {name: ast.parse(f"node._saved_{name}", mode="eval").body for name in names}
        tests = []
        for name in self.plan.formulas:
            tree = self.entry.gradients[name].tree
            if isinstance(tree, ast.IfExp):
                if names_in(tree.test) - retained.keys():
                    return ""
                tests.append(ast.unparse(substituted(tree.test, retained)))
                tree = tree.body
            if not (isinstance(tree, ast.Name) and tree.id == "grad"):
                return ""
        return " and ".join(dict.fromkeys(tests))


def _names(sources: Iterable[str]) -> set[str]:
    return names_in(*(ast.parse(source, mode="eval") for source in sources))
