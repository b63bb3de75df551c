"""Entries that an earlier run has read from the same text, at the lines where that stands today."""

import ast
import io
import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

from .dependencies import names_in_expressions
from .entry import EntryReader
from .memo import MEMO, digest
from .model import Entry, Origin, Where
from .source import Source


class Span(NamedTuple):
    """Lines of a file that an entry is read from."""

    source: Source
    begin: int
    end: int

    @property
    def text(self) -> str:
        return "\n".join(self.source.lines[self.begin - 1 : self.end])

    def holds(self, where: Where) -> bool:
        return where.file == self.source.file and self.begin <= where.line <= self.end


def recalled(reader: EntryReader, finish: str, read: Callable[[], Entry | None]) -> Entry | None:
    """The entry as `read` gives it, without reading what an earlier run has read without a problem."""
    if MEMO.path is None:
        return read()
    spans = list(_spans(reader))
    key = digest("entry", finish, *(part for span in spans for part in (span.source.file, span.text)))
    content = MEMO.get(key)
    if content is not None:
        entry = _loaded(content, spans, reader)
    elif (result := read()) is None:
        return None
    else:
        entry = replace(result, origin=Origin("", frozenset(names_in_expressions(result))))
        if not reader.problems and (content := _dumped(entry, spans, reader)) is not None:
            MEMO.put(key, content)
    assert entry.origin is not None
    return replace(entry, origin=replace(entry.origin, digest=key))


def _spans(reader: EntryReader) -> Iterator[Span]:
    yield _span(reader.source, [reader.node])
    section = reader.defaults.section
    if section is not None:
        yield Span(reader.source, section.where.line, section.end)
    if reader.beside:
        yield _span(vars(reader.beside[0][0])["source"], [node for pair in reader.beside for node in pair])
    if reader.function is not None:
        node = reader.function.function
        yield Span(reader.function.source, node.lineno, node.end_lineno or node.lineno)


def _span(source: Source, nodes: list[Any]) -> Span:
    return Span(source, nodes[0].start_mark.line + 1, nodes[-1].end_mark.line + 1)


def _dumped(entry: Entry, spans: list[Span], reader: EntryReader) -> bytes | None:
    section = reader.defaults.section

    class Pickler(pickle.Pickler):
        def persistent_id(self, value: object) -> object:
            if value is section and section is not None:
                return "section"
            if type(value) is Where:
                index = next(i for i, span in enumerate(spans) if span.holds(value))
                return index, value.line - spans[index].begin, value.col
            return None

    content = io.BytesIO()
    try:
        Pickler(content, -1).dump(([span.begin for span in spans], _located(entry, spans), entry))
    except (StopIteration, RecursionError):  # a line of elsewhere; an expression too deep to be kept
        return None
    return content.getvalue()


def _loaded(content: bytes, spans: list[Span], reader: EntryReader) -> Entry:
    class Unpickler(pickle.Unpickler):
        def persistent_load(self, name: Any) -> object:
            if name == "section":
                return reader.defaults.section
            index, line, column = name
            return Where(spans[index].source.file, spans[index].begin + line, column)

    begins, located, entry = Unpickler(io.BytesIO(content)).load()
    for span, begin, nodes in zip(spans, begins, located, strict=True):
        _move(nodes, span.begin - begin)
    assert isinstance(entry, Entry)
    return entry


def _move(nodes: Iterable[Any], shift: int) -> None:
    for node in nodes if shift else ():
        node.lineno += shift
        node.end_lineno = (node.end_lineno or 0) + shift


def _located(entry: Entry, spans: list[Span]) -> list[list[Any]]:
    """The nodes of the entry's expressions, each once, by the span that they stand in."""
    located: list[list[Any]] = [[] for _ in spans]
    for node in {id(node): node for node in _nodes(entry)}.values():
        where = Where(getattr(node, "file", entry.where.file), node.lineno, 1)
        nodes = next((nodes for span, nodes in zip(spans, located, strict=True) if span.holds(where)), None)
        if nodes is not None:
            nodes.append(node)
    return located


def _nodes(value: Any) -> Iterator[Any]:
    if isinstance(value, ast.AST):
        yield from (node for node in ast.walk(value) if hasattr(node, "lineno"))
    elif is_dataclass(value):
        for field in fields(value):
            yield from _nodes(getattr(value, field.name))
    elif isinstance(value, dict):
        for each in value.values():
            yield from _nodes(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _nodes(each)
