"""Where things stand in a spec file: every character of every YAML scalar keeps its own line and column.

YAML may quote, fold and indent a formula, so an offset in the value is not an offset in the file. All of
that only adds or removes white space and quoting: the n-th visible character of the value is the n-th of the
source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from .model import Where

Place = tuple[int, int]  # line and column, both from 1

# What the source of a quoted scalar holds beyond its value: one of two quotes, or a backslash.
QUOTING = {"'": re.compile(r"'(?=')"), '"': re.compile(r"\\[nrt]?")}


@dataclass(frozen=True)
class Text:
    """The value of a scalar, with the place of each character and of its end."""

    value: str
    file: str
    places: tuple[Place, ...]

    def where(self, offset: int = 0) -> Where:
        """The place of the character at `offset`; outside the text, of the nearest one."""
        return Where(self.file, *self.places[min(max(offset, 0), len(self.value))])


@dataclass(frozen=True)
class Source:
    """A spec file's name and text."""

    file: str
    content: str

    def where(self, node: yaml.Node) -> Where:
        return Where(self.file, node.start_mark.line + 1, node.start_mark.column + 1)

    def text(self, node: yaml.ScalarNode) -> Text:
        """The scalar's value with the place of each of its characters."""
        visible = self._visible(node)
        after = (node.start_mark.line + 1, node.start_mark.column + 1)
        places: list[Place] = []
        for character in node.value:
            here = after if character.isspace() else next(visible, after)
            places.append(here)
            after = (here[0], here[1] + 1)
        return Text(node.value, self.file, (*places, after))

    def _visible(self, node: yaml.ScalarNode) -> Iterator[Place]:
        """The places of the characters of a scalar's source that are neither white space nor quoting."""
        begin, raw, hidden = self._body(node)
        line, column = node.start_mark.line + 1, node.start_mark.column + 1
        for index, character in enumerate(raw):
            if index >= begin and index not in hidden and not character.isspace():
                yield line, column
            line, column = (line + 1, 1) if character == "\n" else (line, column + 1)

    def _body(self, node: yaml.ScalarNode) -> tuple[int, str, set[int]]:
        """Where the body of a scalar's source begins, the source, and the offsets that only quote."""
        raw = self.content[node.start_mark.index : node.end_mark.index]
        if node.style in ("|", ">"):
            return raw.find("\n") + 1, raw, set()
        if node.style not in QUOTING:
            return 0, raw, set()
        inner = raw[:-1]
        quoting = QUOTING[node.style].finditer(inner, 1)
        return 1, inner, {offset for match in quoting for offset in range(*match.span())}
