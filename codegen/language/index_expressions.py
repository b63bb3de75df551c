"""The expressions of indexed programs: what they read, fold and name, and how parts of them are exchanged."""

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

FOLDS = ("sum", "mean", "prod", "max", "min", "logsumexp", "any", "all", "argmax", "argmin")
PADDED, INT = "padded", "int"
Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True)
class Read:
    name: str
    subscripts: tuple[ast.expr, ...]
    node: ast.expr


def reads(tree: ast.AST, arrays: Collection[str]) -> Iterator[Read]:
    """The elements that an expression reads, those inside of places included."""
    subscripted: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            subscripted.add(id(node.value))
            if node.value.id in arrays:
                yield Read(node.value.id, subscripts_of(node), node)
        elif isinstance(node, ast.Name) and node.id in arrays and id(node) not in subscripted:
            yield Read(node.id, (), node)


def unconditional_reads(tree: ast.expr, arrays: Collection[str]) -> Iterator[Read]:
    """The elements that are read whatever conditions say."""
    match tree:
        case ast.Subscript(value=ast.Name(id=name)) if name in arrays:
            yield Read(name, subscripts_of(tree), tree)
        case ast.IfExp(test=test):
            yield from unconditional_reads(test, arrays)
            return
        case ast.Call(func=ast.Name(id="padded"), args=[ast.Subscript() as element, _]):
            for subscript in subscripts_of(element):
                yield from unconditional_reads(subscript, arrays)
            return
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.expr) and not isinstance(child, ast.Name):
            yield from unconditional_reads(child, arrays)


def without_int(tree: ast.AST) -> ast.AST:
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id == INT:
        return ast.Constant(0)
    return rebuilt(tree, without_int)


def subscripts_of(node: ast.Subscript) -> tuple[ast.expr, ...]:
    return tuple(node.slice.elts) if isinstance(node.slice, ast.Tuple) else (node.slice,)


def fold_of(node: ast.AST) -> tuple[str, tuple[str, ...], ast.expr] | None:
    """`sum[k, l](x)`: its word, its indices and its operand."""
    match node:
        case ast.Call(func=ast.Subscript(value=ast.Name(id=word)) as subscript, args=[operand]) if word in FOLDS:
            subscripts = subscripts_of(subscript)
            if all(isinstance(subscript, ast.Name) for subscript in subscripts):
                return word, tuple(subscript.id for subscript in subscripts if isinstance(subscript, ast.Name)), operand
    return None


def folded(word: str, over: Sequence[str], operand: ast.expr) -> ast.expr:
    """`word[over](operand)`; the operand itself where nothing is folded."""
    if not over:
        return operand
    names: list[ast.expr] = [ast.Name(name, ast.Load()) for name in over]
    index = names[0] if len(names) == 1 else ast.Tuple(names, ast.Load())
    return ast.Call(ast.Subscript(ast.Name(word, ast.Load()), index, ast.Load()), [operand], [])


def free_names(tree: ast.AST) -> list[str]:
    """The names in an expression in their order, but for those of functions and those that a fold in it binds."""
    names: list[str] = []

    def visit(node: ast.AST, bound: frozenset[str]) -> None:
        fold = fold_of(node)
        if fold is not None:
            visit(fold[2], bound | {*fold[1]})
            return
        if isinstance(node, ast.Name):
            if node.id not in bound:
                names.append(node.id)
            return
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            children = list(node.args)
        for child in children:
            visit(child, bound)

    visit(tree, frozenset())
    return list(dict.fromkeys(names))


def bound_names(tree: ast.AST) -> list[str]:
    """The indices of the folds in an expression."""
    return list(dict.fromkeys(name for node in ast.walk(tree) if (fold := fold_of(node)) for name in fold[1]))


def renamed(tree: ast.expr, trees: Mapping[str, ast.expr]) -> ast.expr:
    """The expression with other ones for its free names."""

    def visit(node: ast.AST, bound: frozenset[str]) -> ast.AST:
        if isinstance(node, ast.Name) and node.id in trees and node.id not in bound:
            return copied(trees[node.id])
        fold = fold_of(node)
        if fold is not None:
            bound |= {*fold[1]}
        return rebuilt(node, lambda child: visit(child, bound))

    result = visit(tree, frozenset())
    assert isinstance(result, ast.expr)
    return result


def replaced(tree: ast.expr, part: ast.expr, other: ast.expr) -> ast.expr:
    """The expression with another one for each part that is the same."""
    key = ast.dump(part)

    def visit(node: ast.AST) -> ast.AST:
        return copied(other) if ast.dump(node) == key else rebuilt(node, visit)

    result = visit(tree)
    assert isinstance(result, ast.expr)
    return result


NO_FIELDS: Mapping[str, Any] = {}


def rebuilt(node: Node, of: Callable[[Any], Any], overrides: Mapping[str, Any] = NO_FIELDS) -> Node:
    """A node like another, with `of` each child; some fields have the value of `overrides`.

    That takes an eighth of what `copy` does. Nodes without fields, such as operators, are shared, as in what is parsed.
    """
    new: Node = ast.AST.__new__(type(node))
    own = vars(new)
    for name, value in vars(node).items():
        if name in overrides:
            own[name] = overrides[name]
        elif isinstance(value, list):
            own[name] = [of(item) if isinstance(item, ast.AST) else item for item in value]
        else:
            own[name] = of(value) if isinstance(value, ast.AST) and value._fields else value
    return new


def copied(node: Node) -> Node:
    """A tree of new nodes, each once in it."""
    return rebuilt(node, copied)


def fresh(word: str, known: Iterable[str]) -> str:
    """A name that is not known: the word, with a number where it needs one."""
    name, number, reserved = word, 1, set(known)
    while name in reserved:
        number += 1
        name = f"{word}_{number}"
    return name


def same(one: ast.AST, other: ast.AST) -> bool:
    return ast.dump(one) == ast.dump(other)


def is_name(tree: ast.AST, name: str) -> bool:
    return isinstance(tree, ast.Name) and tree.id == name


def linear(tree: ast.expr) -> tuple[dict[str, int], int]:
    """Factors of names and a constant; what is not linear stands as one name that begins with ?."""
    match tree:
        case ast.Constant(value=int() as value):
            return {}, value
        case ast.Name(id=name):
            return {name: 1}, 0
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            terms, constant = linear(operand)
            return {name: -factor for name, factor in terms.items()}, -constant
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right):
            terms, constant = linear(left)
            others, other = linear(right if isinstance(op, ast.Add) else ast.UnaryOp(ast.USub(), right))
            return {n: terms.get(n, 0) + others.get(n, 0) for n in {**terms, **others}}, constant + other
        case (
            ast.BinOp(left=ast.Constant(value=int() as factor), op=ast.Mult(), right=other)
            | ast.BinOp(left=other, op=ast.Mult(), right=ast.Constant(value=int() as factor))
        ):
            terms, constant = linear(other)
            return {name: factor * each for name, each in terms.items()}, factor * constant
    return {f"?{ast.dump(tree)}": 1}, 0


def simplified(tree: ast.expr) -> ast.expr:
    """An integer expression without what adds up to nothing."""
    terms, constant = linear(tree)
    result: ast.expr | None = None
    if any(name.startswith("?") for name in terms):
        return tree
    for name, factor in terms.items():
        if factor:
            term: ast.expr = ast.Name(name, ast.Load())
            term = term if abs(factor) == 1 else ast.BinOp(ast.Constant(abs(factor)), ast.Mult(), term)
            if result is None:
                result = term if factor > 0 else ast.UnaryOp(ast.USub(), term)
            else:
                result = ast.BinOp(result, ast.Add() if factor > 0 else ast.Sub(), term)
    if result is None:
        return ast.Constant(constant)
    if constant:
        result = ast.BinOp(result, ast.Add() if constant > 0 else ast.Sub(), ast.Constant(abs(constant)))
    return result


def element(name: str, subscripts: Sequence[ast.expr]) -> ast.expr:
    """`name[subscripts]`, or the name of an array without dimensions."""
    if not subscripts:
        return ast.Name(name, ast.Load())
    index = subscripts[0] if len(subscripts) == 1 else ast.Tuple(list(subscripts), ast.Load())
    return ast.Subscript(ast.Name(name, ast.Load()), copied(index), ast.Load())


def expanded_logsumexp(over: Sequence[str], operand: ast.expr) -> ast.expr:
    """log(sum(exp(x - max(x)))) + max(x), the maximum where it is infinite."""

    def call(name: str, tree: ast.expr) -> ast.expr:
        return ast.Call(ast.Name(name, ast.Load()), [tree], [])

    top = folded("max", over, operand)
    total = folded("sum", over, call("exp", ast.BinOp(operand, ast.Sub(), top)))
    return ast.IfExp(call("isinf", top), top, ast.BinOp(call("log", total), ast.Add(), top))


def offset(subscript: ast.expr, index: str) -> ast.expr | None:
    """c of i + c."""
    terms, _ = linear(subscript)
    if terms.get(index) != 1 or any(index in name for name in terms if name.startswith("?")):
        return None
    return simplified(renamed(subscript, {index: ast.Constant(0)}))


def without_multiples(size: ast.expr, offset: ast.expr | None) -> ast.expr | None:
    """An offset without multiples of the size that a place is turned by."""
    if offset is None or not isinstance(size, ast.Name):
        return offset
    return simplified(renamed(offset, {size.id: ast.Constant(0)}))


def outer_folds(tree: ast.expr) -> list[ast.expr]:
    """The folds in an expression that lie in no other one."""
    if fold_of(tree) is not None:
        return [tree]
    children = (child for child in ast.iter_child_nodes(tree) if isinstance(child, ast.expr))
    return [node for child in children for node in outer_folds(child)]
