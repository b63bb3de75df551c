"""Whether the call that a mutant changes gives the same as before wherever its function is tried: `cat(parts)` for
`cat(parts, 0)`, `transpose(x, 1, 0)` for `transpose(x, 0, 1)`, `conj_physical(x)` for `conj(x)`.

Then no input of the entry tells the mutant from it, and what is known of the function was tried at the calls of its own
entry: in float64, int64 and complex128, of operands side by side and strewn in memory.
"""

from __future__ import annotations

import ast
import copy
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from specgrad.runtime.tensor import dtypes
from specgrad.runtime.tensor.base import TensorBase

from ..spec.model import Entry
from ..verify.checks.layouts import scattered
from ..verify.typed import TypedCall, typed_calls
from .alike import alike_outputs

KINDS = (dtypes.float64, dtypes.int64, dtypes.complex128)

Twin = Callable[[TypedCall], "TypedCall | None"]


class Called(NamedTuple):
    """A call in a formula: a method's tensor is its first argument."""

    name: str
    arguments: list[ast.expr]
    keywords: dict[str | None, ast.expr]


def same_call(entries: Sequence[Entry], ops: Mapping[str, Any], before: ast.expr, after: ast.expr) -> str:
    """Why the changed call gives the same; empty where it does not, or nothing is known of it."""
    one, other = (_called(node) for node in _changed(before, after))
    if one is None or other is None:
        return ""
    if one.name == other.name and _is_default(entries, one, other):
        return f"the argument that is left out is {one.name}'s default"
    if other.name == _stands_for(entries, one.name) or one.name == _stands_for(entries, other.name):
        return f"{one.name} and {other.name} are the same function"
    counts = [_tried(op, twin) for op, twin in _twins(ops, one, other)]
    return f"{one.name} so called gives the same at {sum(counts)} calls" if counts and all(counts) else ""


def _changed(before: ast.AST, after: ast.AST) -> tuple[ast.AST, ast.AST]:
    """The innermost calls that hold the whole difference of two trees, or the trees."""
    pairs = list(zip(ast.iter_child_nodes(before), ast.iter_child_nodes(after), strict=False))
    alike = len(pairs) == len(list(ast.iter_child_nodes(before))) == len(list(ast.iter_child_nodes(after)))
    differ = [pair for pair in pairs if ast.dump(pair[0]) != ast.dump(pair[1])]
    if type(before) is type(after) and alike and len(differ) == 1:
        inner = _changed(*differ[0])
        if isinstance(inner[0], ast.Call) or not isinstance(before, ast.Call):
            return inner
    return before, after


def _called(node: ast.AST) -> Called | None:
    match node:
        case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
            return Called(name, args, {k.arg: k.value for k in keywords})
        case ast.Call(func=ast.Attribute(value=value, attr=name), args=args, keywords=keywords):
            return Called(name, [value, *args], {k.arg: k.value for k in keywords})
    return None


def _is_default(entries: Sequence[Entry], one: Called, other: Called) -> bool:
    """Whether the other call lacks an argument which, in all overloads that have it, is the default."""
    overloads = [entry.schema.arguments for entry in entries if entry.schema.name == one.name]
    missing = {name: value for name, value in one.keywords.items() if name not in other.keywords}
    place = len(other.arguments)
    defaults = {a.default for arguments in overloads for a in arguments if a.name in missing}
    if len(one.arguments) == place + 1 and not missing:
        missing = {"": one.arguments[-1]}
        defaults = {arguments[place].default for arguments in overloads if len(arguments) > place}
    return len(missing) == 1 and len(defaults) == 1 and {*defaults} == {ast.unparse(v) for v in missing.values()}


def _stands_for(entries: Sequence[Entry], name: str) -> str:
    """The function to which an op hands its arguments as they are; empty for one that does anything else."""
    for entry in entries:
        tree = entry.compute.tree
        if entry.schema.name == name and entry.compute.kind == "composite" and isinstance(tree, ast.Call):
            call = _called(tree)
            own = [argument.name for argument in entry.schema.arguments]
            if call is not None and own == [a.id if isinstance(a, ast.Name) else "" for a in call.arguments]:
                return call.name
    return ""


def _twins(ops: Mapping[str, Any], one: Called, other: Called) -> Iterator[tuple[Any, Twin]]:
    """The overloads that a call may mean, each with what makes of a call the other one."""
    texts = [[ast.dump(argument) for argument in call.arguments] for call in (one, other)]
    if one.keywords.keys() != other.keywords.keys() or len(texts[0]) != len(texts[1]):
        return
    places = [n for n, (a, b) in enumerate(zip(*texts, strict=True)) if a != b]
    for op in ops.values():
        if op.name.partition(".")[0] != one.name or len(op.arguments) < len(one.arguments):
            continue
        if one.name != other.name and not places:
            yield op, lambda call: _renamed(ops, call, other.name)
        elif one.name == other.name and len(places) == 2:
            names = [_spelt(op.arguments[n][0]) for n in places]
            yield op, lambda call, names=names: _exchanged(call, *names)  # type: ignore[misc]


def _spelt(name: str) -> str:
    return "self" if name == "input" else name


def _renamed(ops: Mapping[str, Any], call: TypedCall, name: str) -> TypedCall | None:
    """The same call of the op of another name that takes what this one does."""
    types = [type_ for _, type_, *_ in call.op.arguments]
    for op in ops.values():
        if op.name.partition(".")[0] == name and [type_ for _, type_, *_ in op.arguments] == types:
            twin = copy.copy(call)
            pairs = zip(call.op.arguments, op.arguments, strict=True)
            names = {_spelt(own[0]): _spelt(its[0]) for own, its in pairs}
            twin.op, twin.arguments = op, {names[n]: value for n, value in call.arguments.items()}
            twin.inputs = tuple(names[n] for n in call.inputs)
            return twin
    return None


def _exchanged(call: TypedCall, first: str, second: str) -> TypedCall | None:
    """The same call with the values of two arguments exchanged."""
    if first not in call.arguments or second not in call.arguments:
        return None
    twin = copy.copy(call)
    values = {first: call.arguments[second], second: call.arguments[first]}
    twin.arguments = call.arguments | values
    return twin


def _tried(op: Any, twin: Twin) -> int:
    """At how many calls of an op its twin gives the same; 0 where it differs at one, or cannot be tried."""
    count = 0
    for call in typed_calls(op):
        other = twin(call)
        if other is None or "(a!" in op.schema:
            return 0
        for kind in KINDS:
            for lay in (None, scattered):
                found = [_answer(each, kind, lay) for each in (call, other)]
                if isinstance(found[0], str) and found[0] == found[1]:
                    continue
                if any(isinstance(each, str) for each in found) or not alike_outputs(*found):  # type: ignore[arg-type]
                    return 0
                count += 1
    return count


def _answer(call: TypedCall, kind: Any, lay: Any) -> list[TensorBase] | str:
    """What a call gives, or how it is refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return call.outputs([array if lay is None else lay(array) for array in call.values([kind])])
    except Exception as error:
        return type(error).__name__
