"""Indexed programs element by element in double precision: what the generated loops are compared with.

An expression asks for the elements that it reads, and each is computed once: no order of statements or indices is
assumed. An element that needs itself ends in a RecursionError.
"""

import ast
import copy
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..language.index_expressions import fold_of, subscripts_of
from ..language.indexed_programs import IndexedProgram, Statement

Scalar = Any  # a number or a bool, of Python or of NumPy
Index = tuple[int, ...]
Functions = Mapping[str, Callable[..., Any]]  # of runtime/kernels/scalar, by name
JOINS = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum, "logsumexp": np.logaddexp}
JOINS |= {"any": np.logical_or, "all": np.logical_and}
NONE = {"max": -np.inf, "min": np.inf, "any": False, "all": True, "argmax": 0, "argmin": 0}  # of no values


@np.errstate(all="ignore")
def outputs_of(program: IndexedProgram, arguments: Mapping[str, Any], functions: Functions) -> dict[str, np.ndarray]:
    """The outputs by name, of arrays that may have a batch ahead, and of numbers."""
    inputs = {a.name: np.asarray(arguments[a.name]) for a in program.of_kind("input", "constant")}
    ahead = {name: array.ndim - len(program.arrays[name].dims) for name, array in inputs.items()}
    batch = np.broadcast_shapes(*(array.shape[: ahead[name]] for name, array in inputs.items()))
    fused = {name: np.broadcast_to(a, (*batch, *a.shape[ahead[name] :])) for name, a in inputs.items()}
    numbers = {name: _wide(arguments[name]) for name in program.numbers}
    empty = {name: np.zeros(array.shape[len(batch) :]) for name, array in fused.items()}
    shape = Example(program, empty, numbers, functions).shape
    parts = [{n: array[at] for n, array in fused.items()} for at in np.ndindex(batch)]
    examples = [Example(program, part, numbers, functions) for part in parts]
    matches = {n: [e.element(n, at) for e in examples for at in np.ndindex(shape(n))] for n in program.outputs}
    return {name: np.array(elements).reshape((*batch, *shape(name))) for name, elements in matches.items()}


class Example:
    """A program at one example of a batch."""

    def __init__(
        self, program: IndexedProgram, arrays: Mapping[str, np.ndarray], numbers: Mapping[str, Scalar], known: Functions
    ) -> None:
        self.program, self.arrays = program, arrays
        own = {"inf": np.inf, "nan": np.nan, "pi": np.pi, "int": lambda x: np.int64(np.trunc(x))}
        own |= {"_power": np.float_power, "_wide": _wide, "_read": self.read, "_fold": self.fold}
        pairs = [pair for name, a in arrays.items() for pair in zip(program.arrays[name].dims, a.shape, strict=True)]
        sizes = {ast.unparse(dim): np.int64(size) for dim, size in pairs}
        self.scope = {"__builtins__": {}, **known, **own, **sizes, **numbers}
        self.compiled: dict[int, Any] = {}
        self.elements: dict[tuple[str, Index], Scalar] = {}
        self.gathered: dict[int, dict[Index, Scalar]] = {}  # what statements scatter

    def value(self, tree: ast.expr, scope: Mapping[str, Scalar], statement: Statement | None = None) -> Scalar:
        if id(tree) not in self.compiled:
            changed = ast.Expression(_OfElements(self.program.arrays).visit(copy.deepcopy(tree)))
            self.compiled[id(tree)] = compile(ast.fix_missing_locations(changed), "<indexed program>", "eval")
        return eval(self.compiled[id(tree)], {**self.scope, **scope, "_statement": statement})

    def shape(self, name: str) -> Index:
        return tuple(max(0, int(self.value(dim, {}))) for dim in self.program.arrays[name].dims)

    def read(self, name: str, subscripts: Sequence[Scalar], outside: Scalar) -> Scalar:
        """An element, or what stands for one outside."""
        inside = (0 <= subscript < size for subscript, size in zip(subscripts, self.shape(name), strict=True))
        return self.element(name, tuple(map(int, subscripts))) if all(inside) else outside

    def element(self, name: str, at: Index) -> Scalar:
        if name in self.arrays:
            return _wide(self.arrays[name][at])
        if (name, at) not in self.elements:
            values = [self.assigned(each, at) for each in self.program.statements if each.name == name]
            self.elements[name, at] = values[0] if len(values) == 1 else sum(values)
        return self.elements[name, at]

    def assigned(self, statement: Statement, at: Index) -> Scalar:
        if not statement.collect:
            scope = {ast.unparse(p): np.int64(subscript) for p, subscript in zip(statement.subscripts, at, strict=True)}
            return self.value(statement.value, scope, statement)
        if id(statement) not in self.gathered:
            values: dict[Index, list[tuple[int, Scalar]]] = {}
            for flat, scope in self.steps(statement.indices, statement):
                own = tuple(self.value(subscript, scope, statement) for subscript in statement.subscripts)
                values.setdefault(own, []).append((flat, self.value(statement.value, scope, statement)))
            self.gathered[id(statement)] = {own: _folded(statement.collect, each) for own, each in values.items()}
        none = -1 if statement.collect.startswith("arg") else _folded(statement.collect, [])
        return self.gathered[id(statement)].get(at, none)

    def steps(self, indices: Sequence[str], statement: Statement) -> Iterator[tuple[int, dict[str, Scalar]]]:
        ends = [[int(self.value(end, {})) for end in statement.ranges[index]] for index in indices]
        first = ends[0][0] if len(ends) == 1 else 0  # the place of an index alone is its value
        for flat, values in enumerate(itertools.product(*(range(*each) for each in ends)), first):
            yield flat, dict(zip(indices, map(np.int64, values), strict=True))

    def fold(self, statement: Statement, word: str, indices: str, operand: Callable[..., Scalar]) -> Scalar:
        return _folded(word, [(flat, operand(**scope)) for flat, scope in self.steps(indices.split(), statement)])


class _OfElements(ast.NodeTransformer):  # elements, folds and powers as calls
    def __init__(self, arrays: Collection[str]) -> None:
        self.arrays = arrays

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if fold := fold_of(node):
            names = ast.arguments([], [ast.arg(name) for name in fold[1]], None, [], [], None, [])
            inputs = [ast.Name("_statement", ast.Load()), ast.Constant(fold[0]), ast.Constant(" ".join(fold[1]))]
            return _call("_fold", *inputs, ast.Lambda(names, self.visit(fold[2])))
        name = ast.unparse(node.func)
        arguments = [self.visit(argument) for argument in node.args]
        if name == "padded":  # the element, read with another number for outside
            return ast.Call(arguments[0].func, [*arguments[0].args[:2], arguments[1]], [])
        return _call("_wide", _call(name, *arguments))

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        subscripts = ast.Tuple([self.visit(subscript) for subscript in subscripts_of(node)], ast.Load())
        return _call("_read", ast.Constant(ast.unparse(node.value)), subscripts, ast.Name("nan", ast.Load()))

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.visit_Subscript(ast.Subscript(node, ast.Tuple([]))) if node.id in self.arrays else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        return _call("_wide", self.generic_visit(node))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        return _call("_power", node.left, node.right) if isinstance(node.op, ast.Pow) else node


def _call(name: str, *arguments: Any) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _wide(value: Any) -> Scalar:
    kind = np.asarray(value).dtype.kind
    return {"b": bool, "i": np.int64, "u": np.int64}.get(kind, np.float64)(value)


def _folded(word: str, values: Sequence[tuple[int, Scalar]]) -> Scalar:
    """What a fold makes of values, of which each has a place."""
    matches = [+value for _, value in values]  # bools as integers
    if not matches and word in NONE:
        return NONE[word]
    if word.startswith("arg"):
        sign = 1 if word == "argmax" else -1
        return max(values, key=lambda each: (bool(np.isnan(each[1])), sign * each[1]))[0]
    return np.add.reduce(matches) / np.float64(len(matches)) if word == "mean" else JOINS[word].reduce(matches)
