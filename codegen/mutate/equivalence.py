"""Equivalent mutants: reasons why no check can tell a changed entry from the entry.

`equivalent` brings two formulas of an element-wise op to scalar form and computes both at many points. `alike` calls
two records with all combinations of dtypes. `same_call` finds the one call in which two formulas differ, `cat(parts)`
for `cat(parts, 0)` or `conj_physical(x)` for `conj(x)`, and makes both at the samples of the function's own entry.
"""

import ast
import copy
import functools
import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any, NamedTuple

import numpy as np

from specgrad.runtime.compiler.passes.scalar_library import cpu_library
from specgrad.runtime.tensor import dtypes

from ..emit.elementwise_kernels import is_plain_number
from ..proof.scalar_code import Inliner, NotElementwise, number_arguments, scalar_functions, tensor_names
from ..spec.definitions import substituted
from ..spec.model import Entry, Formula, output_names
from ..verify.calls.point import TypedCall, typed_calls
from ..verify.checks.dtypes import same
from ..verify.checks.layouts import scattered

POINTS = 2000
RELATIVE = 1e-13  # of the larger of two values
INT_LIMITS = (-(2**62), 2**62)  # integers beyond are as good as these
HARD = (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1e-8, -1e-8, 1e-300, 20.0, -20.0, 1e8, -1e8, math.inf, -math.inf)

Function = Callable[..., Any]


def equivalent(entry: Entry, original: ast.expr, mutated: ast.expr, inliner: Inliner) -> str | None:
    """Why two expressions of an element-wise entry are equal at many points; None where they are not, as far as known.

    Hard points in all pairs, random ones in the domain and far outside; complex ones as well where the op takes these,
    and integers where it takes nothing else.
    """
    if entry.compute.kind != "elementwise":
        return None
    names = [*tensor_names(entry), *(a.name for a in number_arguments(entry)), *dict.fromkeys(output_names(entry))]
    names += ["grad", *(f"{n}_{kind}" for n in tensor_names(entry) for kind in "pt")]
    try:
        scope = {name: ast.Name(name, ast.Load()) for name in names}
        pair = [ast.unparse(ast.fix_missing_locations(inliner.scalar(tree, scope))) for tree in (original, mutated)]
    except NotElementwise:
        return None
    if pair[0] == pair[1]:
        return "the same scalar expression"
    real = np.float64 if {"float", "complex"} & set(entry.dtypes) else np.int64
    kinds = [real, np.complex128] if "complex" in entry.dtypes and entry.complex else [real]
    counts = [_equal_points(entry, pair, kind) for kind in kinds]
    return None if None in counts else f"equal at {sum(filter(None, counts))} points"


def tangent(entry: Entry, formula: Formula) -> ast.expr | None:
    inputs = list(entry.formulas)
    along: dict[str, ast.expr] = {name: ast.Name(f"{name}_t", ast.Load()) for name in inputs}
    expression = entry.compute.tree
    match formula.keyword:
        case None:
            return formula.tree
        case "auto_element_wise":
            arguments = {name: {"grad": _conjugate(tangent)} for name, tangent in along.items()}
            terms = [_conjugate(substituted(tree, arguments[name])) for name, tree in entry.formulas.items()]
        case "auto_multilinear" if expression is not None:
            terms = [substituted(expression, {name: along[name]}) for name in inputs]
        case "auto_linear" if expression is not None:
            terms = [substituted(expression, along)]
        case _:
            return None
    return functools.reduce(lambda a, b: ast.BinOp(a, ast.Add(), b), terms) if terms else None


def _conjugate(tree: ast.expr) -> ast.expr:
    return ast.Call(ast.Attribute(tree, "conj", ast.Load()), [], [])


def _equal_points(entry: Entry, pair: Sequence[str], kind: type) -> int | None:
    assert entry.compute.tree is not None
    functions = [_compiled(source, kind is np.complex128) for source in pair]
    as_result = bool if entry.result_dtype[0] == "bool" else complex
    forward = _compiled(ast.unparse(entry.compute.tree), kind is np.complex128)
    count = 0
    with np.errstate(all="ignore"):
        for values in itertools.islice(_points(entry, kind), POINTS):
            try:
                if any(name in source for source in pair for name in output_names(entry)):
                    values |= dict.fromkeys(output_names(entry), forward(values))
                if not _close(*(as_result(function(values)) for function in functions)):
                    return None
            except Exception:  # of whatever kind: nothing is known of an expression that cannot be computed
                return None
            count += 1
    return count


def _close(a: complex, b: complex) -> bool:
    if a == b or (np.isnan(a) and np.isnan(b)):
        return True
    return abs(a - b) <= RELATIVE * max(abs(a), abs(b)) < math.inf


def _compiled(source: str, is_complex: bool) -> Function:
    library = cpu_library(is_complex)
    namespace = {name: library.get(name) for name in scalar_functions(source) if hasattr(library.module, name)}
    code = compile(source, "<formula>", "eval")
    return lambda values: eval(code, namespace, values)


def _points(entry: Entry, kind: type) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    tensors = tensor_names(entry)
    is_complex = kind is np.complex128
    make: Any = (lambda v: np.int64(np.clip(np.nan_to_num(10 * v), *INT_LIMITS))) if kind is np.int64 else kind
    hard = itertools.islice(itertools.product(HARD, repeat=len(tensors)), POINTS // 2)
    for spots in itertools.chain(hard, itertools.repeat(None)):
        values: dict[str, Any] = {}
        for number, name in enumerate(tensors):
            low, high = entry.domain.get(name, (-2.0, 2.0))
            value = rng.uniform(low, high) * rng.choice([1, 1, 1, 10]) if spots is None else spots[number]
            values[name] = make(value + 1j * rng.normal()) if is_complex else make(value)
            values[name] = bool(rng.random() < 0.5) if name in entry.masks else values[name]
            values |= {f"{name}_p": values[name], f"{name}_t": make(rng.normal())}
        for argument in number_arguments(entry):
            inside = entry.domain.get(argument.name)
            plain = rng.normal() if is_plain_number(argument) else rng.integers(0, 3)
            plain = plain if inside is None else rng.uniform(*inside)
            values[argument.name] = make(plain) if is_plain_number(argument) else int(plain)
        yield values | {"grad": make(rng.normal() + (1j * rng.normal() if is_complex else 0))}


NUMBERS = (True, 2, 2.5, 2 + 1j)
SOME = tuple(dtypes.from_name(name) for name in ("bool", "uint8", "int32", "int64", "float16", "float32", "complex64"))
# of all but the first call
LATER_CALL_DTYPES = tuple(dtypes.from_name(name) for name in ("int32", "float32", "complex64"))


def alike(op: Any, other: Any) -> int | None:
    count = 0
    for number, (call, twin) in enumerate(zip(typed_calls(op), typed_calls(other), strict=True)):
        for kinds in _combinations(len(call.tensors)) if not number else [(kind,) for kind in LATER_CALL_DTYPES]:
            for numbers in _numbers(call):
                if not _equal(*(_answer(each, each.values(kinds), numbers) for each in (call, twin))):
                    return None
                count += 1
    return count


def _combinations(tensors: int) -> Iterator[Sequence[Any]]:
    """Dtypes for some tensors, of which the last stands for all that follow."""
    yield from ((kind,) for kind in dtypes.WITH_KERNELS)
    if tensors > 1:
        yield from permutations(SOME, 2)
    if tensors > 2:
        yield from ((*[one] * (tensors - 1), another) for one, another in permutations(SOME, 2))


def _numbers(call: TypedCall) -> Iterator[dict[str, Any]]:
    yield {}
    operands = [name for name, type_, *_ in call.op.arguments if type_.rstrip("?") == "Operand"]
    args = [*call.scalars, *(name for name in call.arguments if name in operands)]
    yield from ({name: number} for name in dict.fromkeys(args) for number in NUMBERS)


def _answer(call: TypedCall, arrays: Sequence[np.ndarray], numbers: dict[str, Any] | None = None) -> str | list[Any]:
    try:
        return call.outputs(arrays, numbers)
    except Exception as error:
        return type(error).__name__


def _read(tensor: Any) -> np.ndarray:
    """The numbers of a tensor; NumPy knows none of complex32."""
    values = tensor.detach()
    return (values.to(dtypes.complex64) if values._dtype is dtypes.complex32 else values).array


def _equal(one: str | list[Any], other: str | list[Any]) -> bool:
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    kinds = [[(t._dtype, t.requires_grad, t.shape) for t in outputs] for outputs in (one, other)]
    pairs = zip(one, other, strict=False)
    return kinds[0] == kinds[1] and all(same(_read(a), _read(b)) for a, b in pairs)


KINDS = (dtypes.float64, dtypes.int64, dtypes.complex128)

Twin = Callable[[TypedCall], "TypedCall | None"]


class Called(NamedTuple):
    """A call in a formula: a method's tensor is its first argument."""

    name: str
    arguments: list[ast.expr]
    keywords: dict[str | None, ast.expr]


def same_call(entries: Sequence[Entry], ops: Mapping[str, Any], before: ast.expr, after: ast.expr) -> str:
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
    overloads = [entry.schema.arguments for entry in entries if entry.schema.name == one.name]
    missing = {name: value for name, value in one.keywords.items() if name not in other.keywords}
    position = len(other.arguments)
    defaults = {a.default for arguments in overloads for a in arguments if a.name in missing}
    if len(one.arguments) == position + 1 and not missing:
        missing = {"": one.arguments[-1]}
        defaults = {arguments[position].default for arguments in overloads if len(arguments) > position}
    return len(missing) == 1 and len(defaults) == 1 and {*defaults} == {ast.unparse(v) for v in missing.values()}


def _stands_for(entries: Sequence[Entry], name: str) -> str:
    for entry in entries:
        tree = entry.compute.tree
        if entry.schema.name == name and entry.compute.kind == "composite" and isinstance(tree, ast.Call):
            call = _called(tree)
            own = [argument.name for argument in entry.schema.arguments]
            if call is not None and own == [a.id if isinstance(a, ast.Name) else "" for a in call.arguments]:
                return call.name
    return ""


def _twins(ops: Mapping[str, Any], one: Called, other: Called) -> Iterator[tuple[Any, Twin]]:
    strings = [[ast.dump(argument) for argument in call.arguments] for call in (one, other)]
    if one.keywords.keys() != other.keywords.keys() or len(strings[0]) != len(strings[1]):
        return
    positions = [n for n, (a, b) in enumerate(zip(*strings, strict=True)) if a != b]
    for op in ops.values():
        if op.name.partition(".")[0] != one.name or len(op.arguments) < len(one.arguments):
            continue
        if one.name != other.name and not positions:
            yield op, lambda call: _renamed(ops, call, other.name)
        elif one.name == other.name and len(positions) == 2:
            names = [_spelt(op.arguments[n][0]) for n in positions]
            yield op, lambda call, names=names: _exchanged(call, *names)  # type: ignore[misc]


def _spelt(name: str) -> str:
    return "self" if name == "input" else name


def _renamed(ops: Mapping[str, Any], call: TypedCall, name: str) -> TypedCall | None:
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
    if first not in call.arguments or second not in call.arguments:
        return None
    twin = copy.copy(call)
    twin.arguments = call.arguments | {first: call.arguments[second], second: call.arguments[first]}
    return twin


def _tried(op: Any, twin: Twin) -> int:
    count = 0
    for call in typed_calls(op):
        other = twin(call)
        if other is None or "(a!" in op.schema:
            return 0
        for kind, layout_fn in itertools.product(KINDS, (np.asarray, scattered)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                matches = [_answer(each, [layout_fn(a) for a in each.values([kind])]) for each in (call, other)]
            if not _equal(*matches):
                return 0
            count += not isinstance(matches[0], str)
    return count
