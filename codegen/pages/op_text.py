"""The words of a page on one entry: each function gives those behind one label, none where it does not apply."""

from collections.abc import Iterator

from ..emit.docstrings import kinds
from ..emit.op import OpCode
from ..emit.render import Renderer, has_node
from ..language.indexed_programs import IndexedProgram
from ..language.row_programs import Program
from ..library import kernels
from ..library.rule_doc import promise
from ..spec.autocast import LIKE, REFUSE
from ..spec.fields import AUTOCAST_DEVICES
from ..spec.model import Entry
from ..spec.reference import statements


def computed(renderer: Renderer, entry: Entry) -> str:
    text = one_line(entry.compute.text)
    if entry.compute.kind == "kernel":
        return f"by the kernel `{text}` of {renderer.library['kernel', text].shown}"
    if entry.compute.kind == "view":
        return f"as a view by `{text}` of {renderer.library['view', text].shown}; no element is touched"
    how = "element by element" if entry.compute.kind == "elementwise" else "from other ops"
    return f"{how}: `{text}`"


ON_CUDA = {"kernel": "by a kernel", "library": "by CUDA's libraries", "host": "by the CPU, on copies"}


def on_cuda(renderer: Renderer, entry: Entry) -> str:
    if entry.compute.kind == "elementwise":
        return ON_CUDA["kernel"]
    if entry.compute.kind != "kernel":
        return ""
    if entry.program is not None:
        return ON_CUDA["kernel"]
    return ON_CUDA[kernels.on_cuda(renderer.library["kernel", entry.compute.text])]


def row_programs(renderer: Renderer, entry: Entry) -> Iterator[tuple[str, str]]:
    if entry.program is not None:
        yield f"{'row' if entry.rows else 'indexed'} program", quoted(entry.program)
    elif entry.compute.kind == "kernel":
        kernel, known = renderer.library["kernel", entry.compute.text], renderer.library.programs
        for program in kernels.programs_named(kernel, known):
            yield f"row program `{program.name}`", quoted(program)


def quoted(program: Program | IndexedProgram) -> str:
    return "; ".join(f"`{line}`" for line in program.lines)


def definitions(entry: Entry) -> Iterator[str]:
    yield from (f"`{name} = {one_line(each.text)}`" for name, each in entry.definitions.items())


def reference(entry: Entry) -> str:
    return "; ".join(f"`{line}`" for line in statements(entry.reference))


def onnx(entry: Entry) -> str:
    return "; ".join(f"`{line}`" for line in statements(entry.onnx))


def refuses(entry: Entry) -> str:
    groups: dict[str, list[str]] = {}
    for refusal in entry.refuses:
        groups.setdefault(refusal.error, []).append(f"`{one_line(refusal.call.text)}`")
    return "; ".join(f"{error + ' for ' if error else ''}{', '.join(calls)}" for error, calls in groups.items())


def dtypes(code: OpCode) -> str:
    outputs = code.docs.returns
    named = [phrases if len(outputs) == 1 else f"{name}: {phrases}" for name, phrases in outputs]
    return f"{kinds(code.entry.dtypes)}; result: {' '.join(named)}"


def gradients(entry: Entry) -> Iterator[tuple[str, str]]:
    if entry.compute.kind == "composite":
        yield "gradient", "through the ops that it is made of"
    for name, formula in entry.gradients.items():
        if formula.keyword == "not_implemented":
            yield f"gradient of `{name}`", f"not defined: {formula.why}"
        elif formula.keyword is None:
            expression = "`slope_of`" if entry.derivative_of else "the expression"
            derived = f", derived from {expression}" if formula.derived else ""
            yield f"gradient of `{name}`", f"`{one_line(formula.text)}`{derived}"
    if entry.backward is not None:
        yield "all gradients", f"`{one_line(entry.backward.text)}`, if backward is not recorded itself"


def saved(renderer: Renderer, entry: Entry) -> Iterator[str]:
    if not has_node(entry):
        return
    node = renderer.nodes[entry.name]
    for tensor in node.plan.tensors:
        output_mask = " or ".join(f"`{name}`" for name in tensor.needed_by)
        yield f"`{tensor.name}`" + (f" where {output_mask} requires grad" if node.is_saved_for_some(tensor) else "")
    yield from (f"`{value.text}`" for value in node.plan.values)
    yield from ["nothing"] * (not node.plan.tensors and not node.plan.values)


FORWARD = {
    "auto_element_wise": "the gradient formula with the tangent for `grad`",
    "auto_linear": "the op itself on the tangent",
    "auto_multilinear": "the op on each tangent in turn, summed",
    "auto_select": "the tangents at the indices that the op chose",
    "zero": "zero",
}


def forward(entry: Entry) -> Iterator[tuple[str, str]]:
    for name, formula in entry.forward.items():
        phrases = f"`{one_line(formula.text)}`" if not formula.keyword else FORWARD.get(formula.keyword, formula.text)
        phrases = f"not defined: {formula.why}" if formula.keyword == "not_implemented" else phrases
        yield ("forward" if len(entry.forward) == 1 else f"forward of `{name}`"), phrases


def domain(entry: Entry) -> str:
    if not is_differentiable(entry):
        return ""
    return " and ".join(f"`{n}` in [{lo:g}, {hi:g}]" for n, (lo, hi) in entry.domain.items()) or "[-2, 2]"


def hard_points(entry: Entry) -> str:
    if not is_differentiable(entry) or not entry.hard:
        return ""
    points = "; ".join(f"`{one_line(sample.text)}`" for sample in entry.hard)
    policy = " and the ".join(dict.fromkeys(entry.kink))
    return f"{points}. Where there are two one-sided derivatives the gradient is the {policy}"


CASTS = {
    "lower": "to its 16-bit dtype",
    "float32": "to float32",
    "widest": "to the widest of their dtypes",
    "promote": "to the widest of their dtypes, and by the ops that it calls",
    "off": "nothing, nor what the op calls",
}


def autocast(entry: Entry) -> str:
    phrases = {device: _cast(word) for device, word in entry.autocast.items()}
    if len(set(phrases.values())) == 1 and len(phrases) == len(AUTOCAST_DEVICES):
        return next(iter(phrases.values()))
    return "; ".join(f"{device.upper()}: {word}" for device, word in phrases.items())


def _cast(word: str) -> str:
    if word.startswith(LIKE):
        return f"to the dtype of `{word.removeprefix(LIKE)}`"
    return f"refused, {word.removeprefix(REFUSE)}" if word.startswith(REFUSE) else CASTS[word]


def vmap(code: OpCode) -> str:
    if code.entry.compute.kind == "composite" and code.entry.batch is None:
        return "through the ops that it is made of"
    return promised(code, "batching rule", code.batch_rule)


def sparse(code: OpCode) -> str:
    return promised(code, "rule for sparse tensors", code.entry.sparse)


def conj_rule(code: OpCode) -> str:
    return promised(code, "rule for conjugates and negatives", code.entry.conj_rule)


def promised(code: OpCode, kind: str, rule: str | None) -> str:
    phrases = promise(code.library[kind, rule]) if rule is not None else ""
    return f"`{rule}`: {phrases[:1].lower()}{phrases[1:]}" if rule is not None else ""


def is_differentiable(entry: Entry) -> bool:
    return any(formula.tree is not None for formula in entry.gradients.values())


def one_line(text: str) -> str:
    return " ".join(text.split())
