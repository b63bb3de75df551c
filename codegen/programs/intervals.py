"""Between which numbers an integer expression of an indexed program lies, as expressions of sizes."""

import ast

from ..language.indexed_programs import IndexedProgram, Statement

Ends = tuple[str, str]


class Intervals:
    def __init__(self, program: IndexedProgram, statement: Statement) -> None:
        self.program = program
        self.statement = statement
        self.divisors: list[str] = []  # that have to be positive

    def of(self, tree: ast.expr) -> Ends | None:
        """The least and the greatest value; None where elements say it."""
        match tree:
            case ast.Name(id=name) if name in self.statement.ranges:
                start, stop = self.statement.ranges[name]
                return _source(start), f"({ast.unparse(stop)} - 1)"
            case ast.Name(id=name) if name in self.program.arrays:
                return None
            case ast.Name() | ast.Constant():
                return ast.unparse(tree), ast.unparse(tree)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                ends = self.of(operand)
                return None if ends is None else (f"-({ends[1]})", f"-({ends[0]})")
            case ast.BinOp(left=left, op=op, right=right):
                return self._operator(op, self.of(left), self.of(right))
            case ast.IfExp(body=body, orelse=orelse):
                return self._min_max("min", "max", self.of(body), self.of(orelse))
            case ast.Call(func=ast.Name(id="minimum" | "maximum" as name), args=[left, right]):
                word = name[:3]
                return self._min_max(word, word, self.of(left), self.of(right))
        return None

    def _operator(self, op: ast.operator, one: Ends | None, two: Ends | None) -> Ends | None:
        if two is None or (one is None and not isinstance(op, ast.Mod)):
            return None
        is_fixed = two[0] == two[1]
        if is_fixed and isinstance(op, ast.Mod | ast.FloorDiv) and not self._is_positive(two[0]):
            self.divisors.append(two[0])
        match op:
            case ast.Mod() if is_fixed:
                return "0", f"({two[0]} - 1)"
        assert one is not None
        match op:
            case ast.Add():
                return f"({one[0]} + {two[0]})", f"({one[1]} + {two[1]})"
            case ast.Sub():
                return f"({one[0]} - {two[1]})", f"({one[1]} - {two[0]})"
            case ast.Mult():
                ends = ", ".join(f"{a} * {b}" for a in dict.fromkeys(one) for b in dict.fromkeys(two))
                return f"min(({ends},))", f"max(({ends},))"
            case ast.FloorDiv() if is_fixed:
                return f"({one[0]} // {two[0]})", f"({one[1]} // {two[0]})"
        return None

    def _is_positive(self, divisor: str) -> bool:
        """Whether it is a positive number, or the size of a loop, which does not run where that is 0."""
        stops = [ast.unparse(stop) for _, stop in self.statement.ranges.values()]
        return (divisor.isdigit() and divisor != "0") or divisor in stops

    def _min_max(self, low: str, high: str, one: Ends | None, two: Ends | None) -> Ends | None:
        if one is None or two is None:
            return None
        return f"{low}({one[0]}, {two[0]})", f"{high}({one[1]}, {two[1]})"


def _source(tree: ast.expr) -> str:
    return ast.unparse(tree)
