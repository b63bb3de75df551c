"""The mutants of an entry: copies of it with one change each, in an expression or in a key; no op is known by name."""

import ast
import copy
import random
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ..language.row_programs import KINDS_OF_FOLDS
from ..library.families import families
from ..library.modules import Arity, functions, siblings
from ..library.op_library import KEYS, OpLibrary, runtime_library
from ..proof.derive import as_written
from ..spec.definitions import Written, meant
from ..spec.fields import CHOICES, WITHOUT_GRADIENT
from ..spec.formula import FORWARD_KEYWORDS, location
from ..spec.model import Entry, Formula, Schema, Where, undefined
from .expression_edits import Relations, changes, exchanged


class Related:
    def __init__(self, entries: Sequence[Entry], op_libraries: Sequence[OpLibrary] = (runtime_library(),)) -> None:
        self.op_libraries = op_libraries  # the packages that they are in
        self.entries = entries

    def scalar(self, name: str) -> list[str]:
        own = self._scalars.get(name)
        paths = self._files("scalar function") if own else ()
        offered = {name for path in paths for name in (*functions(path), *siblings(path))}
        return _alike(name, functions(own), offered) if own else []

    def by_hand(self, kind: str, name: str) -> list[str]:
        tables = map(functions, self._files(KEYS[kind])) if kind in KEYS else ()
        return next((_alike(name, table, table) for table in tables if name in table), [])

    def called(self, name: str) -> list[str]:
        table = next((table for table in map(functions, self._files("helper")) if name in table), None)
        return self._ops.get(name, []) if table is None else _alike(name, table, table)

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
    def _ops(self) -> dict[str, list[str]]:
        results: dict[str, list[str]] = {}
        for family in families(self.entries):
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
    if name not in names:
        return list(names[:2])
    position = names.index(name)
    return [*names[max(position - 1, 0) : position], *names[position + 1 : position + 2]]


@dataclass(frozen=True)
class Mutant:
    entry: Entry
    where: Where
    key: str  # of an argument or an output, or "elementwise", "backward", "batch", ...
    what: str
    before: str
    after: str
    trees: tuple[ast.expr, ast.expr] | None = None  # before and after, of an expression

    def __str__(self) -> str:
        return f"{self.where}: {self.entry.name}, {self.key}: {self.what}: `{self.before}` became `{self.after}`"


def mutants(entry: Entry, related: Related, seed: int = 0, max_count: int | None = None) -> list[Mutant]:
    """Nobody makes a mistake in a derived formula: a mutant is to be completed with those of its own expression."""
    written = as_written(entry)
    matches = [*_of_expressions(written, related), *_of_keys(written, related)]
    matches = list({(m.key, m.after): m for m in matches}.values())
    if max_count is None or len(matches) <= max_count:
        return matches
    chosen = random.Random(f"{seed} {entry.name}").sample(range(len(matches)), max_count)
    return [matches[i] for i in sorted(chosen)]


# Expressions.


def _of_expressions(entry: Entry, related: Related) -> Iterator[Mutant]:
    compute = entry.compute
    yield from _of_definitions(entry, related)
    if compute.tree is not None:
        functions = related.scalar if compute.kind == "elementwise" else related.called
        scope = _relations(entry, [], functions)
        for mutant, tree in _changed(entry, compute.kind, compute.written or compute.tree, scope):
            yield replace(mutant, entry=meant(replace(entry, compute=_with(compute, tree))))
    yield from _of_rows(entry, related)
    outputs = [*(output.name for output in entry.schema.returns), "grad"]
    for names, tree in _formulas(entry.gradients):
        for mutant, new in _changed(entry, names[0], tree, _relations(entry, outputs, related.called)):
            yield replace(mutant, entry=meant(replace(entry, gradients=_put(entry.gradients, names, new))))
    tangents = [f"{name}_t" for name, formula in entry.gradients.items() if formula.keyword is None]
    for names, tree in _formulas(entry.forward):
        for mutant, new in _changed(entry, names[0], tree, _relations(entry, tangents, related.called, "_p")):
            yield replace(mutant, entry=meant(replace(entry, forward=_put(entry.forward, names, new))))
    if entry.backward is not None and entry.backward.tree is not None:
        scope = _relations(entry, outputs, lambda name: related.by_hand("kernel", name))
        for mutant, new in _changed(entry, "backward", entry.backward.written or entry.backward.tree, scope):
            yield replace(mutant, entry=meant(replace(entry, backward=_with(entry.backward, new))))


def _of_rows(entry: Entry, related: Related) -> Iterator[Mutant]:
    program = entry.rows
    if program is None:
        return

    def functions(name: str) -> Sequence[str]:
        folds = next((kind for kind in KINDS_OF_FOLDS if name in kind), None)
        return related.scalar(name) if folds is None else [other for other in folds if other != name]

    arrays, numbers = ([p.name for p in value] for value in (program.arrays, program.of_kind("number")))
    known: list[str] = []
    for k, statement in enumerate(program.statements):
        values = {name: [n for n in names if n != name] for names in ([*arrays, *known], numbers) for name in names}
        for mutant, tree in _changed(entry, "rows", statement.value, Relations(values, functions)):
            statements = (*program.statements[:k], replace(statement, value=tree), *program.statements[k + 1 :])
            yield replace(mutant, entry=replace(entry, rows=replace(program, statements=statements)))
        known.append(statement.name)


def _of_definitions(entry: Entry, related: Related) -> Iterator[Mutant]:
    functions = related.scalar if entry.compute.kind == "elementwise" else related.called
    for name, definition in entry.definitions.items():
        tree = definition.written or definition.tree
        if tree is None:
            continue
        for mutant, new in _changed(entry, name, tree, _relations(entry, ["grad"], functions)):
            definitions = {**entry.definitions, name: _with(definition, new)}
            yield replace(mutant, entry=meant(replace(entry, definitions=definitions)))


def _changed(entry: Entry, key: str, tree: ast.expr, scope: Relations) -> Iterator[tuple[Mutant, ast.expr]]:
    for what, node, new in changes(tree, scope):
        where = location(entry.where.file, node)
        yield Mutant(entry, where, key, what, ast.unparse(tree), ast.unparse(new), (tree, new)), new


def _formulas(formulas: Mapping[str, Formula]) -> Iterator[tuple[list[str], ast.expr]]:
    """Each expression once, with the names that it is the formula of: several where it gives a tuple."""
    groups: dict[Where, list[str]] = {}
    for name, formula in formulas.items():
        if formula.tree is not None:
            groups.setdefault(formula.where, []).append(name)
    for names in groups.values():
        tree = formulas[names[0]].written or formulas[names[0]].tree
        assert tree is not None
        yield names, tree.value if len(names) > 1 and isinstance(tree, ast.Subscript) else tree


def _put(formulas: Mapping[str, Formula], names: Sequence[str], tree: ast.expr) -> dict[str, Formula]:
    if len(names) == 1:
        return {**formulas, names[0]: _with(formulas[names[0]], tree)}
    new = {}
    for name in names:
        item = formulas[name].written or formulas[name].tree
        assert isinstance(item, ast.Subscript)
        new[name] = _with(formulas[name], exchanged(item, item.value, tree))
    return {**formulas, **new}


def _with(formula: Written, tree: ast.expr) -> Written:
    return replace(formula, tree=copy.deepcopy(tree), written=None, text=ast.unparse(tree))


def _relations(entry: Entry, more: Sequence[str], functions: object, ending: str = "") -> Relations:
    types: dict[object, list[str]] = {}
    for argument in entry.schema.arguments:
        kind = (argument.type.base, argument.type.is_list)
        name = argument.name + (ending if argument.type.is_tensor else "")
        types.setdefault(kind, []).append(name)
    tensors = types.setdefault(("Tensor", False), [])
    tensors += [name for name in dict.fromkeys(more) if name not in tensors]
    values = {name: [other for other in names if other != name] for names in types.values() for name in names}
    gradients = [name for name in more if name == "grad" or ending]
    return Relations(values, functions, tensors, gradients)  # type: ignore[arg-type]


# Keys.


def _of_keys(entry: Entry, related: Related) -> Iterator[Mutant]:
    yield from _choice_mutants(entry)
    yield from _functions(entry, related)
    for name, formula in entry.forward.items():
        for keyword in FORWARD_KEYWORDS:
            if keyword != formula.keyword:
                new = {**entry.forward, name: Formula(keyword, None, formula.where, keyword)}
                yield _key(entry, name, formula.text, keyword, forward=new, where=formula.where)
    for name, formula in entry.gradients.items():
        if formula.tree is not None:
            word = "non_differentiable"
            new = {**entry.gradients, name: Formula(word, None, formula.where, word)}
            yield _key(entry, name, formula.text, word, gradients=new, where=formula.where)


def _choice_mutants(entry: Entry) -> Iterator[Mutant]:
    for dtype in CHOICES["dtype"]:
        if dtype != entry.dtype and entry.compute.kind in ("elementwise", "kernel"):
            yield _key(entry, "dtype", entry.dtype, dtype, dtype=dtype)
    for kind in CHOICES["dtypes"] if entry.compute.kind in ("elementwise", "kernel") else ():
        others = tuple(each for each in CHOICES["dtypes"] if (each in entry.dtypes) != (each == kind))
        if others:
            yield _key(entry, "dtypes", " ".join(entry.dtypes), " ".join(others), dtypes=others)
    for index, rule in enumerate(entry.result_dtype):
        for other in CHOICES["result_dtype"]:
            if other != rule and entry.compute.kind in ("elementwise", "kernel"):
                yield _key(entry, "result_dtype", rule, other, result_dtype=_item(entry.result_dtype, index, other))
    for index, yes in enumerate(entry.output_differentiability if entry.compute.kind != "composite" else ()):
        new = _item(entry.output_differentiability, index, not yes)
        yield _key(entry, "output_differentiability", str(yes), str(not yes), output_differentiability=new)
    for index, policy in enumerate(entry.kink):
        for other in CHOICES["kink"]:
            if other != policy and "kink" in entry.key_locations:
                yield _key(entry, "kink", policy, other, kink=_item(entry.kink, index, other))
    if entry.commutative or entry.operator:
        yes = not entry.commutative
        yield _key(entry, "commutative", str(not yes), str(yes), commutative=yes)
    if entry.replaces or "inplace" in entry.variants:
        yes = not entry.replaces
        yield _key(entry, "replaces", str(not yes), str(yes), replaces=yes)


def _functions(entry: Entry, related: Related) -> Iterator[Mutant]:
    if entry.check is not None:
        for other in (None, *related.by_hand("check", entry.check)):
            yield _key(entry, "check", entry.check, str(other), check=other)
    if entry.batch is not None:
        for rule in related.by_hand("batch", entry.batch):
            yield _key(entry, "batch", entry.batch, rule, batch=rule)
    kind, text = entry.compute.kind, entry.compute.text
    if kind in ("kernel", "view"):
        for name in related.by_hand(kind, text):
            yield _key(entry, kind, text, name, compute=replace(entry.compute, text=name))


def _item(values: tuple, index: int, new: object) -> tuple:
    return (*values[:index], new, *values[index + 1 :])


def _key(entry: Entry, key: str, before: str, after: str, where: Where | None = None, **changed: object) -> Mutant:
    locations = {key: entry.where, **entry.key_locations}
    changed_entry = replace(entry, key_locations=locations, **changed)  # type: ignore[arg-type]
    if "output_differentiability" not in locations:
        pairs = zip(changed_entry.schema.returns, changed_entry.result_dtype, strict=True)
        some = not undefined(changed_entry.gradients)
        yes = tuple(some and output.type.is_tensor and dtype not in WITHOUT_GRADIENT for output, dtype in pairs)
        changed_entry = replace(changed_entry, output_differentiability=yes)
    what = "dropped" if after == "None" else "exchanged"
    return Mutant(changed_entry, where or entry.key_locations.get(key, entry.where), key, what, before, after)
