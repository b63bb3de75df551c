"""The sections of a spec: an item `- section: Title`, to the next one, with what its ops have in common."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import yaml

from ..language.syntax import did_you_mean
from . import formula
from .autocast import Cast, read_casts
from .fields import CHOICES, COMMON, KEYS, Fields, GroupedFields
from .model import Entry, Problem, Section, Where
from .source import Source

SECTION_KEYS = ("section", "about", "autocast", "defaults")
MAX_TITLE_CHARS = 80  # of a title
Nodes = dict[str, tuple[yaml.Node, yaml.Node]]  # key -> its node and that of its value


@dataclass(frozen=True)
class Defaults:
    """The default values with which the entries of a section are read."""

    section: Section | None = None
    nodes: Nodes = field(default_factory=dict)
    casts: dict[str, Cast] = field(default_factory=dict)  # op -> what autocast does to it


def begins_section(node: yaml.MappingNode) -> bool:
    keys = {key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)}
    return "name" not in keys and bool(keys & set(SECTION_KEYS))


class SectionReader(Fields):
    """Reads one section; `problems` holds what is wrong with it."""

    def __init__(self, node: yaml.MappingNode, source: Source) -> None:
        super().__init__(node, source)
        self.renamed: list[Problem] = []  # older names of keys
        self.end = node.end_mark.line + bool(node.flow_style)  # of a block: where the next item begins

    def read(self) -> Defaults:
        for key in [key for key in self.keys if key not in SECTION_KEYS]:
            hint = did_you_mean(key, SECTION_KEYS) or ": a section has a title, `about`, `autocast` and `defaults`"
            self.report(self.keys[key], f"unknown key '{key}' of a section{hint}")
        nodes = self._defaults()
        title = " ".join((self.plain("section") or "").split())
        value = self.values.get("section")
        if value is None or (isinstance(value, yaml.ScalarNode) and not 0 < len(title) <= MAX_TITLE_CHARS):
            message = f"expected the title of a section, `- section: Title`, of at most {MAX_TITLE_CHARS} letters"
            self.report(self.where("section") if value else self.start, message)
        about = " ".join((self.plain("about") or "").split())
        casts = read_casts(self.values.get("autocast"), self.source, self.about("autocast"))
        return Defaults(Section(title, about, self.start, self.end, tuple(nodes)), nodes, casts)

    def _defaults(self) -> Nodes:
        node = self.values.get("defaults")
        if node is None:
            return {}
        if not isinstance(node, yaml.MappingNode):
            self.report(node, "expected keys with values, as in {dtypes: [float]}", "defaults")
            return {}
        value = _DefaultedFields(node, self.source)
        value.check()
        self.problems += value.problems
        self.renamed += value.renamed
        return {key: (value.keys[key], value.values[key]) for key in value.keys if key not in value.wrong}


class _DefaultedFields(GroupedFields):
    """The defaults of a section, each looked at once rather than for every entry."""

    def check(self) -> None:
        self.wrong: set[str] = set()
        for key, value in self.values.items():
            before = len(self.problems)
            if key in KEYS and key not in COMMON:
                message = f"'{key}' is said of one op: it has no default; these have: {' '.join(COMMON)}"
                self.report(self.keys[key], message, "defaults")
            elif key in CHOICES:
                self.choices(key)
            elif key not in COMMON and isinstance(value, yaml.ScalarNode):
                keywords = (*formula.REVERSE_KEYWORDS, *formula.FORWARD_KEYWORDS)
                formula.parse_formula(self.source.text(value), keywords, self.about(key))
            if len(self.problems) > before:
                self.wrong.add(key)


def strangers(read: Iterable[tuple[Defaults, list[Entry]]]) -> Iterator[Problem]:
    for defaults, entries in read:
        known = {*COMMON, *(argument.name for e in entries for argument in e.schema.arguments)}
        known |= {output.name for e in entries for output in e.schema.returns}
        for key, (node, _) in defaults.nodes.items():
            if entries and key not in known and defaults.section is not None:
                hint = did_you_mean(key, known)
                message = f"no key, and no argument or output of an entry of the section is named '{key}'{hint}"
                mark, file = node.start_mark, defaults.section.where.file
                yield Problem(Where(file, mark.line + 1, mark.column + 1), "", "defaults", message)
        ops = [entry.name for entry in entries]
        for name, cast in defaults.casts.items():
            if name not in ops:
                message = f"the section has no entry '{name}'{did_you_mean(name, ops)}"
                yield Problem(cast.where, "", "autocast", message)


def with_entries_named(problems: Iterable[Problem], entries: Iterable[Entry]) -> list[Problem]:
    by_name = {entry.name: entry for entry in entries}
    results: dict[Problem, dict[str, Entry]] = {}
    others = []
    for problem in sorted(set(problems)):
        entry = by_name.get(problem.op)
        if entry is not None and entry.section is not None and entry.section.holds(problem.where):
            results.setdefault(replace(problem, op=""), {})[entry.name] = entry
        else:
            others.append(problem)
    return sorted([*others, *(_named(problem, list(own.values())) for problem, own in results.items())])


def _named(problem: Problem, entries: list[Entry]) -> Problem:
    first, section = entries[0], entries[0].section
    assert section is not None
    more = f" and {len(entries) - 1} more" if len(entries) > 1 else ""
    reported = f"a default of the section '{section.title}', for the entry in line {first.where.line}{more}"
    return replace(problem, op=first.name, message=f"{problem.message} ({reported})")
