"""`python -m codegen explain OP`: what the generator knows and decides about one op, and where all of it stands."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ..emit.calls import part_of
from ..emit.elementwise_kernels import ElementKernels
from ..emit.node import NodeCode
from ..emit.render import Renderer, has_node
from ..language.row_programs import Program
from ..language.syntax import did_you_mean
from ..library.kernels import RowPart, loops, programs_named
from ..programs.passes import Lowered
from ..spec.formula import functions_in
from ..spec.model import Entry
from ..spec.reference import statements
from .op_text import on_cuda, one_line

CHECKS = (
    "values against the reference, and the calls that are refused",
    "slopes against differences, first and second order",
    "forward mode against reverse",
    "every subset of inputs that require grad and of missing output gradients",
    "fused kernels against the formulas",
    "in-place variant, strided operands, dtypes and shapes of results",
    "integers against the same numbers as floats, what `dtype_table` and `replaces` state",
)


class UnknownOp(LookupError):
    """There is no op of that name; the message names the nearest."""


def explanation(renderer: Renderer, name: str, root: Path | None = None) -> str:
    entries = [e for e in renderer.spec.entries if name in (e.name, *e.names)]
    if not entries:
        known = {n for e in renderer.spec.entries for n in (e.name, *e.names)}
        raise UnknownOp(f"there is no op named '{name}'{did_you_mean(name, known)}")
    return "\n\n".join("\n".join(lines(renderer, entry, root)) for entry in entries)


def lines(renderer: Renderer, entry: Entry, root: Path | None) -> Iterator[str]:
    yield entry.schema.text
    yield f"    {one_line(entry.doc)}" if entry.doc else "    (no doc)"
    yield field("spec", entry.where)
    if entry.section is not None:
        yield field("section", f"{entry.section.title} ({entry.section.where})")
        yield from (field("", f"gives {key} ({entry.key_locations[key]})") for key in entry.inherited)
    if entry.variants == ("formula",):
        yield field("part of", part_of(entry, renderer.callers) or "what the runtime calls")
    else:
        yield field("variants", ", ".join(variants(entry)))
    yield field("computed", computed(renderer, entry))
    if entry.rows is not None:
        yield from format_program(entry.rows, "rows")
    elif entry.indexed is not None:
        yield from (field("indexed" * (k == 0), line) for k, line in enumerate(entry.indexed.lines))
    elif entry.compute.kind == "kernel":
        yield field("on CUDA", on_cuda(renderer, entry))
        for program in programs_named(renderer.library["kernel", entry.compute.text], renderer.library.programs):
            yield from format_program(program, f"by {program.name}")
    node = renderer.nodes.get(entry.name)
    if node is not None and node.kernel is not None:
        for program in programs_named(node.kernel, renderer.library.programs):
            yield from format_program(program, f"backward by {program.name}")
    yield from (field("where", f"{n} = {one_line(d.text)} ({d.where})") for n, d in entry.definitions.items())
    yield from (field("reference", line) for line in statements(entry.reference))
    yield field("dtypes", dtypes(entry))
    if entry.check:
        yield field("arguments", f"checked by {entry.check} ({renderer.library['check', entry.check].location})")
    yield from node_lines(renderer, entry)
    yield from kernel_lines(renderer, entry.compute.text if entry.compute.kind == "kernel" else "", "")
    yield from kernel_lines(renderer, node.kernel.name if node and node.kernel else "", ", backward")
    formulas = (*entry.definitions.values(), *entry.gradients.values(), *entry.forward.values())
    trees = [entry.compute.tree, *(formula.written or formula.tree for formula in formulas)]
    called = functions_in(*(tree for tree in trees if tree is not None))
    yield from placed(renderer, "helper", "helper", called)
    for other in renderer.spec.entries:
        if other.schema.name in called and other is not entry:
            yield field("calls", f"{other.name} ({other.where})")
    yield from placed(renderer, "batching", "batching rule", [entry.batch or ""])
    family = family_of(renderer, entry)
    starts = {f"ops/{family}.py": f"def {entry.schema.name}("}
    if has_node(entry):
        starts[f"nodes/{family}.py"] = f"class {renderer.nodes[entry.name].class_name}("
    for file, start in starts.items():
        line = None if root is None else line_of(root / file, start)
        if line is not None and root is not None:
            yield field("generated", f"{root.name}/{file}:{line} ({start.rstrip('(')})")
    yield from check_lines(entry)


def field(name: str, value: object) -> str:
    return f"  {name:11s}{value}"


def variants(entry: Entry) -> Iterator[str]:
    name = entry.schema.name
    if "function" in entry.variants:
        yield f"{entry.namespace}.{name}" if entry.namespace else name
    if "method" in entry.variants:
        yield f"Tensor.{name}"
    if "inplace" in entry.variants:
        yield f"{name}_"
    if entry.operator:
        yield f"operator {entry.operator}"
    yield from (f"alias {alias}" for alias in entry.aliases)


def family_of(renderer: Renderer, entry: Entry) -> str:
    return next(name for name, codes in renderer.families.items() if any(code.entry is entry for code in codes))


def computed(renderer: Renderer, entry: Entry) -> str:
    compute = entry.compute
    text = one_line(compute.text)
    if compute.kind == "elementwise":
        number = renderer.kernels[entry.name].number
        also = "" if number is None else f"; {number.name} where {number.parameters[1]} is a number"
        family = family_of(renderer, entry)
        files = f"{entry.identifier}_* in kernels/cpu/{family}.py and kernels/cuda/{family}.py"
        return f"element by element: {text} ({files}){also}"
    if compute.kind == "kernel":
        return f"by the kernel {text} ({renderer.library['kernel', text].location})"
    if compute.kind == "view":
        return f"as a view: {text} ({renderer.library['view', text].location}), no element is touched"
    return f"from other ops: {text}"


def format_program(program: Program, what: str) -> Iterator[str]:
    yield from (field("row program" if k == 0 else "", f" {line}") for k, line in enumerate((what, *program.lines)))
    lowered = Lowered(program)
    for number, each in enumerate(lowered.passes, 1):
        folds = ", ".join(f"{fold.op}({ast.unparse(fold.operand)})" for fold in each.folds)
        yield field("", f" pass {number}: {folds}")
    if lowered.rows:
        yield field("", f" pass {len(lowered.passes) + 1}: writes {', '.join(lowered.rows)}")


def dtypes(entry: Entry) -> str:
    if entry.compute.kind == "composite":
        return "those of the ops that it is made of"
    results = ", ".join(entry.result_dtype)
    return f"computes by the rule '{entry.dtype}', for {', '.join(entry.dtypes)}; results: {results}"


def node_lines(renderer: Renderer, entry: Entry) -> Iterator[str]:
    if not has_node(entry):
        composite = entry.compute.kind == "composite"
        yield field("node", "none: the graph holds the ops it is made of" if composite else "none: not differentiable")
        return
    node = renderer.nodes[entry.name]
    yield field("node", node.class_name)
    for argument, formula in entry.gradients.items():
        source = one_line(formula.text)
        expression = "slope_of" if entry.derivative_of else "the expression"
        origin = f"derived from {expression}" if formula.derived else formula.where
        yield field("gradient", f"of {argument}: {source} ({origin})")
        if formula.tree is not None:
            yield field("", f"reads {', '.join(node.plan.reads[argument]) or 'nothing that is saved'}")
    for saved in node.plan.tensors:
        what = "the input" if saved.kind == "input" else "the inputs" if saved.kind == "list" else "the output"
        needs = " or ".join(saved.needed_by)
        when = "only when grad is required by" if node.is_saved_for_some(saved) else "for"
        yield field("saves", f"{what} {saved.name}, {when} {needs}")
    yield from (field("saves", f"{value.text}, a plain value") for value in node.plan.values)
    if entry.backward is not None and node.kernel is not None:
        called = f"{one_line(entry.backward.text)} ({node.kernel.location})"
        yield field("backward", f"by one kernel unless it is recorded: {called}")
    yield from fused_lines(node, renderer.kernels.get(entry.name))
    if not entry.forward:
        yield field("forward", "no forward mode")
    for output, formula in entry.forward.items():
        yield field("forward", f"{output}: {one_line(formula.text)} ({formula.where})")


def kernel_lines(renderer: Renderer, kernel: str, direction: str) -> Iterator[str]:
    plan = renderer.library.get("plan", kernel)
    if plan is not None:
        yield field("plan", f"{kernel} ({plan.location}){direction}")
    start = plan or renderer.library.get("kernel", kernel)
    if isinstance(start, RowPart):
        yield field("loops", f"over rows, and over columns side by side ({start.shown}){direction}")
        return
    for loop in [] if start is None else loops(start):
        yield field("loop", f"{loop.name} ({loop.location}){direction}")


def placed(renderer: Renderer, label: str, kind: str, names: list[str]) -> Iterator[str]:
    for name in names:
        if (part := renderer.library.get(kind, name)) is not None:
            yield field(label, f"{name} ({part.location})")


@cache
def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").split("\n") if path.is_file() else []


def line_of(path: Path, start: str) -> int | None:
    return next((number for number, line in enumerate(_lines(path), 1) if line.startswith(start)), None)


def fused_lines(node: NodeCode, kernels: ElementKernels | None) -> Iterator[str]:
    if kernels is None:
        return
    names = [a.name for a in node.arguments]
    for mask, kernel in sorted(kernels.backward.items()):
        output_mask = [name for k, name in enumerate(names) if mask >> k & 1]
        reads = ", ".join(kernel.parameters[: -len(kernel.outputs)])
        yield field("kernel", f"{kernel.name}: gradient of {' and '.join(output_mask)} at once, from {reads}")
    if not kernels.backward:
        yield field("kernel", "no fused backward kernel: a formula is not element-wise; the formulas run as they are")


def check_lines(entry: Entry) -> Iterator[str]:
    yield from (field("sample", sample.text) for sample in entry.samples)
    if not entry.samples and entry.compute.kind == "elementwise":
        yield field("sample", "made from the arity: full, broadcast, 0-d and empty operands")
    yield from (field("hard", sample.text) for sample in entry.hard)
    for refusal in entry.refuses:
        yield field("refuses", f"{refusal.call.text}{f' ({refusal.error})' if refusal.error else ''}")
    if entry.hard:
        yield field("at kinks", f"the gradient is the {' and the '.join(entry.kink)} of the slopes from the two sides")
    if entry.unverified:
        yield field("verified", f"not, because {entry.unverified}")
        return
    numbers = "float64 and complex128" if entry.complex and "complex" in entry.dtypes else "float64"
    yield field("verified", f"in {numbers}: {CHECKS[0]}")
    yield from (field("", check) for check in CHECKS[1:])
