"""Reads what a user's package says of its own scalar functions: derivatives, and what they compute. Nothing is run.

A function of assignments, choices and one result per branch is an expression. One that loops is not:
`@derivatives("...")` above it gives its derivatives. codegen/verify/functions.py compares both with its numbers.
"""

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..language.scalar_functions import FUNCTIONS, Functions, Scalar
from ..language.syntax import SCALAR_SYNTAX, did_you_mean, faults, too_deep
from ..spec.formula import functions_in, location
from ..spec.model import Problem
from .scalar_code import NotElementwise, bounded, substitute

DECORATOR = "derivatives"  # of runtime/kernels/declarations.py
CONSTANTS = ("PI", "pi", "inf", "nan")
SAME = ("PI", "pi")  # that modules define, and that mean themselves


class NoExpression(Exception):
    """A function that does more than compute one expression."""


@dataclass(frozen=True)
class Definition:
    name: str
    file: Path
    node: ast.FunctionDef

    @property
    def parameters(self) -> tuple[str, ...]:
        arguments = self.node.args
        return tuple(a.arg for a in (*arguments.posonlyargs, *arguments.args))

    @property
    def declared(self) -> ast.Call | None:
        for decorator in self.node.decorator_list:
            function = decorator.func if isinstance(decorator, ast.Call) else decorator
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name == DECORATOR and isinstance(decorator, ast.Call):
                return decorator
        return None

    @property
    def domain(self) -> dict[str, tuple[float, float]]:
        value = self.declared.keywords if self.declared else []
        return {keyword.arg or "": result for keyword in value if (result := interval(keyword.value))}


def interval(tree: ast.expr) -> tuple[float, float] | None:
    try:
        low, high = ast.literal_eval(tree)
        return (float(low), float(high)) if -math.inf < low < high < math.inf else None
    except (TypeError, ValueError, SyntaxError):
        return None


def read_functions(definitions: Sequence[Definition], before: Functions) -> tuple[Functions, list[Problem]]:
    known = {d.name: Scalar(d.parameters, (None,) * len(d.parameters)) for d in definitions} | dict(before)
    problems = [problem for d in definitions for problem in declaration_faults(d, known)]
    if problems:
        return before, problems
    results = dict(before)
    reader = Reader(definitions, known)
    for d in definitions:
        declared = [derivative_source(argument) for argument in d.declared.args] if d.declared else []
        results[d.name] = Scalar(d.parameters, tuple(declared) or (None,) * len(d.parameters), reader.meaning(d))
    trees = {name: ast.parse(known.meaning or "0", mode="eval") for name, known in results.items()}
    calls = {name: {*functions_in(tree)} & results.keys() for name, tree in trees.items()}
    reached = {name: set(called) for name, called in calls.items()}
    for _ in results:
        reached = {name: called.union(*(calls[other] for other in called)) for name, called in reached.items()}
    for name in results:
        if name in reached[name]:  # functions that call each other without end are no expressions
            results[name] = replace(results[name], meaning=None)
    return results, []


# ---- derivatives that are given --------------------------------------------------------------------------------------


def derivative_source(argument: ast.expr) -> str | None:
    return argument.value if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else None


def declaration_faults(definition: Definition, known: Functions) -> Iterator[Problem]:
    call = definition.declared
    if call is None:
        return
    expected, value = len(definition.parameters), len(call.args)
    if value != expected or any(isinstance(a, ast.Starred) for a in call.args):
        names = ", ".join(definition.parameters)
        message = f"expected {expected} derivative{'s' * (expected != 1)}, by ({names}) in order, found {value}"
        yield _problem(definition, call, message)
        return
    for keyword in call.keywords:
        if keyword.arg not in definition.parameters:
            hint = did_you_mean(keyword.arg or "", definition.parameters)
            message = f"there is no parameter '{keyword.arg}' to give a domain of{hint}"
            yield _problem(definition, keyword.value, message)
        elif interval(keyword.value) is None:
            yield _problem(definition, keyword.value, "expected the interval (lo, hi) of a parameter, with lo < hi")
    for argument in call.args:
        text = derivative_source(argument)
        if text is not None:
            for message in _expression_faults(text, (*definition.parameters, "result"), known):
                yield _problem(definition, argument, message)
        elif not (isinstance(argument, ast.Constant) and argument.value is None):
            yield _problem(definition, argument, "expected an expression in quotes, or None")


def _problem(definition: Definition, node: ast.expr, message: str) -> Problem:
    return Problem(location(str(definition.file), node), definition.name, DECORATOR, message)


def _expression_faults(text: str, values: Sequence[str], known: Functions) -> Iterator[str]:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        yield f"{text!r} is no expression: {getattr(error, 'msg', error)}"
        return
    if too_deep(tree):
        yield f"{text!r} is too deep: make a function of a part of it"
        return
    yield from (f"{text!r}: {message}" for _, message in faults(tree, tree, SCALAR_SYNTAX))
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and id(node) in called and node.id not in {**known, **FUNCTIONS}:
            yield f"{text!r}: no derivative is known of '{node.id}'{did_you_mean(node.id, {**known, **FUNCTIONS})}"
        elif isinstance(node, ast.Name) and id(node) not in called and node.id not in (*values, *CONSTANTS):
            yield f"{text!r}: unknown name '{node.id}'{did_you_mean(node.id, values)}"


# ---- what a function computes ----------------------------------------------------------------------------------------

Scope = Mapping[str, ast.expr]


class Reader:
    """Reads what functions compute off their statements, private ones that they call put in their place."""

    def __init__(self, definitions: Sequence[Definition], known: Functions) -> None:
        self.public = {d.name for d in definitions}
        self.known = known
        self.within: list[str] = []  # functions that are being read

    def meaning(self, definition: Definition) -> str | None:
        if definition.node.args.vararg or definition.node.args.kwonlyargs or definition.node.args.kwarg:
            return None
        scope: Scope = {name: ast.Name(name, ast.Load()) for name in definition.parameters}
        try:
            return ast.unparse(self._called(definition, list(scope.values())))
        except (NoExpression, NotElementwise, RecursionError):
            return None

    def _called(self, definition: Definition, args: list[ast.expr]) -> ast.expr:
        key = f"{definition.file}:{definition.name}"
        if key in self.within or len(args) != len(definition.parameters):
            raise NoExpression
        self.within.append(key)
        try:
            result = self._result(definition.node.body, {}, Module.of(definition.file))
            return bounded(substitute(result, dict(zip(definition.parameters, args, strict=True))))
        finally:
            self.within.pop()

    def _result(self, body: Sequence[ast.stmt], scope: Scope, module: "Module") -> ast.expr:
        if not body:
            raise NoExpression
        first, *rest = body
        match first:
            case ast.Expr(value=ast.Constant(value=str())):
                return self._result(rest, scope, module)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                return self._result(rest, {**scope, name: self._value(value, scope, module)}, module)
            case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
                return self._result(rest, {**scope, name: self._value(value, scope, module)}, module)
            case ast.Return(value=value) if value is not None:
                return self._value(value, scope, module)
            case ast.If(test=test, body=then, orelse=orelse):
                sides = [self._result([*side, *rest], scope, module) for side in (then, orelse)]
                return bounded(ast.IfExp(self._value(test, scope, module), *sides))
        raise NoExpression

    def _value(self, tree: ast.expr, scope: Scope, module: "Module") -> ast.expr:
        def of(part: ast.expr) -> ast.expr:
            return self._value(part, scope, module)

        match tree:
            case ast.Constant(value=bool() | int() | float()):
                return tree
            case ast.Name(id=name):
                return scope[name] if name in scope else module.constant(name) or tree
            case ast.Attribute(value=ast.Name(id=library), attr=name) if name in SAME and library in module.libraries:
                return ast.Name("PI", ast.Load())
            case ast.UnaryOp(op=ast.USub() | ast.Not(), operand=operand):
                return ast.UnaryOp(tree.op, of(operand))
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() | ast.Pow(), right=right):
                return ast.BinOp(of(left), tree.op, of(right))
            case ast.BoolOp(values=values):
                return ast.BoolOp(tree.op, [of(value) for value in values])
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, _ORDER):
                return ast.Compare(of(left), [op], [of(right)])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return ast.IfExp(of(test), of(body), of(orelse))
            case ast.Call(func=ast.Call(func=ast.Name(id="type"), args=[_]), args=[value], keywords=[]):
                return of(value)  # `type(x)(2)` is 2 in the dtype of x
            case ast.Call(func=function, args=args, keywords=[]):
                return self._call(module.called(function), [of(argument) for argument in args])
        raise NoExpression

    def _call(self, function: str | Definition | None, args: list[ast.expr]) -> ast.expr:
        if isinstance(function, Definition) and function.name not in self.public:
            return self._called(function, args)
        name = function.name if isinstance(function, Definition) else function
        if name is None or (name not in self.known and name not in FUNCTIONS and name != "either"):
            raise NoExpression
        return ast.Call(ast.Name(name, ast.Load()), args, [])


_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)
_LIBRARIES = ("math", "numpy")
_ALIKE = {"arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "power": "pow"}  # NumPy's names


@dataclass(frozen=True)
class Module:
    """The names of a module of scalar functions: what it defines and what it imports."""

    file: Path
    definitions: Mapping[str, Definition]
    constants: Mapping[str, ast.expr]
    imported: Mapping[str, tuple[str, str]]  # name -> the module it comes from, and its name there
    libraries: Mapping[str, str]  # name -> math or numpy

    @classmethod
    def of(cls, file: Path) -> "Module":
        body = ast.parse(file.read_text(encoding="utf-8")).body
        definitions = {n.name: Definition(n.name, file, n) for n in body if isinstance(n, ast.FunctionDef)}
        assigned = [n for n in body if isinstance(n, ast.Assign) and isinstance(n.value, ast.Constant | ast.UnaryOp)]
        constants = {t.id: n.value for n in assigned for t in n.targets if isinstance(t, ast.Name)}
        pairs = [(n, a) for n in body if isinstance(n, ast.ImportFrom) for a in n.names]
        imported = {a.asname or a.name: ("." * n.level + (n.module or ""), a.name) for n, a in pairs}
        integral = [a for n in body if isinstance(n, ast.Import) for a in n.names if a.name in _LIBRARIES]
        return cls(file, definitions, constants, imported, {a.asname or a.name: a.name for a in integral})

    def constant(self, name: str) -> ast.expr | None:
        cached = self.constants.get(name)
        number = cached.operand if isinstance(cached, ast.UnaryOp) and isinstance(cached.op, ast.USub) else cached
        if isinstance(number, ast.Constant) and type(number.value) in (int, float):
            return cached
        source, original = self.imported.get(name, ("", ""))
        return ast.Name("PI", ast.Load()) if source in _LIBRARIES and original in SAME else None

    def called(self, function: ast.expr) -> str | Definition | None:
        match function:
            case ast.Attribute(value=ast.Name(id=library), attr=name) if library in self.libraries:
                return _ALIKE.get(name, name)
            case ast.Name(id=name) if name in self.definitions:
                return self.definitions[name]
            case ast.Name(id=name) if name in self.imported:
                return self._imported(*self.imported[name])
            case ast.Name(id="abs"):
                return "abs"
        return None

    def _imported(self, source: str, name: str) -> str | Definition | None:
        if source.startswith(".") and not source.startswith(".."):
            beside = self.file.with_name(f"{source.removeprefix('.')}.py")
            return Module.of(beside).definitions.get(name) if beside.is_file() else None
        ours = source.startswith("specgrad.runtime.kernels.scalar") or source in _LIBRARIES
        return _ALIKE.get(name, name) if ours else None
