"""Scalar code for element-wise kernels: expressions with typed constants, and formulas with their ops inlined."""

import ast
import copy
from collections.abc import Mapping
from itertools import islice

from ..language.syntax import too_deep
from ..spec.definitions import substituted
from ..spec.formula import functions_in
from ..spec.model import Argument, Entry, output_names

# The operators that mean something else than in Python: the entry says what.
OPERATORS: dict[type, str] = {ast.Pow: "**", ast.Mod: "%", ast.FloorDiv: "//", ast.Div: "/"}
_FILLS = {"zeros_like": 0, "ones_like": 1}  # tensors of one value are that value
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_PLAIN = (ast.Add, ast.Sub, ast.Mult, ast.BitAnd, ast.BitOr, ast.BitXor)
NO_NUMBERS = ("ScalarType", "Generator", "MemoryFormat")  # what a kernel is never given

MAX_NODES = 2_000  # of an expression with its ops inlined
MAX_LEVELS = 60  # of it, and of calls in each other while it is made


class NotElementwise(Exception):
    """The formula uses something that has no scalar expression, or a large one: there is no fused kernel."""


def tensor_names(entry: Entry) -> list[str]:
    return [a.name for a in entry.schema.arguments if a.type.is_tensor]


def number_arguments(entry: Entry) -> list[Argument]:
    return [a for a in entry.schema.arguments if not a.type.is_tensor and a.type.base not in NO_NUMBERS]


class Inliner:
    """Turns a formula over ops into one scalar expression, given the element-wise entries by name and operator."""

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        names, operators = dict[str, list[Entry]](), dict[str, list[Entry]]()
        for entry in entries.values():
            computed = entries.get(entry.at_once or "", entry)
            for name in entry.names:
                names.setdefault(name, []).append(computed)
            if entry.operator:
                operators.setdefault(entry.operator, []).append(entry)
        self.by_name: Mapping[str, list[Entry]] = names
        self.by_operator: Mapping[str, list[Entry]] = operators
        self.level = 0  # of the expression in hand, composite ops that it lies in included

    def scalar(self, tree: ast.expr, scope: Mapping[str, ast.expr]) -> ast.expr:
        if self.level == MAX_LEVELS:
            raise NotElementwise("too deep")
        self.level += 1
        try:
            return bounded(self.form(tree, scope))
        finally:
            self.level -= 1

    def form(self, tree: ast.expr, scope: Mapping[str, ast.expr]) -> ast.expr:
        match tree:
            case ast.Name(id=name):
                if name not in scope:
                    raise NotElementwise(name)
                return scope[name]
            case ast.Constant():
                return tree
            case ast.UnaryOp(op=op, operand=operand):
                op = ast.Not() if isinstance(op, ast.Invert) else op
                return ast.UnaryOp(op, self.scalar(operand, scope))
            case ast.BinOp(left=left, op=op, right=right):
                operands = [self.scalar(left, scope), self.scalar(right, scope)]
                if isinstance(op, _PLAIN):
                    return ast.BinOp(operands[0], op, operands[1])
                symbol = OPERATORS.get(type(op), "")
                return self.first_fit(self.by_operator.get(symbol, []), symbol, operands, {})
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return ast.Compare(self.scalar(left, scope), ops, [self.scalar(c, scope) for c in comparators])
            case ast.Call(func=ast.Attribute(value=value, attr=attr), args=args, keywords=keywords):
                values = [self.scalar(a, scope) for a in args]
                values.insert(self.self_position(attr), self.scalar(value, scope))
                return self.call(attr, values, self.named(keywords, scope))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                return self.call(name, [self.scalar(a, scope) for a in args], self.named(keywords, scope))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return ast.IfExp(self.scalar(test, scope), self.scalar(body, scope), self.scalar(orelse, scope))
        raise NotElementwise(ast.unparse(tree))

    def named(self, keywords: list[ast.keyword], scope: Mapping[str, ast.expr]) -> dict[str, ast.expr]:
        return {k.arg or "": self.scalar(k.value, scope) for k in keywords}

    def self_position(self, name: str) -> int:
        schema = next((e.schema for e in self.by_name.get(name, []) if e.schema.argument("self")), None)
        return [a.name for a in schema.arguments].index("self") if schema else 0

    def call(self, name: str, args: list[ast.expr], named: dict[str, ast.expr]) -> ast.expr:
        if name in _FILLS:
            return ast.Constant(_FILLS[name])
        if name == "full_like":
            return args[1]
        return self.first_fit(self.by_name.get(name, []), name, args, named)

    def first_fit(self, entries: list[Entry], name: str, args: list, named: dict) -> ast.expr:
        for entry in entries:
            kind, tree = entry.compute.kind, entry.compute.tree
            scope = bind(entry, args, named) if kind in ("elementwise", "composite") and tree is not None else None
            if scope is not None and tree is not None:
                return substitute(tree, scope) if kind == "elementwise" else self.scalar(tree, scope)
        raise NotElementwise(name)


def bind(entry: Entry, args: list[ast.expr], named: dict[str, ast.expr]) -> dict[str, ast.expr] | None:
    """Arguments by name with the schema's defaults; None when the call does not fit this overload."""
    names = [a.name for a in entry.schema.arguments]
    scope = dict(zip(names, args, strict=False))
    if len(args) > len(names) or any(k not in names or k in scope for k in named):
        return None
    scope.update(named)
    for argument in entry.schema.arguments:
        if argument.name not in scope:
            if argument.default is None:
                return None
            scope[argument.name] = ast.parse(argument.default, mode="eval").body
    return scope


def bounded(tree: ast.expr) -> ast.expr:
    """The expression, unless ops that were inlined in each other have made it many times what the spec says."""
    if count(tree) > MAX_NODES or too_deep(tree, MAX_LEVELS):
        raise NotElementwise("too large")
    return tree


def count(tree: ast.expr) -> int:
    """The nodes of an expression, counted no further than to one too many; shared parts count each time."""
    return sum(1 for _ in islice(ast.walk(tree), MAX_NODES + 1))


def substitute(tree: ast.expr, scope: Mapping[str, ast.expr]) -> ast.expr:
    sizes = {name: count(value) for name, value in scope.items()}
    if sum(sizes.get(node.id, 0) for node in ast.walk(tree) if isinstance(node, ast.Name)) > MAX_NODES:
        raise NotElementwise("too large")
    return substituted(tree, scope)


def inlined(entry: Entry, inliner: Inliner, tree: ast.expr | None) -> ast.expr:
    assert tree is not None
    names = [*tensor_names(entry), *(a.name for a in number_arguments(entry)), *output_names(entry), "grad"]
    scope = {name: ast.Name("result" if name == "result0" else name, ast.Load()) for name in names}
    result = inliner.scalar(tree, scope)
    if any(isinstance(n, ast.Constant) and isinstance(n.value, str | complex) for n in ast.walk(result)):
        raise NotElementwise("a string, or a complex number in what may be a kernel of real ones")
    return result


def typed(tree: ast.expr, tensors: set[str], is_complex: bool = False) -> str:
    class Typed(ast.NodeTransformer):
        def visit_Constant(self, node: ast.Constant) -> ast.expr:
            return ast.Call(ast.Name("T", ast.Load()), [node], []) if type(node.value) in (int, float) else node

        def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
            if isinstance(node.operand, ast.Constant) and isinstance(node.op, ast.USub):
                return ast.Call(ast.Name("T", ast.Load()), [node], [])
            return self.generic_visit(node)  # type: ignore[return-value]

        def visit_Name(self, node: ast.Name) -> ast.expr:
            return ast.Subscript(node, ast.Name("i", ast.Load()), ast.Load()) if node.id in tensors else node

        def visit_Compare(self, node: ast.Compare) -> ast.expr:
            """A comparison by order, of which both sides are real also where T is complex."""
            compared = [self.visit(part) for part in (node.left, *node.comparators)]
            if is_complex and isinstance(node.ops[0], _ORDER):
                parts = zip((node.left, *node.comparators), compared, strict=True)
                real = ast.Name("real", ast.Load())
                compared = [ast.Call(real, [c], []) if isinstance(p, ast.Constant) else c for p, c in parts]
            return ast.Compare(compared[0], node.ops, compared[1:])

        def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
            """A choice that differs between elements is no branch, so that the loop becomes vector code everywhere."""
            parts = [self.visit(part) for part in (node.test, node.body, node.orelse)]
            if any(isinstance(part, ast.Name) and part.id in tensors for part in ast.walk(node.test)):
                return ast.Call(ast.Name("either", ast.Load()), parts, [])
            return ast.IfExp(*parts)

        def visit_Call(self, node: ast.Call) -> ast.expr:
            return ast.Call(node.func, [self.visit(a) for a in node.args], [])

    return ast.unparse(ast.fix_missing_locations(Typed().visit(copy.deepcopy(tree))))


def of_elements(source: str) -> str:
    class Elements(ast.NodeTransformer):
        def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
            return node.value

    return ast.unparse(Elements().visit(ast.parse(source, mode="eval")))


def scalar_functions(*sources: str) -> list[str]:
    called = functions_in(*(ast.parse(source, mode="eval") for source in sources))
    return sorted(name for name in called if name != "T")
