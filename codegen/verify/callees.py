"""The entries that formulas call, read when one does: the whole spec of the tree takes seconds in each process."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from ..proof.formula_derivative import Plain
from ..spec.load import EntriesOnDemand
from ..spec.model import Entry


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
        for entry in entries:
            if word in entry.names:
                yield self.entry(entry.at_once or "") or entry


class Operating(Callees):
    def fitting(self, word: str, entries: list[Entry]) -> Iterator[Entry]:
        return (entry for entry in entries if entry.operator == word)
