"""Functions that a formula may call by mistake for another: of its file or family, with as many arguments.

Nothing here knows functions by name: scalar functions, kernels, helpers, rules and views lie in files by subject, ops
in sections of the spec.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from ..library.families import families
from ..library.homes import KEYS, OpLibrary, runtime_library
from ..library.modules import Arity, functions, siblings
from ..spec.model import Entry, Schema


class Related:
    def __init__(
        self, spec: Path, entries: Sequence[Entry], op_libraries: Sequence[OpLibrary] = (runtime_library(),)
    ) -> None:
        self.spec = spec
        self.op_libraries = op_libraries  # the packages that they are in
        self.entries = entries

    def scalar(self, name: str) -> list[str]:
        own = self._scalars.get(name)
        return _alike(name, functions(own), self._offered) if own else []

    def by_hand(self, kind: str, name: str) -> list[str]:
        """Kernels, checks or batching rules of the file that defines one."""
        return next((_alike(name, table, table) for table in self._tables(kind) if name in table), [])

    def called(self, name: str) -> list[str]:
        """Helpers of formulas, or ops of a section, that take what a call of one gives them."""
        for table in self._helpers:
            if name in table:
                return _alike(name, table, table)
        return self._ops.get(name, [])

    @cached_property
    def _offered(self) -> frozenset[str]:
        paths = list(self._files("scalar function"))
        return frozenset(name for path in paths for name in (*functions(path), *siblings(path)))

    @cached_property
    def _scalars(self) -> dict[str, Path]:
        results: dict[str, Path] = {}
        for path in self._files("scalar function"):
            results |= dict.fromkeys(functions(path), path)
            results |= {name: file for name, (file, original) in siblings(path).items() if name == original}
        return results

    def _files(self, kind: str) -> Iterator[Path]:
        return (path for op_library in self.op_libraries for path in op_library.files(kind))

    @cached_property
    def _helpers(self) -> list[Mapping[str, Arity]]:
        return list(map(functions, self._files("helper")))

    def _tables(self, kind: str) -> Iterator[Mapping[str, Arity]]:
        return map(functions, self._files(KEYS[kind])) if kind in KEYS else iter(())

    @cached_property
    def _ops(self) -> dict[str, list[str]]:
        """Op -> ops of its section with arguments of the same types."""
        results: dict[str, list[str]] = {}
        for family in families(self.spec, self.entries):
            public = [e.schema for e in family.entries if not e.schema.name.startswith("_")]
            for schema in public:
                same = dict.fromkeys(other.name for other in public if _types(other) == _types(schema))
                results.setdefault(schema.name, beside(schema.name, [name for name in same if not name.endswith("_")]))
        return results


def _types(schema: Schema) -> tuple[str, ...]:
    return tuple(f"{a.type.base}{a.type.is_list}" for a in schema.arguments)


def _alike(name: str, table: Mapping[str, Arity], offered: Container[str]) -> list[str]:
    return beside(name, [other for other, arity in table.items() if arity == table[name] and other in offered])


def beside(name: str, names: Sequence[str]) -> list[str]:
    """The names before and after one in a list, or the first two where it is not in it."""
    if name not in names:
        return list(names[:2])
    position = names.index(name)
    return [*names[max(position - 1, 0) : position], *names[position + 1 : position + 2]]
