"""Expressions of row programs as Python that numba compiles: of elements in the arrays' dtype, of numbers in double.

In one of elements constants, integers and numbers of the row are brought to `T`, the dtype of the arrays. Integers
stay integers among themselves: `i == target_row`.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence

from ..language.row_programs import ARG_REDUCTIONS, COUNT, ELEMENT_AT, INDEX_NAME, ROUNDED, Program
from .passes import COUNTS, Lowered

ANY, INTEGER, TRUTH, VALUE, WIDE = "any", "integer", "truth", "value", "wide"  # kinds of values; any: of each array's
SIGNS: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}
# A function, its version for a narrower range, and the test of bounds: all of runtime/kernels/scalar.
NARROWER = {"exp": ("exp_fast_range", "exp_in_fast_range")}
At = Callable[[str, str], str]  # (array of the program, place) -> its element there


class Spelling:
    """How the expressions of one program are spelled; `at` says how the element of a row at a place is."""

    def __init__(self, lowered: Lowered, at: At, wide: str) -> None:
        self.program: Program = lowered.program
        self.at = at
        self.wide = wide  # what makes a number double precision
        self.functions: set[str] = set()  # scalar functions that were spelled
        self.denied: Sequence[str] = ()  # numbers that are known to be false
        self.chosen: Sequence[str] = ()  # numbers that are known to be true
        self.narrowed: Mapping[str, str] = {}  # calls, as `ast.dump` has them, that get their narrower function
        self.elements = {*lowered.elements, *(p.name for p in self.program.of_kind("row", "shared"))}
        self.kinds = self._kinds(lowered)

    def _kinds(self, lowered: Lowered) -> dict[str, str]:
        kinds = {COUNT: INTEGER, INDEX_NAME: INTEGER}
        for parameter in self.program.parameters:
            kinds[parameter.name] = {"each": ANY, "number": WIDE}.get(parameter.kind, VALUE)
        kinds |= {p.name: {"int": INTEGER, "bool": TRUTH}.get(p.type, WIDE) for p in self.program.of_kind("number")}
        for fold in lowered.folds.values():
            is_index_fold = fold.op in ARG_REDUCTIONS or fold.op == COUNTS
            kinds[fold.name] = INTEGER if is_index_fold else VALUE if fold.op in ("max", "min") else WIDE
        for name, value in lowered.statements.items():
            kinds[name] = VALUE if name in lowered.elements else self.kind_of(value, kinds)
        return kinds

    def kind_of(self, tree: ast.expr, kinds: Mapping[str, str]) -> str:
        match tree:
            case ast.Name(id=name):
                return kinds[name]
            case ast.Constant(value=bool()) | ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.BoolOp():
                return TRUTH
            case ast.Constant(value=value):
                return INTEGER if isinstance(value, int) else WIDE
            case ast.UnaryOp(operand=operand):
                return self.kind_of(operand, kinds)
            case ast.BinOp(left=left, op=op, right=right) if not isinstance(op, ast.Div | ast.Pow):
                return INTEGER if {self.kind_of(left, kinds), self.kind_of(right, kinds)} == {INTEGER} else WIDE
            case ast.IfExp(body=body, orelse=orelse):
                matches = {self.kind_of(body, kinds), self.kind_of(orelse, kinds)}
                return matches.pop() if len(matches) == 1 else WIDE
            case ast.Call(func=ast.Name(id=name)) if name.startswith("is"):
                return TRUTH
        return WIDE

    def element(self, tree: ast.expr) -> str:
        text, kind = self._element(tree)
        return plain(self._typed(text, kind))

    def number(self, tree: ast.expr) -> str:
        return plain(self._number(tree)[0])

    def _typed(self, text: str, kind: str) -> str:
        return f"T({text})" if kind in (INTEGER, WIDE) else text

    def _element(self, tree: ast.expr) -> tuple[str, str]:
        match tree:
            case ast.Name(id=name):
                kind = self.kinds[name]
                return (f"T({name})", VALUE) if kind == WIDE else (name, kind)
            case ast.Constant(value=bool() as value):
                return repr(value), TRUTH
            case ast.Constant(value=value):
                return (repr(value), INTEGER) if isinstance(value, int) else (f"T({value!r})", VALUE)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"(not {self._element(operand)[0]})", TRUTH
            case ast.UnaryOp(op=op, operand=operand):
                text, kind = self._element(operand)
                return f"({'-' if isinstance(op, ast.USub) else '+'}{text})", kind
            case ast.BinOp(op=ast.Pow(), left=left, right=right):
                return self._power(self.element(left), self.element(right), self._depends(right)), VALUE
            case ast.BinOp(left=left, op=op, right=right):
                one, two, kind = self._alike(left, right, isinstance(op, ast.Div))
                return f"({one} {SIGNS[type(op)]} {two})", kind
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                return self._comparison(left, ops, comparators), TRUTH
            case ast.BoolOp(op=op, values=values):
                word = " and " if isinstance(op, ast.And) else " or "
                return f"({word.join(self._element(v)[0] for v in values)})", TRUTH
            case ast.IfExp(test=ast.Name(id=name), orelse=orelse) if name in self.denied:
                return self._element(orelse)
            case ast.IfExp(test=ast.Name(id=name), body=body) if name in self.chosen:
                return self._element(body)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                one, two, kind = self._alike(body, orelse)
                if not self._depends(test):
                    return f"({one} if {self._element(test)[0]} else {two})", kind
                self.functions.add("either")
                return f"either({self._element(test)[0]}, {one}, {two})", kind
            case ast.Call(func=ast.Name(id=name), args=args):
                return self._call(NARROWER[name][0] if ast.dump(tree) in self.narrowed else name, args)
        raise AssertionError(ast.dump(tree))

    def _call(self, name: str, args: list[ast.expr]) -> tuple[str, str]:
        if name == ELEMENT_AT:
            return self._at(args), VALUE
        self.functions.add(name)
        first = [self._element(args[0])[0]] if name in ("where", "either") else []
        values = [*first, *(self.element(a) for a in args[len(first) :])]
        return f"{name}({', '.join(values)})", TRUTH if name.startswith("is") else VALUE

    def _at(self, args: list[ast.expr]) -> str:
        assert isinstance(args[0], ast.Name)
        return self.at(args[0].id, self.number(args[1]))

    def _alike(self, left: ast.expr, right: ast.expr, divided: bool = False) -> tuple[str, str, str]:
        (one, first), (two, second) = self._element(left), self._element(right)
        kinds = {first, second}
        if kinds <= {INTEGER, ANY} and not divided:
            return one, two, INTEGER if kinds == {INTEGER} else ANY
        return self._typed(one, first), self._typed(two, second), TRUTH if kinds == {TRUTH} else VALUE

    def _comparison(self, left: ast.expr, ops: list[ast.cmpop], comparators: list[ast.expr]) -> str:
        parts = []
        for op, one, two in zip(ops, (left, *comparators), comparators, strict=False):
            first, second, _ = self._alike(one, two)
            parts.append(f"({first} {ORDER[type(op)]} {second})")
        return parts[0] if len(parts) == 1 else f"({' and '.join(parts)})"

    def _power(self, base: str, exponent: str, varies: bool) -> str:
        self.functions.add("pow" if varies else "pow_number")
        return f"{'pow' if varies else 'pow_number'}({base}, {exponent})"

    def _depends(self, tree: ast.expr) -> bool:
        return any(isinstance(node, ast.Name) and node.id in self.elements | {INDEX_NAME} for node in ast.walk(tree))

    def _inner(self, tree: ast.expr) -> str:
        return self._number(tree)[0]

    def _number(self, tree: ast.expr) -> tuple[str, str]:
        match tree:
            case ast.Name(id=name):
                return name, self.kinds[name]
            case ast.Constant(value=value):
                return repr(value), self.kind_of(tree, self.kinds)
            case ast.UnaryOp(op=op, operand=operand):
                sign = {ast.Not: "not ", ast.USub: "-"}.get(type(op), "+")
                return f"({sign}{self._inner(operand)})", self.kind_of(tree, self.kinds)
            case ast.BinOp(op=ast.Pow(), left=left, right=right):
                return self._power(self._floating(left), self._floating(right), True), WIDE
            case ast.BinOp(left=left, op=op, right=right):
                text = f"({self._inner(left)} {SIGNS[type(op)]} {self._inner(right)})"
                return text, self.kind_of(tree, self.kinds)
            case ast.Compare(left=left, ops=ops, comparators=comparators):
                signs = (f" {ORDER[type(op)]} {self._inner(c)}" for op, c in zip(ops, comparators, strict=True))
                return f"({self._inner(left)}{''.join(signs)})", TRUTH
            case ast.BoolOp(op=op, values=values):
                word = " and " if isinstance(op, ast.And) else " or "
                return f"({word.join(map(self._inner, values))})", TRUTH
            case ast.IfExp(test=test, body=body, orelse=orelse):
                text = f"({self._inner(body)} if {self._inner(test)} else {self._inner(orelse)})"
                return text, self.kind_of(tree, self.kinds)
            case ast.Call(func=ast.Name(id=name), args=args):
                if name == ELEMENT_AT:
                    return self._at(args), VALUE
                if name == ROUNDED:
                    return f"{self.wide}(T({self._inner(args[0])}))", WIDE
                self.functions.add(name)
                first = [self._inner(args[0])] if name in ("where", "either") else []
                inputs = [*first, *(self._floating(a) for a in args[len(first) :])]
                return f"{name}({', '.join(inputs)})", self.kind_of(tree, self.kinds)
        raise AssertionError(ast.dump(tree))

    def _floating(self, tree: ast.expr) -> str:
        text, kind = self._number(tree)
        return f"{self.wide}({text})" if kind in (INTEGER, TRUTH, WIDE) and not isinstance(tree, ast.Name) else text


def names_in_lines(lines: Iterable[str], stored: bool = False) -> set[str]:
    """The names in generated code, or those that it assigns."""
    names = (node for node in ast.walk(ast.parse("\n".join(lines))) if isinstance(node, ast.Name))
    return {node.id for node in names if not stored or isinstance(node.ctx, ast.Store)}


def plain(text: str) -> str:
    return ast.unparse(ast.parse(text, mode="eval"))


ORDER: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
