"""The text of a spec file, the YAML nodes in it, and the line and column of every character of their values.

A spec is bounded UTF-8 without control characters. YAML lets ten lines stand for a billion values, so aliases, tags,
and more nodes or levels than a spec takes are refused before any of it is built. Quoting and folding only add or
remove white space and quotes: the n-th visible character of a value is the n-th of its source.
"""

import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from .model import Where


class Unreadable(Exception):
    file = ""  # if it is not the spec

    def __init__(self, problem: str, before: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.location = (before.count("\n") + 1, len(before) - before.rfind("\n"))


def read_text(path: Path) -> str:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise Unreadable(f"expected a file, found a {'folder' if stat.S_ISDIR(status.st_mode) else 'special file'}")
    if status.st_size > MAX_FILE_BYTES:
        raise Unreadable(f"expected a file of at most {MAX_FILE_BYTES:,} bytes, found {status.st_size:,}")
    content = path.read_bytes()
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig", errors="replace")
        raise Unreadable(f"expected text in UTF-8, found the byte 0x{content[error.start]:02X}", before) from None
    if not text.translate({10: None, 9: None}).isprintable():
        offset = next(i for i, c in enumerate(text) if not c.isprintable() and c not in "\n\t")
        raise Unreadable(f"expected characters that can be seen, found U+{ord(text[offset]):04X}", text[:offset])
    return text


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

MAX_FILE_BYTES = 4_000_000  # of a file
MAX_NODES = 100_000
MAX_LEVELS = 8  # of lists and mappings in each other
MAX_TITLE_CHARS = 10_000  # of one value


class NodeError(yaml.MarkedYAMLError):
    """Something that YAML allows and a spec does not."""

    def __init__(self, problem: str, mark: Any) -> None:
        super().__init__(problem=problem, problem_mark=mark)


def compose(content: str, source: "Source | None" = None) -> yaml.Node | None:
    root: yaml.Node | None = None
    open_: list[yaml.CollectionNode] = []
    for number, event in enumerate(_events(content)):
        if number > MAX_NODES:
            raise NodeError(f"expected at most {MAX_NODES:,} values", event.start_mark)
        if isinstance(event, yaml.CollectionEndEvent):
            closed = open_.pop()
            closed.end_mark = event.end_mark
            if isinstance(closed, yaml.MappingNode):  # keys and values came in turn
                closed.value = list(zip(closed.value[::2], closed.value[1::2], strict=True))
        elif isinstance(event, yaml.NodeEvent):
            node = _node(event, len(open_))
            if source is not None:
                vars(node)["source"] = source
            if open_:
                open_[-1].value.append(node)
            elif root is not None:
                raise NodeError("expected one document, found a second one", event.start_mark)
            else:
                root = node
            if isinstance(node, yaml.CollectionNode):
                open_.append(node)
    return root


def first_item(content: str, key: str) -> str | None:
    expected_events = [yaml.StreamStartEvent, yaml.DocumentStartEvent, yaml.SequenceStartEvent, yaml.MappingStartEvent]
    try:
        events = _events(content)
        begins = all(isinstance(next(events, None), each) for each in expected_events)
        name, value = next(events, None), next(events, None)
    except yaml.YAMLError:
        return None
    is_named = begins and isinstance(name, yaml.ScalarEvent) and name.value == key
    return value.value if is_named and isinstance(value, yaml.ScalarEvent) else None


def _events(content: str) -> Iterator[Any]:
    return yaml.parse(content, Loader=LOADER)


def _node(event: Any, depth: int) -> yaml.Node:
    start, end = event.start_mark, event.end_mark
    if isinstance(event, yaml.AliasEvent):
        raise NodeError(f"expected a value, found the alias '*{event.anchor}': put the value in quotes", start)
    if event.tag is not None:
        raise NodeError(f"expected a value, found the tag '{event.tag}': put the value in quotes", start)
    if isinstance(event, yaml.ScalarEvent):
        value = event.value
        if len(value) > MAX_TITLE_CHARS:
            raise NodeError(f"expected a value of at most {MAX_TITLE_CHARS:,} characters, found {len(value):,}", start)
        strange = next((c for c in value if not c.isprintable() and c not in "\n\t"), None)
        if strange is not None:
            raise NodeError(f"expected characters that can be seen, found U+{ord(strange):04X}", start)
        return yaml.ScalarNode("", value, start, end, event.style)
    if depth == MAX_LEVELS:
        raise NodeError(f"expected lists and mappings at most {MAX_LEVELS} deep", start)
    kind = yaml.MappingNode if isinstance(event, yaml.MappingStartEvent) else yaml.SequenceNode
    return kind("", [], start, end, event.flow_style)


LineColumn = tuple[int, int]  # line and column, both from 1

# What the source of a quoted scalar holds beyond its value: one of two quotes, or a backslash.
QUOTING = {"'": re.compile(r"'(?=')"), '"': re.compile(r"\\[nrt]?")}


@dataclass(frozen=True)
class SourceString:
    """The value of a scalar, with the place of each character and of its end."""

    value: str
    file: str
    positions: tuple[LineColumn, ...]
    is_cut: bool = False  # by a comment: what stands behind ` #`

    def where(self, offset: int = 0) -> Where:
        return Where(self.file, *self.positions[min(max(offset, 0), len(self.value))])


@dataclass(frozen=True)
class Source:
    file: str
    content: str

    @cached_property
    def lines(self) -> list[str]:
        return self.content.split("\n")

    def where(self, node: yaml.Node) -> Where:
        own: Source = vars(node).get("source", self)
        return Where(own.file, node.start_mark.line + 1, node.start_mark.column + 1)

    def text(self, node: yaml.ScalarNode) -> SourceString:
        own: Source = vars(node).get("source", self)
        begin, raw, hidden = own._body(node)
        after = (node.start_mark.line + 1, node.start_mark.column + 1)
        if raw[begin:] == node.value and not hidden and "\n" not in raw:  # what most are: as it is written, in one line
            line, first = after[0], after[1] + begin
            columns = tuple((line, first + i) for i in range(len(node.value) + 1))
            return SourceString(node.value, own.file, columns, own._is_cut(node))
        visible = _visible(after, begin, raw, hidden)
        positions: list[LineColumn] = []
        for character in node.value:
            here = after if character.isspace() else next(visible, after)
            positions.append(here)
            after = (here[0], here[1] + 1)
        return SourceString(node.value, own.file, (*positions, after), own._is_cut(node))

    def _is_cut(self, node: yaml.ScalarNode) -> bool:
        end = node.end_mark.index
        return not node.style and self.content[end : end + 80].lstrip(" ").startswith("#")

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


def _visible(start: LineColumn, begin: int, raw: str, hidden: set[int]) -> Iterator[LineColumn]:
    line, column = start
    for index, character in enumerate(raw):
        if index >= begin and index not in hidden and not character.isspace():
            yield line, column
        line, column = (line + 1, 1) if character == "\n" else (line, column + 1)
