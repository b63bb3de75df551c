"""Reads indexed programs: their statements, the sizes of arrays and the ranges of indices."""

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from .index_expressions import (
    FOLDS,
    Read,
    bound_names,
    copied,
    fold_of,
    folded,
    free_names,
    fresh,
    is_name,
    reads,
    rebuilt,
    renamed,
    same,
    subscripts_of,
)
from .indexed_faults import RESERVED, program_faults
from .indexed_programs import Array, Fault, IndexedProgram, Statement, ordered
from .syntax import SCALAR_SYNTAX, did_you_mean, faults, too_deep

COLLECTING = ("sum", "max", "min", "argmax", "argmin")  # folds of what goes to one place
SYNTAX = (*SCALAR_SYNTAX, ast.Subscript, ast.Tuple)
MAX_STATEMENTS = 50


class Reader:
    """Reads the statements of a program; `faults` are what is wrong, each with the node where it is."""

    def __init__(
        self,
        name: str,
        inputs: Mapping[str, str],
        numbers: Mapping[str, str],
        outputs: Sequence[str],
        unchecked: Collection[str] = (),
        is_derived: bool = False,
    ) -> None:
        self.name = name
        self.is_derived = is_derived  # from one that was read, so that its syntax is right
        self.unchecked = frozenset(unchecked)  # arguments whose elements may be places outside
        self.inputs, self.numbers, self.outputs = inputs, numbers, tuple(outputs)
        self.faults: list[Fault] = []
        self.shapes: dict[str, tuple[ast.expr, ...]] = {}
        self.ranges: dict[str, tuple[ast.expr, ast.expr]] = {}
        self.parts: dict[str, ast.expr] = {}  # assigned without an index
        self.written: list[Statement] = []

    def read(self, body: Sequence[ast.stmt]) -> IndexedProgram | None:
        if len(body) > MAX_STATEMENTS and not self.is_derived:
            self._fault(body[MAX_STATEMENTS], f"expected at most {MAX_STATEMENTS} statements")
            return None
        for node in body:
            self._statement(node)
        if self.faults:
            return None
        self._missing(body[-1] if body else ast.Pass(lineno=1, col_offset=0))
        return None if self.faults else Typed(self).program()

    def _fault(self, node: ast.AST, message: str) -> None:
        self.faults.append((node, message))

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=None):
                self._declared(name, annotation)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name not in (*self.outputs, *self.shapes):
                self._expression(value)
                self._named(node, name)
                self.parts[name] = self._with_parts(value)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._assigned(node, name, (), value)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name)) as target], value=value):
                self._assigned(node, name, subscripts_of(target), value)
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name)) as target, op=ast.Add(), value=value):
                self._assigned(node, name, subscripts_of(target), value, "sum")
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=value):
                self._assigned(node, name, (), value, "sum")
            case _:
                self._fault(node, f"expected an assignment, name[i] = expression, found '{ast.unparse(node)[:40]}'")

    def _declared(self, name: str, annotation: ast.expr) -> None:
        match annotation:
            case ast.Call(func=ast.Name(id="range"), args=[stop], keywords=[]):
                self.ranges[name] = ast.Constant(0), self._with_parts(stop)
            case ast.Call(func=ast.Name(id="range"), args=[start, stop], keywords=[]):
                self.ranges[name] = self._with_parts(start), self._with_parts(stop)
            case ast.Tuple(elts=elts):
                self.shapes[name] = tuple(self._with_parts(each) for each in elts)
            case _:
                self._fault(annotation, f"expected {name}: (n, d), the sizes of an array, or {name}: range(n)")

    def _assigned(
        self, node: ast.stmt, name: str, subscripts: tuple[ast.expr, ...], value: ast.expr, collect: str = ""
    ) -> None:
        self._expression(value)
        for subscript in subscripts:
            self._expression(subscript)
        self._named(node, name, repeats=bool(collect))
        value = self._with_parts(value)
        fold = fold_of(value)
        if not (fold and (collect or not self._is_plain(subscripts))):
            outer = [name for subscript in subscripts for name in free_names(subscript)]
            value = self._with_own_indices(value, outer if not collect else [])
            fold = fold_of(value)
        subscripts = tuple(self._with_parts(subscript) for subscript in subscripts)
        if not collect and not self._is_plain(subscripts):
            if fold is None or fold[0] not in COLLECTING:
                text = ", ".join(map(ast.unparse, subscripts))
                self._fault(node, f"several indices may give one place of {name}[{text}]: expected += or = max[i](...)")
                return
            collect, value = fold[0], fold[2]
        self.written.append(Statement(name, subscripts, value, collect, node=node))

    def _is_plain(self, subscripts: Sequence[ast.expr]) -> bool:
        """Whether places are indices, each another one."""
        names = [p.id for p in subscripts if isinstance(p, ast.Name) and p.id not in (*self.numbers, *self.inputs)]
        return len(set(names)) == len(subscripts)

    def _with_own_indices(self, tree: ast.expr, outer: Collection[str]) -> ast.expr:
        """With other names for the indices of folds that are indices outside of these, too."""

        def visit(node: ast.AST, bound: frozenset[str]) -> ast.AST:
            fold = fold_of(node)
            if fold is None:
                return rebuilt(node, lambda child: visit(child, bound))
            word, over, operand = fold
            names = {index: fresh(index, {*bound, *self.ranges}) for index in over if index in bound}
            for index, name in names.items():
                if index in self.ranges:
                    self.ranges[name] = self.ranges[index]
            operand = renamed(operand, {index: ast.Name(name, ast.Load()) for index, name in names.items()})
            own = [names.get(index, index) for index in over]
            return folded(word, own, visit(operand, bound | {*own}))  # type: ignore[arg-type]

        result = visit(tree, frozenset(outer))
        assert isinstance(result, ast.expr)
        return result

    def _named(self, node: ast.stmt, name: str, repeats: bool = False) -> None:
        if name in self.inputs or name in self.numbers:
            self._fault(node, f"'{name}' is an argument: choose another name")
        elif name in self.parts or (not repeats and any(each.name == name for each in self.written)):
            self._fault(node, f"'{name}' has a value already")
        elif name in FOLDS or name in RESERVED or name.startswith("_") or name.endswith("_"):
            self._fault(node, f"'{name}' is a word of indexed programs, or begins or ends with an underscore")

    def _expression(self, value: ast.expr) -> None:
        if self.is_derived:
            return
        for node in ast.walk(value):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in FOLDS:
                text = f"{node.func.id}() needs the indices that it folds: {node.func.id}[k](...)"
                self._fault(node, text)
                return
        if too_deep(value):
            self._fault(value, "expected an expression of fewer levels: give a part of it a name")
            return

        class Plain(ast.NodeTransformer):  # folds as calls of plain functions, which SYNTAX knows
            def visit_Call(self, node: ast.Call) -> ast.AST:
                if isinstance(node.func, ast.Subscript) and isinstance(node.func.value, ast.Name):
                    node.func = node.func.value
                self.generic_visit(node)
                return node

        self.faults += faults(tree := Plain().visit(copied(value)), tree, SYNTAX)

    def _with_parts(self, tree: ast.expr) -> ast.expr:
        return renamed(tree, self.parts) if self.parts else tree

    def _missing(self, last: ast.stmt) -> None:
        assigned = {statement.name for statement in self.written}
        for output in self.outputs:
            if output not in assigned:
                self._fault(last, f"expected an assignment to the output '{output}'{did_you_mean(output, assigned)}")
        used = {name for s in self.written for tree in (s.value, *s.subscripts) for name in free_names(tree)}
        for name in assigned - used - {*self.outputs}:
            node = next(s.node for s in self.written if s.name == name)
            self._fault(node, f"'{name}' is neither read nor an output ({', '.join(self.outputs)})")


class Typed:
    """Finds sizes of arrays and ranges of indices."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.arrays: dict[str, Array] = {}
        self.equal: list[tuple[ast.expr, ast.expr, str]] = []
        self.names: dict[str, str] = {}  # a size that is the same as another one
        self.sizes: list[str] = []

    def program(self) -> IndexedProgram | None:
        for name, kind in self.reader.inputs.items():
            self.arrays[name] = Array(name, kind, self._input_dims(name))
        order = dict.fromkeys(statement.name for statement in self.reader.written)
        for name in order:
            declared = self.reader.shapes.get(name)
            subscripts = next(s.subscripts for s in self.reader.written if s.name == name)
            dims = declared if declared is not None else tuple(ast.Name("?") for _ in subscripts)
            self.arrays[name] = Array(name, "output" if name in self.reader.outputs else "local", dims)
        statements = tuple(self._ranged(statement) for statement in self.reader.written)
        if self.reader.faults:
            return None
        for statement in statements:
            self._tied(statement)
        statements = tuple(replace(s, ranges={k: self._both(v) for k, v in s.ranges.items()}) for s in statements)
        statements = ordered(statements)
        arrays = {a.name: replace(a, dims=tuple(map(self._canonical, a.dims))) for a in self.arrays.values()}
        equal = tuple((self._canonical(a), self._canonical(b), text) for a, b, text in self.equal)
        equal = tuple((a, b, text) for a, b, text in equal if not same(a, b))
        sizes = tuple(dict.fromkeys(self._root(name) for name in self.sizes))
        program = IndexedProgram(
            self.reader.name,
            arrays,
            self.reader.numbers,
            statements,
            self.reader.outputs,
            sizes,
            equal,
            self.reader.unchecked,
        )
        self.reader.faults += program_faults(program)
        return None if self.reader.faults else program

    def _input_dims(self, name: str) -> tuple[ast.expr, ...]:
        dims = self.reader.shapes.get(name)
        if dims is None:
            trees = [tree for s in self.reader.written for tree in (s.value, *s.subscripts)]
            ranks = {len(read.subscripts): read.node for tree in trees for read in reads(tree, (name,))}
            if len(ranks) > 1:
                self.reader._fault(next(iter(ranks.values())), f"'{name}' has {' and '.join(map(str, ranks))} indices")
            dims = tuple(ast.Name(f"{name}_size_{k}", ast.Load()) for k in range(min(ranks, default=0)))
        for dim in dims:
            if isinstance(dim, ast.Name) and dim.id not in self.reader.numbers:
                self.sizes.append(dim.id)
        return dims

    def _root(self, name: str) -> str:
        while name in self.names:
            name = self.names[name]
        return name

    def _canonical(self, tree: ast.expr) -> ast.expr:
        known = {name: ast.Name(self._root(name), ast.Load()) for name in self.names}
        return renamed(tree, known)

    def _both(self, ends: tuple[ast.expr, ast.expr]) -> tuple[ast.expr, ast.expr]:
        return self._canonical(ends[0]), self._canonical(ends[1])

    def _is_index(self, name: str) -> bool:
        return not (name in self.arrays or name in self.reader.numbers or name in self.sizes or name in NUMBERS)

    def _ranged(self, statement: Statement) -> Statement:
        trees = (statement.value, *statement.subscripts)
        names = [name for tree in trees for name in (*free_names(tree), *bound_names(tree)) if self._is_index(name)]
        ranges: dict[str, tuple[ast.expr, ast.expr]] = {}
        for name in dict.fromkeys(names):
            result = self.reader.ranges.get(name) or self._range_of(name, statement)
            if result is None:
                if any(read.name == name for read in reads(statement.value, {name: 0})) and len(names) == 0:
                    continue
                self.reader._fault(statement.node, self._unknown(name, statement))
                continue
            ranges[name] = result
        own = self.arrays[statement.name]
        if any(is_name(dim, "?") for dim in own.dims) and len(own.dims) == len(statement.subscripts):
            if statement.collect:
                text = ", ".join("n" * (k == 0) or "m" for k in range(len(own.dims)))
                self.reader._fault(
                    statement.node, f"the sizes of {own.name} are unknown: expected {own.name}: ({text})"
                )
            else:
                dims = tuple(ranges.get(subscript.id, (ast.Constant(0), ast.Constant(1)))[1]
                             for subscript in statement.subscripts if isinstance(subscript, ast.Name))  # fmt: skip
                self.arrays[own.name] = replace(own, dims=dims)
        return replace(statement, ranges=ranges)

    def _tied(self, statement: Statement) -> None:
        """Sizes that have no name of their own are those of the indices that stand alone there."""
        declared = {n for dims in self.reader.shapes.values() for d in dims for n in free_names(d)}
        for tree in (statement.value, *statement.subscripts):
            for read in reads(tree, self.arrays.keys() - self.reader.shapes.keys()):
                for d, (subscript, dim) in enumerate(zip(read.subscripts, self.arrays[read.name].dims, strict=True)):
                    ends = statement.ranges.get(subscript.id) if isinstance(subscript, ast.Name) else None
                    is_named = isinstance(dim, ast.Name) and dim.id in declared
                    if ends and not is_named and isinstance(ends[1], ast.Name) and isinstance(ends[0], ast.Constant):
                        self._tie(ends[1], dim, f"dimension {d} of {read.name}")

    def _unknown(self, name: str, statement: Statement) -> str:
        known = [*self.arrays, *self.sizes, *self.reader.numbers]
        in_loops = {n for p in statement.subscripts for n in free_names(p)} | {*bound_names(statement.value)}
        if name in in_loops or statement.collect:
            text = f"expected {name}: range(n), or a read where it stands alone"
            return f"the range of the index '{name}' is unknown: {text}"
        return f"unknown name '{name}'{did_you_mean(name, known)}"

    def _range_of(self, name: str, statement: Statement) -> tuple[ast.expr, ast.expr] | None:
        """That of the dimensions where an index stands alone; sizes of arguments that it ties are one size."""
        matches: ast.expr | None = None
        trees = (statement.value, *statement.subscripts)
        alone = [read for tree in trees for read in reads(tree, self.arrays)]
        alone.append(Read(statement.name, statement.subscripts, statement.value))
        for read in alone:
            dims = self.arrays[read.name].dims
            if len(dims) != len(read.subscripts):
                text = f"'{read.name}' has {len(dims)} dimensions, not {len(read.subscripts)}"
                self.reader._fault(statement.node, text)
                return ast.Constant(0), ast.Constant(1)
            for d, (subscript, dim) in enumerate(zip(read.subscripts, dims, strict=True)):
                if is_name(subscript, name) and not is_name(dim, "?"):
                    if matches is None:
                        matches = dim
                    else:
                        self._tie(matches, dim, f"dimension {d} of {read.name}")
        return None if matches is None else (ast.Constant(0), matches)

    def _tie(self, one: ast.expr, other: ast.expr, text: str) -> None:
        one, other = self._canonical(one), self._canonical(other)
        if same(one, other):
            return
        if isinstance(one, ast.Name) and isinstance(other, ast.Name):
            first, second = one.id, other.id
            if first in self.sizes and second in self.sizes:
                declared = {n for dims in self.reader.shapes.values() for d in dims for n in free_names(d)}
                first, second = (second, first) if second in declared and first not in declared else (first, second)
                self.names[second] = first
                return
        self.equal.append((one, other, text))


NUMBERS = ("inf", "nan", "pi", "True", "False")
