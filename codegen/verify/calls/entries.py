"""The spec entries of the ops under check, and what element-wise ops and their gradients are as scalar expressions.

Of an expression the op's record says what is in force, be it changed; the spec says the rest. Entries that formulas
call are read when one does: the whole spec takes seconds in each process.
"""

import ast
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from ...language.scalar_functions import parsed
from ...library.bases import SPEC
from ...library.op_library import Library, OpLibrary
from ...proof.derivative import ONE, NoDerivative, derivative
from ...proof.derive import load_on_demand
from ...proof.formula_derivative import Plain
from ...proof.numbers import Unknown
from ...proof.proof import Prover
from ...proof.scalar_code import NotElementwise
from ...spec.definitions import with_meaning
from ...spec.load import EntriesOnDemand
from ...spec.model import Entry, Formula


class OnDemand(Plain):
    """Inlines formulas over the ops of the tree and of a spec, which replaces those of the same name."""

    def __init__(self, tree: EntriesOnDemand, own: EntriesOnDemand) -> None:
        super().__init__({})
        self.by_name = Named(tree, own)
        self.by_operator = Operating(tree, own)


class Callees(Mapping[str, list[Entry]]):
    """The entries of a word, in the order in which a dictionary of both specs has them."""

    def __init__(self, tree: EntriesOnDemand, own: EntriesOnDemand) -> None:
        self.tree, self.own = tree, own
        self._cached: dict[str, list[Entry]] = {}

    def __getitem__(self, word: str) -> list[Entry]:
        if word not in self._cached:
            names = dict.fromkeys((*self.tree.by_word.get(word, ()), *self.own.by_word.get(word, ())))
            entries = [entry for name in names if (entry := self.entry(name)) is not None]
            self._cached[word] = list(self.fitting(word, entries))
        if not self._cached[word]:
            raise KeyError(word)
        return self._cached[word]

    def __iter__(self) -> Iterator[str]:
        phrases = dict.fromkeys(chain(self.tree.by_word, self.own.by_word))
        return (word for word in phrases if word in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def entry(self, name: str) -> Entry | None:
        return self.own.get(name) or self.tree.get(name)

    def fitting(self, word: str, entries: list[Entry]) -> Iterator[Entry]:
        raise NotImplementedError


class Named(Callees):
    def fitting(self, word: str, entries: list[Entry]) -> Iterator[Entry]:
        yield from (self.entry(entry.at_once or "") or entry for entry in entries if word in entry.names)


class Operating(Callees):
    def fitting(self, word: str, entries: list[Entry]) -> Iterator[Entry]:
        return (entry for entry in entries if entry.operator == word)


def spec_entry(op: Any) -> Entry | None:
    return entries_of(op.spec).get(op.name)


def entries_of(spec: str | Path) -> EntriesOnDemand:
    return _entries_in(Path(spec).resolve())  # a file is read once, however its path is written


@cache
def _entries_in(path: Path) -> EntriesOnDemand:
    op_library = OpLibrary(path.parent, "", relative=True, label="own")
    functions, _ = Library((op_library,)).functions  # formulas are derived from them, and stand where expressions do
    return load_on_demand(path, functions)


def has_key(op: Any, key: str) -> bool:
    entry = spec_entry(op)
    by_name = {"check": op.check, "meta": op.shape}
    return entry is not None and (key in entry.key_locations or bool(by_name.get(key)))


@dataclass(frozen=True)
class Meaning:
    """An element-wise op in scalar expressions; formulas that have none are missing."""

    entry: Entry
    expression: ast.expr
    written: dict[str, ast.expr]  # the gradient of an argument, as the entry says it
    derived: dict[str, ast.expr]  # the derivative by an argument, of `differentiated`
    differentiated: ast.expr  # the expression, or that of `slope_of`

    @property
    def trees(self) -> list[ast.expr]:
        return [self.expression, *self.written.values(), *([self.differentiated] if self.entry.derivative_of else [])]


def meaning_of(op: Any) -> Meaning | None:
    known = spec_entry(op) if op.expression else None
    if known is None:
        return None
    expression = parsed(op.expression)
    entry = replace(
        known,
        compute=replace(known.compute, tree=expression, text=op.expression),
        gradients={name: _formula(known, name, op.formulas[name]) for name in known.gradients if name in op.formulas},
    )
    prover, written, derived = prover_of(op.spec), {}, {}
    differentiated = expression if entry.derivative_of is None else entry.derivative_of.tree or expression
    for name, formula in entry.gradients.items():
        if formula.tree is None:
            continue
        try:
            written[name] = prover.written(entry, formula)
            derived[name] = derivative(differentiated, {name: ONE})
        except (NotElementwise, NoDerivative, Unknown):
            continue
    return Meaning(entry, expression, written, derived, differentiated)


def _formula(entry: Entry, name: str, text: str) -> Formula:
    known = entry.gradients[name]
    if text == " ".join(known.text.split()):
        return known
    is_word = text.partition("(")[0] in ("non_differentiable", "not_implemented")
    if is_word:
        return replace(known, text=text, tree=None, keyword=text)
    definitions = {each: d.tree for each, d in entry.definitions.items() if d.tree is not None}
    return with_meaning(replace(known, text=text, tree=parsed(text), keyword=None), definitions)[0]


@functools.cache
def prover_of(spec: str) -> Prover:
    return Prover({}, OnDemand(entries_of(SPEC), entries_of(spec)))
