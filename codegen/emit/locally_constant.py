"""Gradients that depend on inputs in steps: `where(self > 0, grad, 0)` reads self, but has derivative 0 by it.

The ops of such a formula do not connect the gradient to the input. Generated nodes do, with derivative 0."""

import ast
from collections.abc import Iterable

from ..language.scalar_functions import known_function, parsed
from ..spec.formula import METADATA, METADATA_OF, called, names, value_reads
from ..spec.model import Entry, output_names

GRADS = frozenset(("grad", "grads"))
NOTHING: frozenset[str] = frozenset()


class Recorded:
    """The names from which ops record a way to the value of an expression."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries: dict[str, list[Entry]] = {}
        for entry in entries:
            for name in entry.names:
                self.entries.setdefault(name, []).append(entry)
        self.active: set[str] = set()  # entries that a recursive formula has come through

    def names(self, tree: ast.expr) -> frozenset[str]:
        match tree:
            case ast.Name(id=name):
                return frozenset((name,))
            case ast.Compare() | ast.Constant() | ast.UnaryOp(op=ast.Not() | ast.Invert()):
                return NOTHING
            case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.BitXor()):
                return NOTHING
            case ast.IfExp(test=ast.Compare(ops=[ast.Is() | ast.IsNot()]), body=body, orelse=orelse):
                return self.names(body) | self.names(orelse)  # what is None has no gradient
            case ast.IfExp(body=body, orelse=orelse):
                return self.names(body) & self.names(orelse)
            case ast.Attribute(attr=name) | ast.Call(func=ast.Attribute(attr=name)) if name in METADATA:
                return NOTHING
            case ast.Call(func=function, args=args):
                args = args[1:] if called(tree) in METADATA_OF else args
                of = [function.value] if isinstance(function, ast.Attribute) else []
                return self.through(called(tree), [*of, *args], tree.keywords)
        parts = (part for part in ast.iter_child_nodes(tree) if isinstance(part, ast.expr))
        return NOTHING.union(*map(self.names, parts))

    def through(self, name: str, args: list[ast.expr], keywords: list[ast.keyword]) -> frozenset[str]:
        """A helper, and an op that is being looked at, are taken to record all that they get."""
        candidates = [e for e in self.entries.get(name, ()) if len(args) <= len(e.schema.arguments)]
        if not candidates or any(e.name in self.active for e in candidates):
            return NOTHING.union(*map(self.names, args), *(self.names(keyword.value) for keyword in keywords))
        return NOTHING.union(*(self.through_op(entry, args, keywords) for entry in candidates))

    def through_op(self, entry: Entry, args: list[ast.expr], keywords: list[ast.keyword]) -> frozenset[str]:
        passed = {argument.name: value for argument, value in zip(entry.schema.arguments, args, strict=False)}
        passed |= {keyword.arg: keyword.value for keyword in keywords if keyword.arg}
        recorded = self.arguments(entry)
        return NOTHING.union(*(self.names(value) for name, value in passed.items() if name in recorded))

    def arguments(self, entry: Entry) -> frozenset[str]:
        if entry.compute.kind != "composite" or entry.compute.tree is None:
            return frozenset(entry.gradients.keys() - entry.masks)
        self.active.add(entry.name)
        try:
            return self.names(entry.compute.tree)
        finally:
            self.active.remove(entry.name)


def with_steps_recorded(
    entry: Entry, argument: str, written: ast.expr, recorded: Recorded, meaning: ast.expr
) -> ast.expr:
    """The formula `written`; calls of `locally_constant` are around the branches whose ops do not record all inputs.

    `meaning` is the formula without names of the entry's `where`."""
    if entry.once_differentiable:
        return written
    match written, meaning:
        case ast.IfExp(test=test, body=body, orelse=orelse), ast.IfExp():
            own = (body, meaning.body), (orelse, meaning.orelse)
            return ast.IfExp(test, *(with_steps_recorded(entry, argument, w, recorded, m) for w, m in own))
    if not is_locally_constant(entry, argument, meaning, recorded):
        return written
    grad = "grads" if sum(entry.output_differentiability) > 1 else "grad"
    arguments: list[ast.expr] = [ast.Name("node", ast.Load()), ast.Name(grad, ast.Load()), written]
    return ast.Call(ast.Name("locally_constant", ast.Load()), arguments, [])


def is_locally_constant(entry: Entry, argument: str, formula: ast.expr, recorded: Recorded) -> bool:
    outputs, inputs = output_names(entry), frozenset(entry.formulas)
    discrete = {name for name, i in outputs.items() if not entry.output_differentiability[i]}
    reads = {node.id for node in value_reads(formula, outputs.keys() | inputs)}
    records = recorded.names(formula) - discrete

    def reached(these: Iterable[str]) -> frozenset[str]:
        return NOTHING.union(*(inputs if name in outputs else inputs & {name} for name in these))

    if reached(reads) - reached(records) or (entry.indexed is not None and not records & GRADS):
        return True
    tree = entry.differentiated if entry.compute.kind == "elementwise" else None
    if tree is None or argument not in {name.id for name in names(tree)}:
        return False
    return not records & GRADS or (not reads and has_steps(entry, argument))


def has_steps(entry: Entry, argument: str) -> bool:
    """Whether a function that contains the argument has a number as its derivative and is not linear, as `fmod`."""
    tree = entry.differentiated
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call)] if tree else ():
        function = known_function(called(call), entry.functions)
        if function is None or isinstance(parsed(function.meaning or "0 + 0"), ast.Name | ast.Constant):
            continue
        for derivative, value in zip(function.derivatives, call.args, strict=False):
            if derivative in ("0", "1") and argument in {name.id for name in names(value)}:
                return True
    return False
