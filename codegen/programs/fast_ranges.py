"""Functions whose arguments the extremes of a row bound: they have a shorter version for a narrower range."""

import ast
from collections.abc import Iterable, Iterator

from ..language.row_programs import MIN_MAX
from .passes import Fold, Lowered
from .python_code import NARROWER, Spelling


class FastRanges:
    """Which calls of a program have bounds; a fold gives some once it is `known`."""

    def __init__(self, lowered: Lowered, spelling: Spelling) -> None:
        self.lowered = lowered
        self.spelling = spelling
        self.known: set[str] = set()
        self.denied: set[str] = set()  # numbers that the tests ask to be false
        self.minmax = {ast.dump(fold.operand): fold for fold in lowered.folds.values() if fold.op in MIN_MAX}

    def bounding(self) -> set[str]:
        """The folds whose extremes are bounds of some call."""
        trees = [*self.lowered.statements.values(), *(fold.operand for fold in self.lowered.folds.values())]
        arguments = [call.args[0] for _, call in _calls(trees)]
        names = {fold.name for tree in arguments for fold in self._folds_in(tree)}
        return names - self.lowered.guards.keys()

    def _folds_in(self, tree: ast.expr) -> Iterator[Fold]:
        if ast.dump(tree) in self.minmax:
            yield self.minmax[ast.dump(tree)]
        elif isinstance(tree, ast.Name) and tree.id in self.lowered.elements:
            yield from self._folds_in(self.lowered.statements[tree.id])
        for node in ast.iter_child_nodes(tree):
            if isinstance(node, ast.expr):
                yield from self._folds_in(node)

    def narrowed(self, trees: Iterable[ast.expr]) -> dict[str, str]:
        """Calls, as `ast.dump` has them, with the test that tells whether the narrower function is enough."""
        self.denied.clear()
        tests = ((call, self._test(call.args[0], NARROWER[name][1])) for name, call in _calls(trees))
        return {ast.dump(call): test for call, test in tests if test}

    def _test(self, tree: ast.expr, name: str) -> str:
        match tree:
            case ast.Name(id=statement) if statement in self.lowered.elements:
                return self._test(self.lowered.statements[statement], name)
            case ast.IfExp(test=test, body=body, orelse=orelse) if not self.lowered.depends(test):
                number, first, other = self.spelling.number(test), self._test(body, name), self._test(orelse, name)
                if first and other:
                    return f"({first} if {number} else {other})"
                self.denied.update([number] if other else [])
                return f"{number} and {first}" if first else other and f"not {number} and {other}"
        bounds = self._bounds(tree)
        self.spelling.functions.add(name)
        return f"{name}({', '.join(bounds)})" if bounds else ""

    def _bounds(self, tree: ast.expr) -> tuple[str, str] | None:
        fold = self.minmax.get(ast.dump(tree))
        if fold and fold.name in self.known:
            return bounds_of(fold)
        match tree:
            case ast.Name(id=name) if name in self.lowered.elements:
                return self._bounds(self.lowered.statements[name])
            case ast.BinOp(left=left, op=ast.Sub(), right=right) if not self.lowered.depends(right):
                bounds, number = self._bounds(left), self.spelling.element(right)
                return (f"{bounds[0]} - {number}", f"{bounds[1]} - {number}") if bounds else None
        return None


def bounds_of(fold: Fold) -> tuple[str, str]:
    """The names of the least and of the greatest element."""
    number = fold.name.rpartition("_")[2]
    return f"min_{number}", f"max_{number}"


def _calls(trees: Iterable[ast.expr]) -> Iterator[tuple[str, ast.Call]]:
    for node in (node for tree in trees for node in ast.walk(tree)):
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in NARROWER:
                yield name, node
