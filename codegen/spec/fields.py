"""The keys and values of one entry of the spec file, read as plain values that keep their places."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import yaml

from .formula import Report
from .keys import CHOICES, PER_ITEM
from .model import MAX_PROBLEMS, Problem, Where
from .source import Source, SourceString
from .suggest import did_you_mean


class Enough(Exception):
    """An entry has more problems than anybody reads at once."""


class Fields:
    """The keys of one mapping, readers for the values they may have, and the problems found in reading."""

    def __init__(self, node: yaml.MappingNode, source: Source) -> None:
        self.source = source
        self.start = source.where(node)
        self.problems: list[Problem] = []
        self.keys: dict[str, yaml.Node] = {}
        self.values: dict[str, yaml.Node] = {}
        self.op = ""
        for key, value in self._pairs(node):
            self._add(key, value)

        if isinstance(schema := self.values.get("name"), yaml.ScalarNode):
            self.op = schema.value.partition("(")[0].strip()
        self.problems = [replace(problem, op=self.op) for problem in self.problems]

    def _pairs(self, node: yaml.MappingNode) -> Iterator[tuple[yaml.Node, yaml.Node]]:
        """The keys with their values."""
        return iter(node.value)

    def _add(self, key: yaml.Node, value: yaml.Node) -> None:
        name = key.value
        if not isinstance(key, yaml.ScalarNode):
            self._note(self.source.where(key), "a key is one word, not a list or a mapping")
        elif name in self.keys:
            where, first = self.source.where(key), self.source.where(self.keys[name])
            shown = f"in line {first.line}" if first.file == where.file else f"at {first}"
            self._note(where, f"key '{name}' is given twice, first {shown}")
        else:
            self.keys[name], self.values[name] = key, value

    def report(self, where: Where, message: str, argument: str = "") -> None:
        self._note(where, message, argument)
        if len(self.problems) >= MAX_PROBLEMS:
            raise Enough

    def _note(self, where: Where, message: str, argument: str = "") -> None:
        self.problems.append(Problem(where, self.op, argument, message))

    def about(self, argument: str) -> Report:
        return lambda where, message: self.report(where, message, argument)

    def where(self, key: str) -> Where:
        return self.source.where(self.values[key])

    def text(self, key: str) -> SourceString | None:
        """The value of a key that takes one scalar; None when the key is absent or holds something else."""
        node = self.values.get(key)
        if node is None:
            return None
        if isinstance(node, yaml.ScalarNode):
            return self.source.text(node)
        self.report(self.source.where(node), "one value is wanted here, not a list or a mapping", key)
        return None

    def plain(self, key: str) -> str | None:
        text = self.text(key)
        return text.value if text else None

    def items(self, key: str) -> list[SourceString]:
        """The values of a key that takes a list of scalars; one scalar stands for a list of one."""
        node = self.values.get(key)
        return [] if node is None else self._listed(key, node)

    def name_list(self, key: str) -> list[str]:
        """The plain values of a key as YAML has them, unchecked and without their places."""
        node = self.values.get(key)
        nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
        return [item.value for item in nodes if isinstance(item, yaml.ScalarNode)]

    def _listed(self, key: str, node: yaml.Node) -> list[SourceString]:
        nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
        if not nodes:
            self.report(self.source.where(node), "an empty list says nothing: fill it, or leave the key out", key)
        for item in nodes:
            if not isinstance(item, yaml.ScalarNode):
                self.report(self.source.where(item), "a list of plain values is wanted here", key)
        return [self.source.text(item) for item in nodes if isinstance(item, yaml.ScalarNode)]

    def groups(self, key: str, name_list: Collection[str]) -> dict[str, list[SourceString]]:
        """The values of a key that takes a list of scalars, or a mapping from words to such lists; no word is ''."""
        node = self.values.get(key)
        if not isinstance(node, yaml.MappingNode):
            return {"": self.items(key)}
        results: dict[str, list[SourceString]] = {}
        for word, value in node.value:
            name = word.value if isinstance(word, yaml.ScalarNode) else ""
            if name not in name_list:
                hint = did_you_mean(name, name_list) or f" (one of {' '.join(name_list)})"
                self.report(self.source.where(word), f"unknown word '{name}'{hint}", key)
            elif name in results:
                self.report(self.source.where(word), f"'{name}' is given twice", key)
            else:
                results[name] = self._listed(key, value)
        return results

    def choices(self, key: str) -> tuple[str, ...]:
        strings = self.items(key)
        for text in strings:
            if text.value not in CHOICES[key]:
                hint = did_you_mean(text.value, CHOICES[key]) or f" (one of {' '.join(CHOICES[key])})"
                self.report(text.where(), f"unknown value '{text.value}'{hint}", key)
        for number, text in enumerate(strings if key not in PER_ITEM else ()):
            if text.value in [other.value for other in strings[:number]]:
                self.report(text.where(), f"'{text.value}' is said twice: leave one out", key)
        return tuple(text.value for text in strings if text.value in CHOICES[key])

    def choice(self, key: str) -> str | None:
        return next(iter(self.choices(key)), None) if self.text(key) else None
