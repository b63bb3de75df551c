"""The values, functions and methods that an expression may use; `Context` states an entry's problems with places."""

import ast
import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ..language.syntax import NUMBERS, did_you_mean, library_of, of_library
from ..library.modules import RUNTIME, Arity, defined_nodes, shown_arity
from ..library.op_library import Known
from ..spec.formula import called, location
from ..spec.model import Entry, Problem, Schema, Where
from ..spec.names import special_methods

Fault = tuple[ast.AST, str]  # a node of an expression and what is wrong with it

FUNCTIONAL = RUNTIME.parent / "nn" / "functional"
NUMBERS_OF = ("int", "float", "Scalar", "bool")  # types

# Attributes and methods that formulas may use and that are no ops of the spec.
TENSOR_ATTRIBUTES = frozenset(
    ("shape", "dtype", "ndim", "device", "T", "mT", "H", "mH", "real", "imag")
    + ("is_complex", "is_floating_point")  # of a dtype
)
TENSOR_METHODS: dict[str, Arity] = {
    **dict.fromkeys(("numel", "dim", "storage_offset", "is_contiguous"), (0, 0)),
    **dict.fromkeys(("is_complex", "is_floating_point", "contiguous", "detach", "item"), (0, 0)),
    **dict.fromkeys(("float", "double", "long", "int", "bool"), (0, 0)),
    **dict.fromkeys(("size", "stride"), (0, 1)),
    "type_as": (1, 1),
    "to": (1, math.inf),
    **dict.fromkeys(("new_zeros", "new_ones", "new_empty"), (1, math.inf)),
    "new_full": (2, math.inf),
}

# Functions that are neither ops of the spec nor helpers; `sizes` gives the shapes of a list of tensors.
BUILTINS: dict[str, Arity] = {
    **dict.fromkeys(("len", "sizes"), (1, 1)),
    **dict.fromkeys(("zeros_like", "ones_like", "empty_like"), (1, math.inf)),
    "full_like": (2, math.inf),
    "as_tensor": (1, math.inf),
    "arange": (1, math.inf),
    "linspace": (3, math.inf),
}

# Functions of Python's that are tried in expressions, and what is there instead.
OF_PYTHON = {
    "float": "write inf for float('inf'), x.float() for a tensor, and a number as it is",
    "int": "write x.long() for a tensor, and // for a number",
    "range": "write arange",
    **dict.fromkeys(("list", "tuple"), "write [a, b], or a shape as it is"),
}


class Ops:
    """The ops that expressions may call; one whose schema could not be read is known, and its calls are not checked."""

    def __init__(self, entries: Iterable[Entry] = (), broken: Collection[str] = ()) -> None:
        self.functions: dict[str, list[Schema]] = {name: [] for name in broken}
        self.methods: dict[str, list[Schema]] = {name: [] for name in broken}
        self.entries: dict[str, Entry] = {}
        self.overloads: dict[str, list[Entry]] = {}  # of each function, in the order in which it tries them
        self.operators: dict[str, Entry] = {}  # by the special method that an operator gives
        self.outputs: set[str] = set()  # the fields of named results, as in x.max(0).values
        for entry in entries:
            self._add(entry)

    def _add(self, entry: Entry) -> None:
        self.entries[entry.name] = entry
        self.overloads.setdefault(entry.schema.name, []).append(entry)
        for method in special_methods(entry.operator or ""):
            self.operators.setdefault(method, entry)
        if len(entry.schema.returns) > 1:
            self.outputs.update(output.name for output in entry.schema.returns)
        own = entry.schema.name
        if own.startswith("_") or own.endswith("_"):
            return  # private, or writing into a tensor, which would ruin what other nodes saved
        for name in entry.names:
            if "function" in entry.variants or "formula" in entry.variants:
                self.functions.setdefault(name, []).append(entry.schema)
            if "method" in entry.variants:
                self.methods.setdefault(name, []).append(entry.schema)


@dataclass(frozen=True)
class Scope:
    """The values, functions and methods in scope; `functions` None leaves calls of functions unchecked.

    `numbers` are the values that are numbers, `foreign` the ops of which an expression of scalars calls none.
    """

    values: Collection[str]
    functions: dict[str, Arity] | None = field(default_factory=dict)
    ops: Ops = field(default_factory=Ops)
    numbers: Collection[str] = ()
    foreign: Collection[str] = ()

    def faults(self, tree: ast.AST) -> Iterator[Fault]:
        inner = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and id(node) not in inner and self._is_of_library(node):
                yield node, self._no_library(node)
        functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        foreign = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and self._is_of_library(node)]
        skipped = {id(part) for node in foreign for part in ast.walk(node)}
        for node in ast.walk(tree):
            if id(node) in skipped or id(getattr(node, "func", None)) in skipped:
                continue
            match node:
                case ast.Call(func=ast.Name()):
                    yield from self._function_faults(node)
                case ast.Call(func=ast.Attribute()):
                    yield from self._method_faults(node)
                case ast.Attribute(attr=name) if id(node) not in functions:
                    known = TENSOR_ATTRIBUTES | self.ops.outputs
                    if name not in known:
                        yield node, f"unknown attribute '{name}'{did_you_mean(name, known)}"
                case ast.Name(id=name) if id(node) not in functions and name not in self.values:
                    yield node, self._no_value(name)

    def _callable(self) -> set[str]:
        return {*(self.functions or {}), *self.ops.functions}

    def _no_value(self, name: str) -> str:
        if name in self._callable():
            return f"function '{name}' is used as a value"
        own, suffix = name[:-2], name[-2:]
        if suffix in ("_p", "_t") and own in self.values and f"{own}_p" not in self.values:
            return f"unknown name '{name}': x_p and x_t are words of forward formulas, here there is '{own}'"
        return f"unknown name '{name}'{did_you_mean(name, self.values) or did_you_mean(name, self._callable())}"

    def _is_of_library(self, node: ast.Attribute) -> bool:
        root = library_of(node)
        return bool(root) and root not in self.values

    def _no_library(self, node: ast.Attribute) -> str:
        """`linalg.norm` is the op `linalg_norm`, `special.erf` is `erf`."""
        folder = node.value.attr if isinstance(node.value, ast.Attribute) else library_of(node)
        known = next((name for name in (f"{folder}_{node.attr}", node.attr) if name in self._callable()), None)
        if known is None and node.attr not in NUMBERS and (other := function_of_python(node.attr)):
            return f"an expression has no modules, and {node.attr} is {other}"
        return of_library(node, known or node.attr)

    def _function_faults(self, call: ast.Call) -> Iterator[Fault]:
        name = called(call)
        if name in self.values:
            yield call, f"'{name}' is a value here, not a function"
        elif name in self.ops.functions:
            yield from _op_faults(call, self.ops.functions[name], 0, self.numbers)
        elif self.functions is not None and name not in self.functions:
            yield call, f"unknown function '{name}'{self._instead(name)}"
        elif self.functions is not None:
            yield from _arity_faults(call, self.functions[name])

    def _instead(self, name: str) -> str:
        if name in OF_PYTHON:
            return f": it is Python's: {OF_PYTHON[name]}"
        if name in self.foreign:
            hint = did_you_mean(name, self.functions or ())
            return f": it is an op, and `elementwise` calls functions of numbers (docs/spec.md){hint}"
        if (other := function_of_python(name)) and not self.foreign:
            return f": it is {other}"
        return did_you_mean(name, self._callable()) or did_you_mean(name, self.values)

    def _method_faults(self, call: ast.Call) -> Iterator[Fault]:
        name = called(call)
        if name in self.ops.methods:
            yield from _op_faults(call, self.ops.methods[name], 1, self.numbers)
        elif name in TENSOR_METHODS:
            yield from _arity_faults(call, TENSOR_METHODS[name])
        else:
            hint = did_you_mean(name, {*TENSOR_METHODS, *self.ops.methods})
            yield call, f"unknown method '{name}'{hint}"


def _arity_faults(call: ast.Call, arity: Arity) -> Iterator[Fault]:
    value = len(call.args) + len(call.keywords)
    if not arity[0] <= value <= arity[1]:
        yield call, f"{called(call)} takes {shown_arity(arity)}, got {value}"


def function_of_python(name: str) -> str:
    path = next((path for path in sorted(FUNCTIONAL.glob("*.py")) if name in dict(defined_nodes(path))), None)
    if path is None:
        return ""
    node = dict(defined_nodes(path))[name]
    return f"a function in Python, nn/functional/{path.name}:{node.lineno}: write what it does with ops"


def _op_faults(call: ast.Call, overloads: list[Schema], bound: int, numbers: Collection[str]) -> Iterator[Fault]:
    keywords = [keyword.arg or "" for keyword in call.keywords]
    faults = [_mismatch(schema, bound, len(call.args) + bound, keywords) for schema in overloads]
    if faults and all(faults):
        yield call, f"{called(call)} " + "; or ".join(dict.fromkeys(faults))
        return
    of_numbers = not bound and call.args and all(_is_number(argument, numbers) for argument in call.args)
    if of_numbers and all(map(_takes_tensor, overloads)):
        yield call, f"{called(call)} takes a Tensor, not numbers: operators and `a if a > b else b` take these"


def _is_number(node: ast.expr, numbers: Collection[str]) -> bool:
    """A literal, a number argument, sizes, a number of dimensions or elements, or what is computed from these."""
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | float)
        case ast.Name(id=name):
            return name in numbers
        case ast.Subscript(value=value):
            return isinstance(value, ast.Attribute) and value.attr == "shape"
        case ast.BinOp(left=left, right=right) | ast.IfExp(body=left, orelse=right):
            return _is_number(left, numbers) and _is_number(right, numbers)
        case ast.UnaryOp(operand=operand):
            return _is_number(operand, numbers)
        case ast.Call(func=ast.Name(id="len") | ast.Attribute(attr="numel")):
            return True
    return isinstance(node, ast.Attribute) and node.attr in ("ndim", "shape")


def _takes_tensor(schema: Schema) -> bool:
    return bool(schema.arguments) and schema.arguments[0].type.is_tensor


def fits(call: ast.Call, schema: Schema, value: int) -> bool:
    keywords = [keyword.arg or "" for keyword in call.keywords]
    return not _mismatch(schema, value, len(call.args) + value, keywords)


def _mismatch(schema: Schema, bound: int, count: int, keywords: list[str]) -> str:
    positional = [a for a in schema.arguments if not a.keyword_only]
    names = [a.python_name for a in schema.arguments]
    unknown = next((keyword for keyword in keywords if keyword not in names), None)
    if unknown:
        return f"has no argument '{unknown}'{did_you_mean(unknown, names)}"
    if count > len(positional) and not _takes_loose_sizes(schema):
        required = sum(a.default is None for a in positional)
        return f"takes {shown_arity((required - bound, len(positional) - bound))}, got {count - bound}"
    filled = {a.name for a in positional[:count]} | set(keywords)
    missing = [a.name for a in schema.arguments if a.default is None and not {a.name, a.python_name} & filled]
    return f"misses argument '{missing[0]}'" if missing else ""


def _takes_loose_sizes(schema: Schema) -> bool:
    types = [a.type for a in schema.arguments[1:2]]
    return any(type_.base == "int" and type_.is_list and type_.size is None for type_ in types)


@dataclass(frozen=True)
class Context:
    entry: Entry
    ops: Ops
    known: Known

    def problem(self, spot: Where | ast.AST, message: str, argument: str = "") -> Problem:
        where = spot if isinstance(spot, Where) else location(self.entry.where.file, spot)
        return Problem(where, self.entry.name, argument, message)

    def at(self, key: str, message: str) -> Problem:
        return self.problem(self.entry.key_locations[key], message, key)

    def faults(self, scope: Scope, tree: ast.expr, argument: str) -> Iterator[Problem]:
        yield from (self.problem(node, message, argument) for node, message in scope.faults(tree))

    def scope(self, values: list[str]) -> Scope:
        functions = None if self.known.helpers is None else {**BUILTINS, **self.known.helpers}
        return Scope(values, functions, self.ops, self.numbers)

    @cached_property
    def expression_faults(self) -> list[Fault]:
        """What is wrong in the expression that computes the op; what only follows from it is not told."""
        compute, arguments = self.entry.compute, [a.name for a in self.entry.schema.arguments]
        if compute.tree is None or compute.kind not in ("elementwise", "composite"):
            return []
        scope = self.of_scalars if compute.kind == "elementwise" else self.scope(arguments)
        return list(scope.faults(compute.tree))

    @property
    def of_scalars(self) -> Scope:
        arguments = [a.name for a in self.entry.schema.arguments]
        return Scope(arguments, self.known.scalars, foreign=self.ops.functions)

    @property
    def numbers(self) -> list[str]:
        return [a.name for a in self.entry.schema.arguments if a.type.base in NUMBERS_OF and not a.type.is_list]

    @property
    def outputs(self) -> list[str]:
        returns = self.entry.schema.returns
        general = ["result"] if len(returns) == 1 else [f"result{i}" for i in range(len(returns))]
        return [*(output.name for output in returns), *general]

    @staticmethod
    def calls(tree: ast.expr) -> list[tuple[ast.Call, str]]:
        return [(node, called(node)) for node in ast.walk(tree) if isinstance(node, ast.Call)]
