"""What the arrays of an indexed program are, and the names that its loops have of their own."""

import ast

from ..language.index_expressions import (
    INT,
    PADDED,
    fold_of,
    fresh,
)
from ..language.indexed_programs import IndexedProgram
from .python_code import ANY, INTEGER, TRUTH, VALUE, plain
from .wavefronts import wavefronts

JOIN = ("max", "min")
START = {"max": "-np.inf", "min": "np.inf", "argmax": "-np.inf", "argmin": "np.inf"}
FLAT_INDEX = ("argmax", "argmin")
# Names that loops have of their own.
LOCAL_NAMES = ("b", "begin", "end", "first", "last", "at", "own", "found", "best", "z")


class ProgramCode:
    """What is known of a program's arrays, for all its stages. `has_rows`: of loops that may be vector code."""

    def __init__(self, program: IndexedProgram, has_rows: bool = True) -> None:
        self.program = program
        self.wavefronts = wavefronts(program) if has_rows else {}
        self.reserved = {*program.arrays, *program.numbers, *program.sizes}
        self.reserved |= {index for statement in program.statements for index in statement.ranges}
        self.word = {word: fresh(word, self.reserved) for word in LOCAL_NAMES}
        self.at = {name: fresh(f"at_{name}", self.reserved) for name in program.arrays}
        self.step = {name: fresh(f"step_{name}", self.reserved) for name in program.arrays}
        self.kinds: dict[str, str] = {}
        for array in program.arrays.values():
            self.kinds[array.name] = {"input": VALUE, "constant": ANY}.get(array.kind, VALUE)
        assigned: set[str] = set()
        for statement in program.statements:
            kind = INTEGER if statement.collect in FLAT_INDEX else self.kind_of(statement.value)
            kind = VALUE if kind == INTEGER and is_constant(statement.value) else kind
            kind = kind if kind in (INTEGER, TRUTH) else VALUE
            known = self.kinds[statement.name] if statement.name in assigned else kind
            self.kinds[statement.name] = kind if kind == known else VALUE
            assigned.add(statement.name)

    def total(self, name: str) -> str:
        """How many elements an array has in one example."""
        if name in self.wavefronts:
            return plain(self.wavefronts[name].total)
        dims = [f"({ast.unparse(dim)})" for dim in self.program.arrays[name].dims]
        return plain(" * ".join(dims)) if dims else "1"

    def kind_of(self, tree: ast.expr) -> str:
        fold = fold_of(tree)
        if fold is not None:
            if fold[0] in FLAT_INDEX:
                return INTEGER
            if fold[0] in ("any", "all"):
                return TRUTH
            inner = self.kind_of(fold[2])
            return VALUE if fold[0] in ("mean", "logsumexp") or inner == VALUE else INTEGER
        match tree:
            case ast.Name(id=name) if name in ("inf", "nan", "pi"):
                return VALUE
            case ast.Name(id=name):
                if name in self.program.arrays:
                    return self.kinds[name]
                return {"float": VALUE, "bool": TRUTH}.get(self.program.numbers.get(name, ""), INTEGER)
            case ast.Subscript(value=ast.Name(id=name)):
                return self.kinds.get(name, VALUE)
            case ast.Constant(value=bool()) | ast.Compare() | ast.UnaryOp(op=ast.Not()) | ast.BoolOp():
                return TRUTH
            case ast.Constant(value=value):
                return INTEGER if isinstance(value, int) else VALUE
            case ast.UnaryOp(operand=operand):
                return self.kind_of(operand)
            case ast.BinOp(left=left, op=op, right=right) if not isinstance(op, ast.Div | ast.Pow):
                kinds = {self.kind_of(left), self.kind_of(right)}
                return INTEGER if kinds <= {INTEGER, TRUTH} else ANY if kinds <= {INTEGER, ANY} else VALUE
            case ast.IfExp(body=body, orelse=orelse):
                kinds = {self.kind_of(body), self.kind_of(orelse)}
                return kinds.pop() if len(kinds) == 1 else INTEGER if kinds <= {INTEGER, ANY} else VALUE
            case ast.Call(func=ast.Name(id=name), args=args):
                if name == INT:
                    return INTEGER
                if name == PADDED:
                    return self.kind_of(args[0])
                if name in ("minimum", "maximum", "abs") and {self.kind_of(a) for a in args} <= {INTEGER, ANY}:
                    return INTEGER
                return TRUTH if name.startswith("is") else VALUE
        return VALUE


def is_constant(tree: ast.expr) -> bool:
    """Whether an expression is numbers alone, whatever conditions choose: these are elements like others."""
    if isinstance(tree, ast.IfExp):
        return is_constant(tree.body) and is_constant(tree.orelse)
    return not any(isinstance(node, ast.Name) for node in ast.walk(tree))
