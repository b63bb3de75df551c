"""The docstrings of generated functions as data for the templates, and the words that pages on ops share with them."""

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from ..library.rule_doc import demand
from ..spec.model import Argument, Entry, Type
from ..spec.names import numpy_names
from ..spec.types import TYPES
from .calls import parameter_list
from .composite import extra_positional
from .properties import Properties

_KINDS = {"bool": "bool", "int": "integers", "float": "floats", "complex": "complex numbers"}

# PyTorch gives these names one meaning in all its functions.
_DIMENSIONS = ("dim", "dim0", "dim1", "dim2", "dims", "start_dim", "end_dim")
_MEANINGS = {
    **dict.fromkeys(_DIMENSIONS, "counted from the end where negative"),
    "approximate": "'none' or 'tanh'",
    "ceil_mode": "whether windows that reach over the end count",
    "correction": "what the divisor is less than the number of elements",
    "count_include_pad": "whether padding counts in a mean",
    "dilation": "the distance between neighbours in a window",
    "divisor_override": "what to divide by instead of a window's size",
    "dtype": "that of the computation and the result",
    "eps": "added to the variance",
    "grad_output": "the gradient of the result",
    "groups": "how many groups of channels are apart from each other",
    "ignore_index": "the class that adds nothing to the loss",
    **dict.fromkeys(("input_shape", "input_sizes"), "the shape of the input"),
    "keepdim": "whether reduced dimensions stay, with size 1",
    "kernel_size": "the size of a window",
    "memory_format": "a request without effect",
    "non_blocking": "without effect on the CPU",
    "padding_idx": "the row that gets no gradient",
    "reduction": "0 for none, 1 for the mean, 2 for the sum",
    "rounding_mode": "None, 'floor' or 'trunc'",
    "scale_grad_by_freq": "whether a row's gradient is divided by how often its index occurs",
    "sparse_grad": "without effect",
    "unbiased": "whether to divide by n - 1 instead of n",
}


def alternatives(type_: Type, takes_number: bool = False) -> list[str]:
    word = TYPES[type_.base].noun
    items = f"{word}s and None" if type_.optional_items else f"{word}s"
    phrases = [word, "number"] if takes_number else [word]
    if type_.is_list:
        phrases = [word] if type_.size else []
        phrases.append(f"{type_.size} {items}" if (type_.size or 0) > 1 else f"sequence of {items}")
    return [*phrases, "None"] if type_.optional else phrases


def kinds(dtypes: tuple[str, ...]) -> str:
    return "all" if len(dtypes) == len(_KINDS) else ", ".join(_KINDS[kind] for kind in dtypes)


def computed_dtype(rule: str, subject: str, has_multiple_outputs: bool) -> str:
    own = f"the dtype of `{subject}`"
    common = "the common dtype of the arguments" if has_multiple_outputs else own
    return {
        "promote": common,
        "float": f"{common}, the default float for bools and integers",
        "accumulate": f"{common}, int64 for bools and integers",
        "match": "the dtype that all tensors share" if has_multiple_outputs else own,
        "same": own,
    }.get(rule, own)


def result_dtype(rule: str, computed: str) -> str:
    return {
        "same": computed,
        "real": f"{computed}, its real counterpart for complex numbers",
        "computed": f"{computed}, float32 for 16-bit floats",
    }.get(rule, rule)


def out_doc(has_multiple_outputs: Iterable[bool]) -> str:
    kinds = {
        frozenset({False}): "tensor or None, by keyword, takes the result",
        frozenset({True}): "tuple of tensors or None, by keyword, one for each result",
    }
    shown = kinds.get(frozenset(has_multiple_outputs), "tensor, tuple of one for each result, or None, by keyword")
    return f"{shown}; default None."


Lines = list[tuple[str, str]]  # subject, what is said of it

SELF = re.compile(r"\bself\b(?!-)")  # in the spec; PyTorch's keyword is `input`
INPLACE_DOC = "`{}`, written into `input`, which is returned; the same arguments but `out`."


@dataclass(frozen=True)
class DocCode:
    name: str
    codes: tuple[Properties, ...]

    @property
    def summary(self) -> str:
        speaking = next((code for code in self.codes if code.entry.example), self.codes[0])
        return " ".join(speaking.entry.doc.split())

    @property
    def arguments(self) -> Lines:
        groups: dict[str, list[tuple[Properties, Argument]]] = {}
        for code in self.codes:
            for argument in code.arguments:
                groups.setdefault(argument.python_name, []).append((code, argument))
        lines = [(name, described(group)) for name, group in groups.items()]
        writing = [code.has_multiple_outputs for code in self.codes if code.has_out]
        out = [("out", out_doc(writing))] if writing else []
        public = [c for c in self.codes if c.entry.variants != ("formula",) and c.entry.schema.name == self.name]
        numpy = dict.fromkeys(pair for code in public for pair in numpy_names(code.arguments))
        theirs = [(name, f"NumPy's name of `{ours}`, by keyword; default None.") for name, ours in numpy]
        deprecated_args = extra_positional([code.entry for code in public]) if public else []
        forms = dict.fromkeys(f"({', '.join(form)})" for code in public for form in code.entry.deprecated)
        message = f"only in older forms of the call, by place: {' or '.join(forms)}."
        return lines + [(name, message) for name in deprecated_args] + out + theirs

    @property
    def returns(self) -> Lines:
        return [line for code in self.codes for line in outputs(code)]

    @property
    def gradients(self) -> Lines:
        return [line for code in self.codes for line in gradient_lines(code)]

    @property
    def raises(self) -> Lines:
        demands = [demand(code.rule) for code in self.codes if code.rule]
        lines = [(", ".join(d.errors), f"expected: {d.phrases}") for d in demands]
        plain = len(self.codes) == 1 and not lines and self.codes[0].entry.compute.kind == "elementwise"
        broadcasts = plain and len(self.codes[0].tensors) > 1
        return [("RuntimeError", "expected: shapes that broadcast.")] if broadcasts else lines

    @property
    def overloads(self) -> Lines:
        calls = [f"{self.name}({parameter_list(code.arguments)})" for code in self.codes]
        docs = [" ".join(code.entry.doc.split()) for code in self.codes]
        return [(call, "" if doc == self.summary else doc) for call, doc in zip(calls, docs, strict=True)]

    @property
    def example(self) -> list[str]:
        return [line for code in self.codes for line in code.entry.example.splitlines()]

    @property
    def text(self) -> str:
        entry = self.codes[0].entry
        sections = [("Args", self.arguments), ("Returns", self.returns), ("Gradients", self.gradients)]
        location = wrapped(f"{entry.schema.text} ({entry.where.file})")
        head = [*wrapped(self.summary), "", *location, f"Dtypes: {kinds(entry.dtypes)}.", ""]
        example = self.example_lines(self.name == entry.schema.name)
        return "\n".join([*head, *section_lines([*sections, ("Raises", self.raises)]), *example])

    @property
    def dispatcher_doc(self) -> str:
        sections = [("Overloads", self.overloads), ("Args", self.arguments)]
        return "\n".join([*wrapped(self.summary), "", *section_lines(sections), *self.example_lines(True)])

    @property
    def inplace_doc(self) -> str:
        return INPLACE_DOC.format(self.name)

    def example_lines(self, shown: bool) -> list[str]:
        lines = self.example if shown else []
        return ["Example:", *(f"    {line}".rstrip() for line in lines)] if lines else []


def section_lines(sections: Iterable[tuple[str, Lines]]) -> list[str]:
    matches = []
    for title, lines in sections:
        if lines:
            doc_lines = [f"    {subject}: {phrases}" if phrases else f"    {subject}" for subject, phrases in lines]
            matches += [f"{title}:", *(line for text in doc_lines for line in wrapped(text))]
    return matches


def wrapped(text: str) -> list[str]:
    text = SELF.sub("input", text)
    indent = " " * 8 if text.startswith(" ") else ""
    return textwrap.wrap(text, 116, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def described(group: list[tuple[Properties, Argument]]) -> str:
    kinds_of = (alternatives(argument.type, code.accepts_number(argument)) for code, argument in group)
    phrases = sorted(dict.fromkeys(phrase for each in kinds_of for phrase in each), key="None".__eq__)  # None last
    argument = group[0][1]
    text = " or ".join(phrases)
    text += ", by keyword" * all(a.keyword_only for _, a in group)
    text += ", not differentiated" * group[0][0].is_raw(argument)
    text += f", {_MEANINGS[argument.name]}" if argument.name in _MEANINGS else ""
    defaults = [a.python_default for _, a in group if a.python_default is not None]
    return f"{text}; default {defaults[0]}." if defaults else f"{text}."


def outputs(code: Properties) -> Lines:
    entry = code.entry
    returns = entry.schema.returns
    if len(returns) > 1:
        computed = computation(code)
        dtypes = [result_dtype(rule, computed) for rule in entry.result_dtype]
        return [(output.name, f"{dtype}.") for output, dtype in zip(returns, dtypes, strict=True)]
    label = "tuple of Tensors" if returns[0].type.is_list else "Tensor"
    first = code.arguments[0].python_name
    alias_name = returns[0].type.alias
    shared = next((a.python_name for a in code.arguments if alias_name and a.type.alias == alias_name), first)
    if code.writes_first:
        return [(label, f"`{first}` itself.")]
    if entry.compute.kind == "view":
        return [(label, f"a view of `{first}`: it shares the memory.")]
    if alias_name:
        return [(label, f"shares the memory of `{shared}` where it can.")]
    own = f"; `{first}` itself for {kinds(entry.identity)}" if entry.identity else ""
    return [(label, f"{result_dtype(entry.result_dtype[0], computation(code))}{own}.")]


def computation(code: Properties) -> str:
    entry = code.entry
    if entry.compute.kind == "composite" and "dtype" not in entry.key_locations:
        return "the dtype that its ops give"
    parts = [a for a in code.arguments if (a.type.is_tensor or a.type.base == "Scalar") and not code.is_raw(a)]
    parts = [a for a in parts if a.type.is_tensor or not a.keyword_only]
    has_multiple_outputs = len(parts) > 1 or any(a.type.is_list for a in parts)
    phrases = computed_dtype(entry.dtype, parts[0].python_name if parts else "input", has_multiple_outputs)
    return f"`dtype`, else {phrases}" if code.has_dtype_argument else phrases


def gradient_lines(code: Properties) -> Lines:
    entry = code.entry
    if entry.compute.kind == "composite":
        return [("through", " ".join(entry.compute.text.split())), *definition_lines(entry)]
    lines = []
    for argument in entry.schema.arguments:
        formula = entry.gradients.get(argument.name)
        if formula is not None and formula.keyword == "not_implemented":
            lines.append((argument.name, f"not defined: {formula.why}"))
        elif formula is not None and formula.keyword is None:
            lines.append((argument.name, " ".join(formula.text.split())))
    return lines + (definition_lines(entry) if lines else [])


def definition_lines(entry: Entry) -> Lines:
    return [(f"where {name}", " ".join(each.text.split())) for name, each in entry.definitions.items()]
