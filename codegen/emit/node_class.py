"""The class of a graph node as the templates of nodes/ lay it out: each step is a list of lines, perhaps empty.

Its base class (runtime/dispatch/recorded_node.py and others) records it by what it states of itself, and gives the
gradients where a kernel does; `formula.py.j2` gives them wherever they are recorded, and `tangent.py.j2` forward mode.
"""

from dataclasses import dataclass

from .node import NodeCode


@dataclass(frozen=True)
class NodeClass:
    node: NodeCode

    @property
    def base(self) -> str:
        if self.node.fast:
            return "ElementwiseNode"
        if self.node.fused:
            return "FusedNode"
        return "KernelNode" if self.node.by_kernel else "RecordedNode"

    @property
    def attributes(self) -> list[str]:
        node, names = self.node, [a.name for a in self.node.arguments]
        multiple, first = node.outputs > 1, [names.index(name) for name in node.entry.hooked]
        properties: dict[str, object] = {
            "output_count": node.outputs if multiple else None,
            "differentiable": node.differentiable_outputs if multiple else None,
            "is_view": node.entry.compute.kind == "view" or None,
            "gives_list": node.gives_list or None,
            "arguments": tuple(a.name for a in node.entry.schema.arguments),
            "inputs": tuple(names),
            "lists": tuple(a.name for a in node.entry.tensor_arguments if a.type.is_list) or None,
            "keeps": node.keeps_what or None,
            "values": node.values or None,
            "refuses": dict(node.not_implemented) or None,
            "hook_order": (*first, *(i for i in range(len(names)) if i not in first)) if first else None,
            "refuses_tangents": any(f.keyword == "not_implemented" for f in node.entry.forward.values()) or None,
            "stored": (node.by_kernel and node.entry.stored) or None,
        }
        return [f"{name} = {value!r}" for name, value in properties.items() if value is not None] + self._kernels

    @property
    def _kernels(self) -> list[str]:
        node = self.node
        lines = [f"by_result = {node.by_result}"] if node.by_result else []
        if node.fused or node.fast or (node.kernels is not None and node.plain):
            lines.append(f"elementwise = kernels.{node.entry.identifier.upper()}")
            lines += [f"fused = {node.fused}"] if node.fused else []
        if node.by_kernel:
            reads = ", ".join(node.backward_reads)
            plan = node.kernel_plan.spelling if node.kernel_plan else None
            kernel = node.kernel.spelling  # type: ignore[union-attr]
            lines.append(f"plans = KernelOpGradient({plan}, {kernel}, {reads})")
        return lines + ([f"hands_on = {node.hands_on_if}"] if node.plain and node.hands_on_if else [])

    @property
    def grads(self) -> str:
        return "grads" if self.node.outputs > 1 or self.node.gives_list else "grad"

    @property
    def has_multiple_outputs(self) -> bool:
        return len(self.node.differentiable_outputs) > 1 or self.node.gives_list

    @property
    def only_grad(self) -> list[str]:
        if self.grads == "grad" or self.has_multiple_outputs:
            return []
        nothing = f"    return (None,) * {len(self.node.arguments)}"
        return [f"grad = grads[{self.node.differentiable_outputs[0]}]", "if grad is None:", nothing]

    @property
    def formula(self) -> str:
        return "apply" if self.base == "RecordedNode" else "formula"

    @property
    def all_grads(self) -> list[str]:
        if self.grads == "grad" or self.only_grad:
            return self.only_grad
        value = "[grads] if node.output_count == 1 else grads" if self.node.gives_list else "grads"
        return [f"grads = [missing_output(node, i, grads) if g is None else g for i, g in enumerate({value})]"]

    @property
    def by_result(self) -> list[str]:
        test = "if (other := by_result(node)) is not None:"
        return [test, "    return other.formula(grad)"] if self.node.by_result else []

    @property
    def read(self) -> list[str]:
        node, plan = self.node, self.node.plan
        values = [f"{v.name} = node.{v.slot}" for v in plan.values if v.name in node.formula_reads]
        tensors = [f"{t.name} = {node.unpack(t)}" for t in plan.tensors if t.name in node.formula_reads]
        return [*values, *tensors, *(f"{shared.name} = {node.value_of(shared)}" for shared in plan.shared)]

    @property
    def gradients(self) -> list[str]:
        node, formulas = self.node, self.node.plan.formulas
        first = formulas[node.arguments[0].name]
        if node.takes_list:
            return [f"return node.fitted({first})"]
        if len(node.arguments) == 1:
            return [f"return node.fitted([{first}])" if node.fast else f"return (fit({first}, node.metas[0]),)"]
        lines = []
        for i, argument in enumerate(node.arguments):
            output_mask = [f"if node.edges[{i}] is not None:", f"    grad_{i} = {formulas[argument.name]}"]
            lines += [f"grad_{i} = None", *output_mask]
        return [*lines, f"return node.fitted([{', '.join(f'grad_{i}' for i in range(len(node.arguments)))}])"]

    @property
    def tangent_parameters(self) -> str:
        primals = [a.name for a in self.node.entry.schema.arguments]
        return ", ".join(["result", *primals, *(f"{a.name}_t" for a in self.node.arguments)])
