"""The tangents of indexed programs."""

import ast
from collections.abc import Mapping
from dataclasses import replace

from ..language.index_expressions import PADDED, Read, element, folded
from ..language.indexed_programs import Statement
from .derivative import ZERO, plus, times
from .index_normal_form import name_of
from .indexed_derivative import Derivation
from .partial_derivatives import is_padded, under_conditions, weight_of
from .program_builder import Derived, ProgramBuilder, shape_source, with_ranges


class Forward(Derivation):
    """The program of the tangents."""

    def derived(self) -> Derived:
        named = {name: self._fresh(f"{name}_tangent") for name in self.differentiable}
        outputs = {named[name]: self.arrays[name].dims for name in self.differentiable}
        dots = {name: self._fresh(f"tangent_of_{name}") for name in self.requested}
        text = self._begun({}, outputs)
        for name in self.requested:
            text.lines.append(f"{dots[name]}: {shape_source(self.arrays[name].dims)}")
        text.names |= {*dots.values()}
        self._values(text)
        for statement in self.statements:
            if statement.name in self.active:
                dots[statement.name] = named.get(statement.name) or self._fresh(f"{statement.name}_dot")
        for statement in self.statements:
            if statement.name in self.active:
                self._tangent(text, statement, dots)
        for name in self.differentiable:
            if name not in self.active:
                self._without_tangent(text, name, named[name])
        return Derived(tuple(with_ranges(text, outputs)), tuple(dots[name] for name in self.requested), tuple(outputs))

    def _without_tangent(self, text: ProgramBuilder, name: str, tangent: str) -> None:
        """The tangent of an output that depends on nothing: zeros."""
        subscripts, ranges = self._all_of(text, name)
        text.add(Statement(tangent, subscripts, ZERO, "", ranges))

    def _tangent(self, text: ProgramBuilder, statement: Statement, dots: Mapping[str, str]) -> None:
        word, over, operand = self._operand(statement)
        total: ast.expr = ZERO
        for read, factor in self._partials(operand):
            total = plus(total, under_conditions(factor, self._element_of(dots[read.name], read)))
        name = dots[statement.name]
        if word == "logsumexp":
            weight = weight_of(operand, element(statement.name, statement.subscripts))
            total = times(weight, total)
        total = self._selected(text, statement, total)
        text.state_size(statement, name, self.arrays[statement.name].dims)
        if statement.collect:
            text.add(replace(statement, name=name, value=total, collect="sum"))
        else:
            text.add(replace(statement, name=name, value=folded("sum", over, total)))

    def _element_of(self, name: str, read: Read) -> ast.expr:
        tree = element(name, read.subscripts)
        return ast.Call(name_of(PADDED), [tree, ZERO], []) if read.node is not None and is_padded(read) else tree
