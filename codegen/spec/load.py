"""Reads a spec file. YAML is composed to nodes, not to values: each key and value keeps its place."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import islice
from pathlib import Path

import yaml

from ..language.scalar_functions import NONE, Functions
from .beside import check_item, is_tests_item, no_yaml, read_beside, sources_beside, strangers_beside
from .entry import EntryReader
from .fields import Enough
from .model import MAX_PROBLEMS, Entry, Problem, Spec, Where
from .recall import recalled
from .sections import Defaults, SectionReader, begins_section, strangers, with_entries_named
from .source import Source, Unreadable, compose, read_text

Finish = Callable[[Entry], Entry]  # gives an entry, of which all could be read, what it leaves out


def as_read(entry: Entry) -> Entry:
    return entry


def read_spec(
    path: str | Path, shown: str | None = None, own: Functions = NONE, finish: Finish = as_read
) -> tuple[Spec, list[Problem]]:
    file = shown or str(path)
    try:
        source = Source(file, read_text(Path(path)))
        beside = sources_beside(Path(path), source)
        spec, problems = _read_before(source, beside, finish) if own is NONE else _read(source, beside, own, finish)
    except yaml.YAMLError as error:
        return Spec(file, ()), [no_yaml(error, source)]
    except (OSError, Unreadable) as error:
        where = Where(getattr(error, "file", "") or file, *getattr(error, "location", (1, 1)))
        what = getattr(error, "problem", None) or getattr(error, "strerror", None) or str(error)
        return Spec(file, ()), [Problem(where, "", "", f"cannot be read: {what}")]
    return spec, list(problems)


DERIVED = ("backward", "tangent")  # how names of derived entries end


class EntriesOnDemand(Mapping[str, Entry]):
    """The entries of a spec by name, each read when it is first asked for; what cannot be read is missing."""

    def __init__(self, path: Path, own: Functions = NONE, finish: Finish = as_read) -> None:
        self._own = own
        self._finish = finish
        self._read: dict[str, Entry | None] = {}
        try:
            source = Source(path.name, read_text(path))
            readers, *_ = _readers(compose(source.content), source, sources_beside(path, source))
        except (OSError, Unreadable, yaml.YAMLError):
            readers = []
        self._readers = {reader.op: reader for reader in readers}

    @cached_property
    def by_word(self) -> dict[str, list[str]]:
        results: dict[str, list[str]] = {}
        for name, reader in self._readers.items():
            for word in {name.partition(".")[0], *reader.name_list("aliases"), *reader.name_list("operator")}:
                results.setdefault(word, []).append(name)
        return results

    def __getitem__(self, name: str) -> Entry:
        if name not in self._read:
            reader = self._readers.get(name)
            self._read[name] = _entry(reader, self._own, self._finish) if reader else self._internal(name)
        entry = self._read[name]
        if entry is None:
            raise KeyError(name)
        return entry

    def _internal(self, name: str) -> Entry | None:
        """An entry that is derived from the one whose name begins its own."""
        parent, _, order = name.rpartition("_")
        if order not in DERIVED:
            return None
        while parent not in self._readers and parent.endswith(DERIVED):
            parent = parent.rpartition("_")[0]
        entry = self.get(parent)
        return next((each for each in entry.internal if each.name == name), None) if entry else None

    def __iter__(self) -> Iterator[str]:
        return (name for name in self._readers if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


@lru_cache(maxsize=2)
def _read_before(source: Source, beside: tuple[Source, ...], finish: Finish) -> tuple[Spec, list[Problem]]:
    return _read(source, beside, NONE, finish)


def _read(source: Source, beside: tuple[Source, ...], own: Functions, finish: Finish) -> tuple[Spec, list[Problem]]:
    readers, problems, renamed = _readers(compose(source.content), source, beside)
    read: list[tuple[EntryReader, Entry | None]] = []
    for reader in readers:
        if len(problems) >= MAX_PROBLEMS:
            break
        read.append((reader, _entry(reader, own, finish)))
        problems += reader.problems
    broken = frozenset(reader.op.partition(".")[0] for reader, entry in read if entry is None)
    entries = tuple(each for _, entry in read if entry for each in (entry, *entry.internal))
    if not broken and len(read) == len(readers):
        results: dict[int, tuple[Defaults, list[Entry]]] = {}
        for reader, entry in read:
            results.setdefault(id(reader.defaults), (reader.defaults, []))[1].extend([entry] if entry else [])
        problems += islice(strangers(list(results.values())), MAX_PROBLEMS)
    faulty = frozenset(reader.op for reader, _ in read if reader.problems)
    return Spec(source.file, entries, broken, tuple(sorted(set(renamed))), faulty), with_entries_named(
        problems, entries
    )


def _entry(reader: EntryReader, own: Functions, finish: Finish) -> Entry | None:
    if own:
        return _read_entry(reader, own, finish)
    return recalled(reader, finish.__qualname__, lambda: _read_entry(reader, own, finish))


def _read_entry(reader: EntryReader, own: Functions, finish: Finish) -> Entry | None:
    try:
        entry = reader.read()
        entry = replace(entry, functions=own) if entry is not None else None
        return finish(entry) if entry is not None and not reader.problems else entry
    except Enough:
        return None


def _readers(
    root: yaml.Node | None, source: Source, files: tuple[Source, ...]
) -> tuple[list[EntryReader], list[Problem], list[Problem]]:
    if root is None or (isinstance(root, yaml.ScalarNode) and not root.value):  # nothing, or nothing behind `---`
        return [], [], []
    if not isinstance(root, yaml.SequenceNode):
        return [], [Problem(source.where(root), "", "", "a spec is a list of entries, each `- name: ...`")], []
    beside = read_beside(files)
    readers, renamed, defaults = list[EntryReader](), list[Problem](), Defaults()
    others = [source.where(node) for node in root.value if not isinstance(node, yaml.MappingNode)]
    problems = [Problem(where, "", "", "an entry is a mapping, `- name: ...`") for where in others[:MAX_PROBLEMS]]
    problems += beside.problems
    for number, node in enumerate(root.value):
        if is_tests_item(node):
            problems += check_item(node, number, source, files)
        elif isinstance(node, yaml.MappingNode) and begins_section(node):
            section, defaults = SectionReader(node, source), Defaults()
            with suppress(Enough):
                defaults = section.read()
            problems += section.problems
            renamed += section.renamed
        elif isinstance(node, yaml.MappingNode):
            readers.append(EntryReader(node, source, defaults, beside))
    problems += islice(strangers_beside(beside, {reader.op for reader in readers}), MAX_PROBLEMS)
    renamed += (replace(each, op=reader.op) for reader in readers for each in reader.renamed)
    return readers, problems, renamed
