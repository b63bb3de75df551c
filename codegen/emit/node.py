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
    def launches(self) -> bool:
        one = len(self.differentiable_outputs) == 1 or self._planned is not None
        return self.kernel is not None and one and not self.gives_list and bool(self.backward_reads)

    @cached_property
    def kernel_plan(self) -> Part | None:
        return self._planned if self.launches else None

    @cached_property
    def _planned(self) -> Part | None:
        return self.calls.library.get("plan", self.kernel.name) if self.kernel else None

    @cached_property
    def backward_reads(self) -> list[str]:
        call = ast.parse(self.plan.backward, mode="eval").body
        matches = [self.backward_read(operand) for operand in call.args]  # type: ignore[attr-defined]
        return matches if all(matches) else []

    def backward_read(self, operand: ast.expr) -> str:
        raw = {a.name for a in self.entry.tensor_arguments if a.name in self.entry.masks and a.type.optional}
        tensors = {t.name: f'("{"r" if t.name in raw else "k"}", "{t.slot}")' for t in self.backward_tensors}
        values = {v.name: v.slot for v in self.backward_values}
        each = ", ".join(f'("g", "", {i})' for i in self.differentiable_outputs)
        known = {"grad": '("g", "")', "grads": each, "output_mask": '("w", "")'} | tensors
        named = _names([code := ast.unparse(operand)])
        if named & known.keys():
            is_list = any(t.kind == "list" for t in self.backward_tensors if t.name in named)
            return known.get(code, "") if not is_list else self.listed_read(operand)
        read = sorted(named & values.keys())
        if not read:
            return f'("c", "", {code})' if isinstance(operand, ast.Constant) else ""
        made = "" if code == read[0] else f", lambda {read[0]}: {code}"
        return f'("v", "{values[read[0]]}"{made})' if len(read) == 1 else ""

    def listed_read(self, operand: ast.expr) -> str:
        lists = {t.name: f'("i", "{t.slot}")' for t in self.backward_tensors if t.kind == "list"}
        items = {a.name for a in self.entry.tensor_arguments if a.type.optional_items}
        code = ast.unparse(operand)
        call = ast.parse(self.plan.backward, mode="eval").body
        last = call.args[-1] is not None and ast.unparse(call.args[-1]) == code  # type: ignore[attr-defined]
        return lists.get(code, "") if self._planned and last and code in items else ""

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
    def slots(self) -> tuple[str, ...]:
        tensors = [s for t in self.plan.tensors for s in (t.slot, f"{t.slot}_version")]
        metas = ["output_metas"] if self.outputs > 1 else []
        metas += ["output_count", "output_metas"] if self.gives_list else []
        return tuple(sorted([*tensors, *(v.slot for v in self.plan.values), *metas]))

    @cached_property
    def recorded_arguments(self) -> tuple[str, ...]:
        output_mask = {a.name for a in self.arguments} | {t.name for t in self.plan.tensors}
        output_mask |= _names(value.source for value in self.plan.values)
        return tuple(a.name for a in self.entry.schema.arguments if a.name in output_mask)

    @cached_property
    def plain(self) -> bool:
        tensors = self.entry.tensor_arguments
        one_list = len(tensors) == 1 and self.takes_list and not self.plan.tensors
        before = tensors[:-1] if tensors and tensors[-1].type.optional_items else tensors
        single = (one_list and not tensors[0].type.optional_items) or not any(a.type.is_list for a in before)
        fits_native = max(len(self.plan.tensors), len(self.plan.values), len(self.arguments)) <= MAX_NODE_TENSORS
        fits = single and fits_native and not self.gives_list and bool(self.differentiable_outputs)
        return fits and all(known for known, _ in self.plain_values.values())

    @cached_property
    def plain_values(self) -> dict[str, tuple[str, str]]:
        results, arguments = {}, {a.name for a in self.entry.schema.arguments}
        for value in self.plan.values:
            match ast.parse(value.source, mode="eval").body:
                case ast.Name(id=name):
                    results[value.slot] = name, ""
                case ast.Attribute(value=ast.Name(id=name), attr=("_shape" | "_dtype") as part):
                    results[value.slot] = name, part
                case ast.IfExp(body=ast.Constant(None), orelse=ast.Attribute(value=ast.Name(id=name), attr="_shape")):
                    results[value.slot] = name, "_shape"  # None where the argument is
                case ast.Call(
                    func=ast.Name(id="tuple"),
                    args=[ast.ListComp(generators=[ast.comprehension(iter=ast.Name(id=name))])],
                ):
                    results[value.slot] = name, "shapes"
                case _:
                    results[value.slot] = "", ""
            if results[value.slot][0] not in arguments:  # what is read of the result: native code has no operand of it
                results[value.slot] = "", ""
        return results

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

    def keeps(self, saved: SavedTensor) -> str:
        needed = [a for a in self.arguments if a.name in saved.needed_by]
        if len(needed) == len(self.arguments):
            return ""
        optional = any(a.type.optional for a in needed)
        condition = "({0} is not None and {0}._requires_grad)" if optional else "{0}._requires_grad"
        return " or ".join(condition.format(a.name) for a in needed)

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
