"""The docstrings of generated functions and what pages on ops share with them, as data for the templates."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from ..library.rule_doc import demand
from ..spec.model import Argument, Entry
from ..spec.numpy_code import numpy_names
from .call_code import parameter_list
from .doc_words import alternatives, computed_dtype, deprecated_doc, kinds, meaning, out_doc, result_dtype
from .older_code import extra_positional
from .properties import Properties

Lines = list[tuple[str, str]]  # subject, what is said of it

INPLACE_DOC = "`{}`, written into `input`, which is returned; the same arguments but `out`."


@dataclass(frozen=True)
class DocCode:
    """The documentation of the functions that share one public name: an op, or all overloads of one."""

    name: str
    codes: tuple[Properties, ...]

    @property
    def summary(self) -> str:
        """The doc of the op in one paragraph: of overloads, that with the example speaks for all."""
        speaking = next((code for code in self.codes if code.entry.example), self.codes[0])
        return " ".join(speaking.entry.doc.split())

    @property
    def arguments(self) -> Lines:
        """Each parameter with its type in words, its meaning and its default."""
        groups: dict[str, list[tuple[Properties, Argument]]] = {}
        for code in self.codes:
            for argument in code.arguments:
                groups.setdefault(argument.python_name, []).append((code, argument))
        lines = [(name, described(group)) for name, group in groups.items()]
        writing = [code.has_multiple_outputs for code in self.codes if code.has_out]
        out = [("out", out_doc(writing))] if writing else []
        public = [
            code for code in self.codes if code.entry.variants != ("formula",) and code.entry.schema.name == self.name
        ]
        numpy = dict.fromkeys(pair for code in public for pair in numpy_names(code.arguments))
        theirs = [(name, f"NumPy's name of `{ours}`, by keyword; default None.") for name, ours in numpy]
        deprecated_args = extra_positional([code.entry for code in public]) if public else []
        forms = deprecated_doc([code.entry for code in public])
        return lines + [(name, forms) for name in deprecated_args] + out + theirs

    @property
    def returns(self) -> Lines:
        return [line for code in self.codes for line in outputs(code)]

    @property
    def gradients(self) -> Lines:
        return [line for code in self.codes for line in gradient_lines(code)]

    @property
    def raises(self) -> Lines:
        """The exceptions of the op's check, and what it expects."""
        demands = [demand(code.rule) for code in self.codes if code.rule]
        lines = [(", ".join(d.errors), f"expected: {d.phrases}") for d in demands]
        plain = len(self.codes) == 1 and not lines and self.codes[0].entry.compute.kind == "elementwise"
        broadcasts = plain and len(self.codes[0].tensors) > 1
        return [("RuntimeError", "expected: shapes that broadcast.")] if broadcasts else lines

    @property
    def overloads(self) -> Lines:
        """The functions behind a dispatcher, as they are called, with what each computes."""
        calls = [f"{code.name}({parameter_list(code.arguments)})" for code in self.codes]
        docs = [" ".join(code.entry.doc.split()) for code in self.codes]
        return [(call, "" if doc == self.summary else doc) for call, doc in zip(calls, docs, strict=True)]

    @property
    def example(self) -> list[str]:
        """The lines of the example; those of overloads one after the other."""
        return [line for code in self.codes for line in code.entry.example.splitlines()]

    @property
    def text(self) -> str:
        """The docstring of an op's function. A dispatcher shows the example of an overload, so that it runs once."""
        entry = self.codes[0].entry
        sections = [("Args", self.arguments), ("Returns", self.returns), ("Gradients", self.gradients)]
        location = wrapped(f"{entry.schema.text} ({entry.where.file})")
        head = [*wrapped(self.summary), "", *location, f"Dtypes: {kinds(entry.dtypes)}.", ""]
        example = self.example_lines(self.name == entry.schema.name)
        return "\n".join([*head, *section_lines([*sections, ("Raises", self.raises)]), *example])

    @property
    def dispatcher_doc(self) -> str:
        """The docstring of the function that picks among overloads."""
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
    """A paragraph as lines that fit the width of the project's code, inside a function."""
    indent = " " * 8 if text.startswith(" ") else ""
    return textwrap.wrap(text, 116, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def described(group: list[tuple[Properties, Argument]]) -> str:
    """One parameter: what overloads take for it is joined."""
    phrases: dict[str, None] = {}
    for code, argument in group:
        phrases |= dict.fromkeys(alternatives(argument.type, code.accepts_number(argument)))
    none = phrases.pop("None", "absent")
    argument = group[0][1]
    text = " or ".join([*phrases, *(["None"] if none is None else [])])
    text += ", by keyword" * all(a.keyword_only for _, a in group)
    text += ", not differentiated" * group[0][0].is_raw(argument)
    text += f", {meaning(argument)}" if meaning(argument) else ""
    defaults = [a.python_default for _, a in group if a.python_default is not None]
    return f"{text}; default {defaults[0]}." if defaults else f"{text}."


def outputs(code: Properties) -> Lines:
    """Each output of one overload: its name, or Tensor, and its dtype or what memory it shares."""
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
    """The dtype that an op computes in, in words."""
    entry = code.entry
    if entry.compute.kind == "composite" and "dtype" not in entry.key_locations:
        return "the dtype that its ops give"
    parts = [a for a in code.arguments if (a.type.is_tensor or a.type.base == "Scalar") and not code.is_raw(a)]
    parts = [a for a in parts if a.type.is_tensor or not a.keyword_only]
    has_multiple_outputs = len(parts) > 1 or any(a.type.is_list for a in parts)
    phrases = computed_dtype(entry.dtype, parts[0].python_name if parts else "input", has_multiple_outputs)
    return f"`dtype`, else {phrases}" if code.has_dtype_argument else phrases


def gradient_lines(code: Properties) -> Lines:
    """The formulas of one overload as the spec has them, or the ops that have them."""
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
