"""The gradients of indexed programs."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..language.index_expressions import (
    PADDED,
    Read,
    element,
    folded,
    free_names,
    is_name,
    linear,
    reads,
    renamed,
    same,
    simplified,
    subscripts_of,
)
from ..language.indexed_programs import IndexedProgram, Statement
from ..language.scalar_functions import Functions, is_expensive
from .derivative import ZERO, is_number, plus, times
from .index_normal_form import name_of
from .indexed_derivative import Derivation
from .partial_derivatives import ranges_of, weight_of
from .program_builder import Derived, shape_source, with_ranges


class Reverse(Derivation):
    """The program of the gradients."""

    def __init__(
        self, program: IndexedProgram, active: Iterable[str], outputs: Iterable[str], functions: Functions
    ) -> None:
        super().__init__(program, active, outputs, functions)
        gradients = {name: self._fresh(f"{name}_gradient") for name in self.requested}
        self.named = {*gradients.values()}
        self.outputs = {gradients[name]: self.arrays[name].dims for name in self.requested}
        self.grads = {name: self._fresh(f"grad_{name}") for name in self.differentiable}
        names = sorted(self.active)
        self.adjoints = {name: gradients.get(name) or self._fresh(f"adjoint_{name}") for name in names}
        self.text = self._begun({self.grads[n]: self.arrays[n].dims for n in self.differentiable}, self.outputs)
        self.own = {name: self._all_of(self.text, name) for name in self.adjoints}
        self.parts: dict[str, list[ast.expr]] = {}  # what is added to adjoints, of expressions of their places
        self.scatters: dict[str, list[Statement]] = {}  # and by statements
        self.made: set[str] = set()  # the adjoints that are complete

    def derived(self) -> Derived:
        self._values(self.text)
        for name in self.active & self.grads.keys():
            self.parts[name] = [element(self.grads[name], self.own[name][0])]
        for group in reversed(self.normal.groups):
            self._group(group)
        for name in self.requested:
            self._adjoint(name)
        return Derived(tuple(with_ranges(self.text, self.outputs)), tuple(self.grads.values()), tuple(self.outputs))

    def _group(self, group: Sequence[Statement]) -> None:
        """What statements add to the adjoints of what they read; their own adjoints are known by then."""
        is_recurrence = self.normal.is_recurrence(group)
        names = dict.fromkeys(s.name for s in reversed(group) if s.name in self.active)
        if is_recurrence:  # what statements of the group add to each other has to be known first
            for statement in reversed(group):
                if statement.name in self.active:
                    self._shares(statement, is_recurrence=True)
            for name in [name for name in names if name in self.scatters]:
                self.parts.setdefault(name, []).append(self._scattered(name, self.scatters.pop(name)))
            for name in names:
                self._adjoint(name, is_recurrence=True)
            return
        for statement in reversed(group):
            if statement.name in self.active and (statement.name in self.parts or statement.name in self.scatters):
                self._adjoint(statement.name)
                self._shares(statement)

    def _same_array(self, part: ast.expr, subscripts: Sequence[ast.expr]) -> str:
        """The array of which an adjoint is a copy."""
        match part:
            case ast.Subscript(value=ast.Name(id=name)) if all(map(same, subscripts_of(part), subscripts)):
                return name if len(subscripts_of(part)) == len(subscripts) else ""
        return ""

    def _scattered(self, name: str, statements: Sequence[Statement]) -> ast.expr:
        """What statements outside of a recurrence scatter to an adjoint, as an array that it reads."""
        array = self._fresh(f"outer_{name}")
        self.text.lines.append(f"{array}: {shape_source(self.arrays[name].dims)}")
        for statement in statements:
            self.text.add(replace(statement, name=array))
        return element(array, self.own[name][0])

    def _adjoint(self, name: str, is_recurrence: bool = False) -> None:
        """The adjoint of an array, of which all parts are known."""
        subscripts, ranges = self.own[name]
        adjoint = self.adjoints[name]
        if adjoint in self.made:
            return
        self.made.add(adjoint)
        own_parts = self.parts.get(name, [])
        if len(own_parts) == 1 and name not in self.scatters and adjoint not in self.named and not is_recurrence:
            other = self._same_array(own_parts[0], subscripts)
            if other:
                self.adjoints[name] = other
                return
        if own_parts or not self.scatters.get(name):
            total: ast.expr = ZERO
            for part in own_parts:
                total = plus(total, part)
            used = ranges_of(total, self.known_ranges)
            self.text.add(Statement(adjoint, subscripts, total, "", {**used, **ranges}))
        elif (line := f"{adjoint}: {shape_source(self.arrays[name].dims)}") not in self.text.lines:
            self.text.lines.append(line)
        for statement in self.scatters.get(name, []):
            self.text.add(replace(statement, name=adjoint))

    def _shares(self, statement: Statement, is_recurrence: bool = False) -> None:
        """The shares of all that a statement reads in its adjoint."""
        word, over, operand = self._operand(statement)
        adjoint = element(self.adjoints[statement.name], statement.subscripts)
        if statement.collect:
            adjoint = ast.Call(name_of(PADDED), [adjoint, ZERO], []) if statement.subscripts else adjoint
        indices = (*statement.indices, *over)
        if word == "logsumexp":
            adjoint = times(adjoint, weight_of(operand, element(statement.name, statement.subscripts)))
        adjoint = self._selected(self.text, statement, adjoint)
        for read, factor in self._partials(operand):
            if is_recurrence and not over and is_expensive(factor):
                factor = self._in_advance(read, factor, statement)
            self._share(read, times(adjoint, factor), indices, statement)

    def _in_advance(self, read: Read, factor: ast.expr, statement: Statement) -> ast.expr:
        """A factor as an array: its loop, which is no recurrence, may be vector code."""
        array = self._fresh(f"partial_{read.name}")
        ranges = {name: self.known_ranges[name] for name in free_names(factor) if name in self.known_ranges}
        self.text.add(Statement(array, statement.subscripts, factor, "", ranges | dict(statement.ranges)))
        return element(array, statement.subscripts)

    def _share(self, read: Read, value: ast.expr, indices: Sequence[str], statement: Statement) -> None:
        """What the adjoint of an element gets from one place where it is read."""
        gathered = self._gathered(read, value, indices, statement)
        if gathered is not None:
            self.parts.setdefault(read.name, []).append(gathered)
            return
        named = {name for tree in (value, *read.subscripts) for name in free_names(tree)}
        value = folded("sum", [index for index in indices if index not in named], value)
        ranges = {index: statement.ranges[index] for index in indices}
        self.scatters.setdefault(read.name, []).append(Statement(read.name, read.subscripts, value, "sum", ranges))

    def _gathered(self, read: Read, value: ast.expr, indices: Sequence[str], statement: Statement) -> ast.expr | None:
        """A share as a fold over the indices that places lack; None where places are not indices with offsets."""
        inverse = self._inverse(read, indices, statement)
        if inverse is None:
            return None
        known, tests = inverse
        self._state_sizes(read.name, known, value, statement)
        others = [own.id for own in self.own[read.name][0] if isinstance(own, ast.Name)]
        rest = [name for name in indices if name not in known]
        new: dict[str, str] = {}
        for name in rest:
            new[name] = self.text.index(name, *statement.ranges[name], [*others, *new.values()])
            self.known_ranges[new[name]] = statement.ranges[name]
        named = {name: name_of(each) for name, each in new.items()}
        tree = folded("sum", [new[name] for name in rest], renamed(value, {**known, **named}))
        if not tests:
            return tree
        condition = tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
        return ast.IfExp(condition, tree, ZERO)

    def _state_sizes(self, name: str, known: Mapping[str, ast.expr], value: ast.expr, statement: Statement) -> None:
        """The sizes of arrays that are read at an index which has another range now: it does not say what they are."""
        ranges = self.own[name][1]
        names = {index: tree.id for index, tree in known.items() if isinstance(tree, ast.Name)}
        moved = [index for index, own in names.items() if not same(statement.ranges[index][1], ranges[own][1])]
        arrays = {self.adjoints[each]: each for each in self.adjoints if self.adjoints[each] not in self.outputs}
        arrays |= {each: each for each, array in self.arrays.items() if array.kind not in ("input", "constant")}
        for read in reads(value, arrays):
            line = f"{read.name}: {shape_source(self.arrays[arrays[read.name]].dims)}"
            if any(is_name(each, index) for each in read.subscripts for index in moved) and line not in self.text.lines:
                self.text.lines.append(line)

    def _inverse(
        self, read: Read, indices: Sequence[str], statement: Statement
    ) -> tuple[dict[str, ast.expr], list[ast.expr]] | None:
        """A statement's indices by the places of an element that it reads, and what must hold for these."""
        subscripts, ranges = self.own[read.name]
        known: dict[str, ast.expr] = {}
        tests: list[ast.expr] = []
        for subscript, own in zip(read.subscripts, subscripts, strict=True):
            terms, _ = linear(subscript)
            index = next((name for name in terms if name in indices), "")
            if any(name.startswith("?") for name in terms) or index in known:
                return None
            if not index:  # one element
                tests.append(ast.Compare(own, [ast.Eq()], [subscript]))
                continue
            if terms[index] != 1 or sum(name in indices for name in terms) > 1:
                return None
            known[index] = simplified(ast.BinOp(own, ast.Sub(), renamed(subscript, {index: ZERO})))
            start, stop = statement.ranges[index]
            assert isinstance(own, ast.Name)
            if not (is_number(start, 0) and same(stop, ranges[own.id][1]) and same(known[index], own)):
                tests.append(ast.Compare(start, [ast.LtE(), ast.Lt()], [known[index], stop]))
        return known, tests
