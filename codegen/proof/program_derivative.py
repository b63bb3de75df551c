"""Gradients and tangents of row programs, as formulas over ops, so that they can be differentiated again.

Reverse: each name of the program has an adjoint, from the last to the first. What an element adds to the adjoint of a
number of its row is summed over the row; the adjoint of a sum goes to each of its elements, that of an extreme to those
that have its value, in equal parts. See A. Griewank and A. Walther, Evaluating Derivatives, chapter 3.

Formulas work on rows that lie along the last dimension: a tensor of rows is `x.movedim(dim, -1)`, a number of each row
has size 1 there.
"""

import ast
import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..language.row_programs import COUNT, ELEMENT_AT, FOLDS, INDEX_NAME, MIN_MAX, Parameter, Program
from ..spec.definitions import of_primals, substituted, trees_of, with_meaning
from ..spec.formula import names_in
from ..spec.model import Entry, Formula
from .derivative import ONE, ZERO, NoDerivative, derivative, is_number, plus, times
from .formulas import Formulas

FLAT = ("any", "all", "argmax", "argmin")  # folds whose derivative is 0 or that have none


@dataclass(frozen=True)
class Step:
    """A statement, or the fold of an expression, which then has a step of its own."""

    value: ast.expr
    fold: str = ""


def program_formulas(entry: Entry) -> tuple[dict[str, Formula], dict[str, Formula], dict[str, Formula]]:
    """Definitions, gradients and tangents of an entry whose program has none; NoDerivative where one is not known."""
    return _Derivation(entry).formulas()


class _Derivation:
    def __init__(self, entry: Entry) -> None:
        assert entry.rows is not None
        self.entry, self.program = entry, entry.rows
        self.dim = entry.schema.argument("dim")
        if self.dim is not None and self.dim.type.is_list:
            raise NoDerivative("a row that lies along several dimensions")
        self.steps = dict(_steps(self.program))
        self.elements = {p.name for p in self.program.of_kind("row", "shared")}
        for name, step in self.steps.items():
            if not step.fold and names_in(step.value) & self.elements:
                self.elements.add(name)
        constant = {name for name, formula in entry.gradients.items() if formula.keyword}
        self.active = {p.name for p in self.program.arrays if p.array not in constant}
        for name, step in self.steps.items():
            if step.fold not in FLAT and names_in(step.value) & self.active:
                self.active.add(name)
        like = next((p.name for p in self.program.of_kind("row") if p.name in self.active), None)
        self.translated = Formulas(None, {*self.elements, *self.steps, *self.active}, entry.functions, like)
        self.definitions: dict[str, ast.expr] = {}
        self.names: dict[str, ast.expr] = {}  # what stands for a name of the program in formulas
        self.known: dict[str, str] = {}  # values of steps, as text, and their names

    def formulas(self) -> tuple[dict[str, Formula], dict[str, Formula], dict[str, Formula]]:
        self._define_values()
        tangents = {output: self._tangent_of_output(output) for output in self._differentiable()}
        gradients = self._gradients()
        conflicts = self.definitions.keys() & {*self.entry.definitions, *(a.name for a in self.entry.schema.arguments)}
        if conflicts:
            raise NoDerivative(f"a part of the formula would have the name of another: {', '.join(sorted(conflicts))}")
        definitions: dict[str, Formula] = {}
        for name in self._used([*tangents.values(), *gradients.values()]):
            definitions |= self._meant({name: self.definitions[name]}, trees_of(definitions))
        own = trees_of(definitions)
        primal = of_primals(own, [a.name for a in self.entry.tensor_arguments])
        return definitions, self._meant(gradients, own), self._meant(tangents, primal)

    def _used(self, trees: list[ast.expr]) -> list[str]:
        used: set[str] = set()
        while trees:
            new = (names_in(trees.pop()) & self.definitions.keys()) - used
            used |= new
            trees += [self.definitions[name] for name in new]
        return [name for name in self.definitions if name in used]

    def _meant(self, trees: Mapping[str, ast.expr], definitions: Mapping[str, ast.expr]) -> dict[str, Formula]:
        results = {}
        for name, made in trees.items():
            tree = _parsed(ast.unparse(made))
            for node in ast.walk(tree):
                ast.copy_location(node, self.program.statements[-1].value)
            formula = Formula(ast.unparse(tree), tree, self.entry.key_locations["rows"], derived=True)
            results[name], fault = with_meaning(formula, definitions)
            if fault:
                raise NoDerivative(fault)
        return results

    def _differentiable(self) -> list[str]:
        pairs = zip(self.entry.schema.returns, self.entry.output_differentiability, strict=True)
        return [output.name for output, yes in pairs if yes]

    # ---- the program's values, by ops --------------------------------------------------------------------------------

    def _define_values(self) -> None:
        for parameter in self.program.parameters:
            self._named(parameter.name, parameter.array, self._parameter(parameter, parameter.array))
        self.names[COUNT] = _parsed(f"{self._size} or 1 if {self._first}.shape else 1")  # it is divided by
        for name, step in self.steps.items():
            value = self._value(step)
            if name in self.program.outputs:
                self._named(name, name, self._of_output(name, name))
            else:
                self.definitions[name] = value
            if not step.fold:
                self.known.setdefault(ast.dump(self.translated.formula(copy.deepcopy(step.value))), name)

    def _named(self, name: str, array: str, tree: ast.expr) -> None:
        """A definition of its own for what is no plain name."""
        if not isinstance(tree, ast.Name):
            self.definitions[f"{array}_rows"] = tree
            tree = ast.Name(f"{array}_rows", ast.Load())
        self.names[name] = tree

    def _parameter(self, parameter: Parameter, name: str) -> ast.expr:
        if parameter.kind == "row" and self.dim is not None:
            return _parsed(f"{name}.movedim(dim, -1)")
        return self._with_row(name) if parameter.kind == "each" else _parsed(name)

    def _of_output(self, output: str, name: str) -> ast.expr:
        if output in self.elements:
            return _parsed(f"{name}.movedim(dim, -1)" if self.dim else name)
        reduced = ast.unparse(self._with_row(name))
        full = f"{name}.movedim(dim, -1)" if self.dim else name
        return _parsed(f"{full} if keepdim else {reduced}" if self._keeps else reduced)

    def _with_row(self, name: str) -> ast.expr:
        """One number a row with a dimension for the row, as a sum has it that keeps its dimension."""
        return _parsed(f"{name}.unsqueeze(-1) if {self._first}.shape else {name}")

    @property
    def _keeps(self) -> bool:
        return self.entry.schema.argument("keepdim") is not None

    def _value(self, step: Step) -> ast.expr:
        value = self._by_ops(step.value)
        if not step.fold:
            return value
        if not self._is_row(step.value):
            raise NoDerivative(f"{step.fold} of what is the same for all elements")
        if step.fold not in MIN_MAX:
            return _method(value, step.fold, "-1, True")
        extreme, none = _method(value, f"a{step.fold}", "-1, True"), _method(value, "sum", "-1, True")
        return ast.IfExp(_parsed(f"not {self._first}.shape or {self._size}"), extreme, none)  # an empty row has none

    @property
    def _first(self) -> str:
        return self.program.of_kind("row")[0].array

    @property
    def _size(self) -> str:
        return f"{self._first}.shape[{'dim' if self.dim else -1}]"

    def _by_ops(self, tree: ast.expr) -> ast.expr:
        """A scalar expression over names of the program as a formula over tensors."""
        return substituted(self._reused(self.translated.formula(copy.deepcopy(tree))), self.names)

    def _reused(self, tree: ast.expr) -> ast.expr:
        known = self.known

        class Reused(ast.NodeTransformer):
            def visit(self, node: ast.AST) -> ast.AST:
                name = known.get(ast.dump(node))
                return self.generic_visit(node) if name is None else ast.Name(name, ast.Load())

        result: ast.expr = Reused().visit(tree)  # type: ignore[assignment]
        return result

    def _is_row(self, tree: ast.expr) -> bool:
        return bool(names_in(tree) & self.elements)

    def _summed(self, tree: ast.expr) -> ast.expr:
        """The sum over a row of a scalar expression, as a formula."""
        if self._is_row(tree):
            return _method(self._by_ops(tree), "sum", "-1, True")
        return self._by_ops(times(tree, ast.Name(COUNT, ast.Load())))

    # ---- reverse -----------------------------------------------------------------------------------------------------

    def _gradients(self) -> dict[str, ast.expr]:
        parts: dict[str, list[tuple[ast.expr, bool]]] = {}
        outputs = self._differentiable()
        for k, output in enumerate(outputs):
            grad = "grad" if len(outputs) == 1 else f"grads[{k}]"
            parts[output] = [(self._of_output(output, grad), output in self.elements)]
        for name, step in reversed(self.steps.items()):
            if name in parts and name in self.active:
                for other, tree, is_row in self._shares(name, step, *self._added(parts[name])):
                    parts.setdefault(other, []).append((tree, is_row))
        arrays = [p for p in self.program.arrays if p.name in self.active]
        missing = [p.array for p in arrays if p.name not in parts]
        if missing:
            raise NoDerivative(f"no differentiable output depends on {', '.join(missing)}")
        return {p.array: self._returned(p, *self._added(parts[p.name])) for p in arrays}

    def _added(self, parts: list[tuple[ast.expr, bool]]) -> tuple[ast.expr, bool]:
        total: ast.expr = ZERO
        for tree, _ in parts:
            total = plus(total, tree)
        return total, any(is_row for _, is_row in parts)

    def _shares(self, name: str, step: Step, adjoint: ast.expr, is_row: bool) -> Iterator[tuple[str, ast.expr, bool]]:
        """What a name's adjoint adds to those of the names that it is computed from."""
        own = self._defined(f"adjoint_{name}", adjoint, is_row)
        if step.fold in MIN_MAX:
            same = self._same(name, step)
            share = _parsed(f"where({same}, {own.id} / ({same}).sum(-1, True), 0)")
            own, is_row = self._defined(f"share_of_{name}", share, True), True
        elif step.fold and step.fold != "sum":
            raise NoDerivative(f"the derivative of {step.fold}")
        for other in sorted(names_in(step.value) & self.active):
            term = times(own, derivative(step.value, {other: ONE}, self.entry.functions))
            if is_number(term, 0):
                continue
            over_row = self._is_row(term) or bool(step.fold) or name in self.elements
            if over_row and other not in self.elements:
                yield other, self._summed(term), False
            else:
                yield other, self._by_ops(term), self._is_row(term)

    def _same(self, name: str, step: Step) -> str:
        """Which elements are the extreme of their row."""
        return f"{ast.unparse(self._by_ops(step.value))} == {ast.unparse(self._by_ops(ast.Name(name, ast.Load())))}"

    def _defined(self, name: str, tree: ast.expr, is_row: bool) -> ast.Name:
        self.definitions[name] = tree
        if is_row:
            self.elements.add(name)
        return ast.Name(name, ast.Load())

    def _returned(self, parameter: Parameter, tree: ast.expr, is_row: bool) -> ast.expr:
        """The gradient of an argument, of its shape."""
        array = parameter.array
        if parameter.kind == "each":
            return _method(tree, "squeeze", "-1")
        if not is_row:
            first = self.names[self.program.of_kind("row")[0].name]
            tree = _method(tree, "expand", f"{ast.unparse(first)}.shape")
        if parameter.kind == "shared":
            return _method(tree, "sum_to_size", f"{array}.shape")
        return _method(tree, "movedim", "-1, dim") if self.dim else tree

    # ---- forward -----------------------------------------------------------------------------------------------------

    def _tangent_of_output(self, output: str) -> ast.expr:
        arrays = [p for p in self.program.arrays if p.name in self.active]
        tangents = {f"{p.name}_dot": self._parameter(p, f"{p.array}_t") for p in arrays}
        for name, step in self.steps.items():
            if name in self.active:
                tangents[f"{name}_dot"] = substituted(self._tangent(name, step), tangents)
        tree = tangents.get(f"{output}_dot")
        if tree is None:
            raise NoDerivative(f"{output} does not depend on a tensor")
        if output in self.elements:
            return _method(tree, "movedim", "-1, dim") if self.dim else tree
        reduced = ast.unparse(_method(tree, "squeeze", "-1"))
        full = ast.unparse(_method(tree, "movedim", "-1, dim") if self.dim else tree)
        return _parsed(f"{full} if keepdim else {reduced}" if self._keeps else reduced)

    def _tangent(self, name: str, step: Step) -> ast.expr:
        dots = {other: ast.Name(f"{other}_dot", ast.Load()) for other in names_in(step.value) & self.active}
        rows = {f"{other}_dot" for other in dots if other in self.elements}
        tree = derivative(step.value, dots, self.entry.functions)
        if not step.fold:
            return self._by_ops(tree)
        is_row = self._is_row(tree) or bool(names_in(tree) & rows)
        if step.fold == "sum":
            return _method(self._by_ops(tree), "sum", "-1, True") if is_row else self._summed(tree)
        if step.fold in MIN_MAX:
            same = self._same(name, step)
            chosen = f"where({same}, {ast.unparse(self._by_ops(tree))}, 0)"
            return _parsed(f"{chosen}.sum(-1, True) / ({same}).sum(-1, True)")
        raise NoDerivative(f"the derivative of {step.fold}")


def _steps(program: Program) -> Iterator[tuple[str, Step]]:
    """The program with a step for each fold, before what reads it."""
    count = 0

    class Hoisted(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.expr:
            nonlocal count
            assert isinstance(node.func, ast.Name)
            node.args = [self.visit(argument) for argument in node.args]
            if node.func.id == ELEMENT_AT:
                raise NoDerivative("the derivative of at")
            if node.func.id not in FOLDS:
                return node
            fold = "sum" if node.func.id == "mean" else node.func.id
            count += 1
            name = f"{fold}_{count}"
            folds.append((name, Step(node.args[0], fold)))
            result: ast.expr = ast.Name(name, ast.Load())
            return ast.BinOp(result, ast.Div(), ast.Name(COUNT, ast.Load())) if node.func.id == "mean" else result

    for statement in program.statements:
        folds: list[tuple[str, Step]] = []
        value = Hoisted().visit(copy.deepcopy(statement.value))
        if INDEX_NAME in names_in(value):
            raise NoDerivative("a program that reads i")
        yield from folds
        yield statement.name, Step(value)


def _parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _method(tree: ast.expr, name: str, arguments: str) -> ast.expr:
    call = _parsed(f"x.{name}({arguments})")
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    call.func.value = tree
    return call
