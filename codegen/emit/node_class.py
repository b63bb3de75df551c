"""The class of a graph node as the templates of nodes/ lay it out: each step is a list of lines, perhaps empty.

`record.py.j2` puts a result into the graph; of `native.py.j2`, `fused.py.j2` and `kernel.py.j2` at most one gives the
gradients where nothing is recorded, `formula.py.j2` gives them wherever something is, and `tangent.py.j2` forward mode.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ..spec.model import Argument
from .calls import star_args
from .node import NodeCode
from .saved_tensors import SavedTensor


@dataclass(frozen=True)
class NodeClass:
    node: NodeCode

    @property
    def templates(self) -> Iterator[str]:
        yield "record"
        if self.node.plan.tensors:
            yield "release"
        if self.without_recording:
            yield self.without_recording
        yield "formula"
        if self.node.forward:
            yield "tangent"

    @property
    def without_recording(self) -> str:
        if self.node.fast:
            return "native"
        return "fused" if self.node.fused else "kernel" if self.node.plan.backward else ""

    @property
    def attributes(self) -> list[str]:
        node = self.node
        properties: dict[str, object] = {}
        if node.outputs > 1:
            properties["output_count"] = node.outputs
        if node.plan.tensors:
            properties["saved_slots"] = tuple(t.slot for t in node.plan.tensors)
            properties |= {"saved_outputs": node.saved_outputs} if node.saved_outputs else {}
        if node.entry.hooked:
            names = [a.name for a in node.arguments]
            first = [names.index(name) for name in node.entry.hooked]
            properties["hook_order"] = (*first, *(i for i in range(len(names)) if i not in first))
        if any(formula.keyword == "not_implemented" for formula in node.entry.forward.values()):
            properties["refuses_tangents"] = True
        lines = [f"{name} = {value!r}" for name, value in properties.items()]
        if node.by_result:
            lines.append(f"by_result = {node.by_result}")
        if node.fused or node.fast or (node.kernels is not None and node.plain):
            lines.append(f"elementwise = kernels.{node.entry.identifier.upper()}")
            lines += [f"fused = {node.fused}"] if node.fused or node.fast else []
        if node.launches:
            reads = ", ".join(node.backward_reads)
            plan = node.kernel_plan.spelling if node.kernel_plan else None
            kernel = node.kernel.spelling  # type: ignore[union-attr]
            lines.append(f"plans = KernelOpGradient({plan}, {kernel}, {reads})")
        return lines + (self._plain if node.plain else [])

    @property
    def _plain(self) -> list[str]:
        node = self.node
        properties: dict[str, object] = {"inputs": tuple(a.name for a in node.arguments)}
        properties |= {"keeps": node.keeps_what} if node.keeps_what else {}
        properties |= {"values": node.plain_values} if node.plan.values else {}
        properties |= {"differentiable": node.differentiable_outputs} if node.outputs > 1 else {}
        properties |= {"refuses": tuple(name for name, _ in node.not_implemented)} if node.not_implemented else {}
        hands_on = [f"hands_on = {node.hands_on_if}"] if node.hands_on_if else []
        return [f"{name} = {value!r}" for name, value in properties.items()] + hands_on

    @property
    def results(self) -> str:
        return "result" if self.node.outputs == 1 else "results"

    @property
    def recorded(self) -> str:
        return ", ".join([self.results, *self.node.recorded_arguments])

    @property
    def refused(self) -> list[str]:
        lines = []
        for name, why in self.node.not_implemented:
            message = f"{self.node.entry.name}(): no gradient for '{name}': {why}"
            refusal = f'    raise NotDifferentiableError("{message}")'
            lines += [f"if {name} is not None and {name}._requires_grad:", refusal]
        return lines

    @property
    def linked(self) -> list[str]:
        arguments = self.node.arguments
        if self.node.takes_list:
            each = f"for t in {arguments[0].name}])"
            return [f"node.metas = tuple([meta_of(t) {each}", f"node.edges = tuple([edge_of(t) {each}"]
        edges = star_args(map(self._edge, arguments))
        return [f"node.metas = ({star_args(map(_meta, arguments))})", f"node.edges = ({edges})"]

    def _edge(self, argument: Argument) -> str:
        name = argument.name
        if argument.type.optional:
            return f"None if {name} is None else edge_of({name})"
        only = len(self.node.arguments) == 1
        made_by = f"{name}._grad_fn or {name}"
        return made_by if only else f"({made_by}) if {name}._requires_grad else None"

    @property
    def retained(self) -> list[str]:
        values = [f"node.{value.slot} = {value.source}" for value in self.node.plan.values]
        for tensor in self.node.plan.tensors:
            lines = self._saved(tensor)
            if condition := self.node.keeps(tensor):
                lines = [f"node.{tensor.slot} = None", f"if {condition}:", *(f"    {line}" for line in lines)]
            values += lines
        return values

    def _saved(self, tensor: SavedTensor) -> list[str]:
        slot, name = f"node.{tensor.slot}", tensor.name
        if tensor.kind == "list":
            return [f"{slot} = {name}", f"{slot}_version = [0 if t is None else version_of(t) for t in {name}]"]
        if tensor.kind == "output":
            output = "result" if self.node.outputs == 1 else f"results[{tensor.index}]"
            if tensor.slot in self.node.saved_outputs:
                return [f"{slot} = saved = alias_of({output})", f"{slot}_version = saved._version_counter[0]"]
            return [f"{slot} = saved = {output}", f"{slot}_version = {_version('saved')}"]
        argument = self.node.entry.schema.argument(name)
        optional = argument is not None and argument.type.optional
        version = f"0 if {name} is None else version_of({name})" if optional else _version(name)
        return [f"{slot} = {name}", f"{slot}_version = {version}"]

    @property
    def outputs(self) -> list[str]:
        node = self.node
        if node.gives_list:
            return [
                "node.output_count = len(result)",
                "node.output_metas = [meta_of(t) for t in result]",
                "for index, t in enumerate(result):",
                "    t._grad_fn = node if len(result) == 1 else Output(node, index)",
                "    t._requires_grad = True",
            ]
        if node.outputs == 1:
            return ["result._grad_fn = node", "result._requires_grad = True"]
        metas = star_args(f"(results[{i}]._shape, results[{i}]._dtype)" for i in range(node.outputs))
        lines = [f"node.output_metas = ({metas})"]
        for i in node.differentiable_outputs:
            lines += [f"results[{i}]._grad_fn = Output(node, {i})", f"results[{i}]._requires_grad = True"]
        return lines

    @property
    def grads(self) -> str:
        return "grads" if self.node.outputs > 1 or self.node.gives_list else "grad"

    @property
    def has_multiple_outputs(self) -> bool:
        return len(self.node.differentiable_outputs) > 1 or self.node.gives_list

    @property
    def _value(self) -> str:
        return "grads" if self.has_multiple_outputs else "grad"

    @property
    def only_grad(self) -> list[str]:
        if self.grads == "grad" or self.has_multiple_outputs:
            return []
        nothing = f"    return (None,) * {len(self.node.arguments)}"
        return [f"grad = grads[{self.node.differentiable_outputs[0]}]", "if grad is None:", nothing]

    @property
    def native_else(self) -> str:
        if self.node.always_hands_on:
            return "node.formula(grad)"
        recorded = f"grad_mode.grad or {self.node.hands_on}" if self.node.hands_on else "grad_mode.grad"
        return f"node.formula(grad) if {recorded} else run_fused(node, grad)"

    @property
    def _one(self) -> bool:
        return len(self.node.arguments) == 1 and not self.node.takes_list

    @property
    def _provided_args(self) -> str:
        return "given" if self.node.gives_list else "grads"

    @property
    def dtype_known(self) -> list[str]:
        lines = ["given = [grads] if node.output_count == 1 else grads"] if self.node.gives_list else []
        lines.append(f"dtype = {f'dtype_of({self._provided_args})' if self.has_multiple_outputs else 'grad._dtype'}")
        lines += ["shape, own = node.metas[0]"] if self._one else []
        other = "own is not dtype or not dtype.is_floating_point" if self._one else "not all_floats(node.metas, dtype)"
        watched = "grad_mode.grad or watch.active or watch.interceptors"
        return [*lines, f"if {watched} or {other}:", f"    return node.formula({self.grads})"]

    @property
    def planned(self) -> list[str]:
        if not self.node.launches:
            return []
        result = f"(found := node.plans.gradients(node, {self.grads})) is not None"
        where = "" if self.node.kernel_plan else "grad._device is not CPU and "
        result = f"({result}) or (node.plans.remember(node, {self._value}) and ({result}))"
        return [f"if {where}({result}):" if where else f"if {result}:", "    return found"]

    @property
    def arrays(self) -> list[str]:
        node = self.node
        one, retained = ("stored_in", "stored_of") if node.entry.stored else ("array_in", "array_of")
        arrays = f"grads = arrays_in({self._provided_args}, dtype)"
        lines = [arrays if self.has_multiple_outputs else f"grad = {one}(grad, dtype)"]
        lines += [f"{value.name} = node.{value.slot}" for value in node.backward_values]
        for t in node.backward_tensors:
            array, read = ("arrays_of", "unpack_list") if t.kind == "list" else (retained, "unpack")
            lines.append(f'{t.name} = {array}({read}(node, "{t.slot}"), dtype)')
        output_mask = "output_mask" in node.plan.backward
        return lines + (["output_mask = tuple([edge is not None for edge in node.edges])"] if output_mask else [])

    @property
    def by_kernel(self) -> list[str]:
        kernel = self.node.kernel.spelling  # type: ignore[union-attr]
        call = f"at_array({self._value}, {kernel}){self.node.plan.backward.removeprefix(kernel)}"
        if self._one:
            return [f"return (as_gradient({call}, shape, dtype),)"]
        line = f"return as_gradients({call}, node.metas, dtype)"
        if not any(len(t.needed_by) < len(self.node.arguments) for t in self.node.backward_tensors):
            return [line]
        return ["try:", f"    {line}", "except Exception as error:", "    raise_unsaved(node, error)", "    raise"]

    @property
    def formula(self) -> str:
        return "formula" if self.without_recording else "apply"

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


def _meta(argument: Argument) -> str:
    meta = f"({argument.name}._shape, {argument.name}._dtype)"
    return f"None if {argument.name} is None else {meta}" if argument.type.optional else meta


def _version(name: str) -> str:
    return f"0 if (version := {name}._version_counter) is None else version[0]"
