"""Checks of the calls that an entry lists: its `samples`, its `edge_cases` points, and the calls under `errors`."""

import ast
import math
from collections.abc import Iterator

from ..language.syntax import did_you_mean
from ..spec.fields import DTYPES
from ..spec.model import Problem, Sample, Type
from ..spec.row_program import check_of_rows
from ..spec.signature import spell
from ..spec.types import NUMBERS, TYPES
from .scope import Context

CONSTANTS = ("inf", "nan", "pi", *DTYPES)


def check_samples(context: Context) -> Iterator[Problem]:
    entry = context.entry
    if len(entry.kink) not in (1, len(entry.formulas)):
        message = f"one word, or one for each of the {len(entry.formulas)} gradient formulas, is wanted here"
        yield context.at("kink", message)
    for key, samples in (("samples", entry.samples), ("edge_cases", entry.hard)):
        for sample in samples:
            yield from check_sample(context, key, sample)
    loose = [a for a in entry.schema.arguments if a.default is None and not a.type.is_tensor]
    needed = (entry.compute.kind != "elementwise" or loose) and not (entry.unverified or entry.derived_from)
    if needed and "samples" not in entry.key_locations:
        yield context.problem(entry.where, "there are no samples to verify the op with", "samples")
    elif "samples" in entry.key_locations:
        # An optional tensor that no sample gives has never been computed with
        args = {
            name
            for sample in (*entry.samples, *entry.hard)
            for name, value in sample.arguments.items()
            if not (isinstance(value, ast.Constant) and value.value is None)
        }
        for argument in entry.schema.arguments:
            optional = argument.type.is_tensor and argument.type.optional
            if optional and argument.name not in {*args, *entry.unvaried, *entry.ignores}:
                message = f"no sample gives '{argument.name}': add one, or say under `skip_grad_args` why there is none"
                yield context.at("samples", message)


def check_sample(context: Context, key: str, sample: Sample) -> Iterator[Problem]:
    arguments = context.entry.schema.arguments
    known = [a.name for a in arguments]
    for name, value in sample.arguments.items():
        if name not in known:
            yield context.problem(value, f"the op has no argument '{name}'{did_you_mean(name, known)}", key)
        faults = list(_check_value(context, key, value))
        yield from faults or _check_type(context, key, name, value)
    known_only = sample.arguments.keys() <= set(known)
    missing = [a.name for a in arguments if a.default is None and a.name not in sample.arguments]
    if missing and known_only:
        yield context.problem(sample.where, f"the sample misses {', '.join(missing)}", key)


def _check_type(context: Context, key: str, name: str, value: ast.expr) -> Iterator[Problem]:
    argument = context.entry.schema.argument(name)
    if argument is not None:
        or_number = context.entry.compute.kind == "elementwise" and argument not in context.entry.tensor_arguments[:1]
        if fault := type_fault(value, argument.type, or_number):
            yield context.problem(value, f"{name}: {fault}", key)


def _check_value(context: Context, key: str, value: ast.expr) -> Iterator[Problem]:
    made = {id(call.func): call for call, _ in context.calls(value)}
    for node in ast.walk(value):
        match node:
            case ast.Name(id=name) if id(node) in made and name not in MAKERS:
                yield context.problem(node, f"unknown maker '{name}' (one of {', '.join(MAKERS)})", key)
            case ast.Name(id=name) if id(node) not in made and name not in CONSTANTS:
                yield context.problem(node, f"unknown name '{name}'{did_you_mean(name, CONSTANTS)}", key)
            case ast.Call(func=ast.Name(id=name), keywords=keywords) if name in MAKERS:
                for keyword in keywords:
                    if keyword.arg not in MAKERS[name]:
                        yield context.problem(keyword, f"{name} has no keyword '{keyword.arg}'", key)
                if fault := tensor_fault(node):
                    yield context.problem(node, fault, key)


def type_fault(value: ast.expr, type_: Type, or_number: bool) -> str:
    if isinstance(value, ast.Constant) and value.value is None:
        return "" if type_.optional else f"expected {spell(type_)}, found None"
    if not type_.is_list:
        return "" if _fits(value, type_, or_number) else f"expected {spell(type_)}, found {_kind(value)}"
    if not isinstance(value, ast.List | ast.Tuple):
        fits = type_.size is not None and _fits(value, type_, False)
        return "" if fits else f"expected {spell(type_)}, found {_kind(value)}"
    items = [item for item in value.elts if not (type_.optional_items and _kind(item) == "NoneType")]
    wrong = next((item for item in items if not _fits(item, type_, False)), None)
    return "" if wrong is None else f"expected {spell(type_)}, found a list with {_kind(wrong)}"


def _fits(value: ast.expr, type_: Type, or_number: bool) -> bool:
    kinds = TYPES[type_.base].values
    if not kinds or _kind(value) in kinds:
        return True
    if _kind(value) == "name":  # inf, nan and pi are numbers too
        return type_.base in ("Scalar", "float") or or_number
    return or_number and _kind(value) in NUMBERS


def _kind(value: ast.expr) -> str:
    match value:
        case ast.Constant(value=constant):
            return type(constant).__name__
        case ast.UnaryOp(operand=operand):
            return _kind(operand)
        case ast.BinOp(left=left, op=sign, right=right):
            full_source = _kind(left) == _kind(right) == "int" and not isinstance(sign, ast.Div)
            return "int" if full_source else "float"
        case ast.Call(func=ast.Name(id=maker)) if maker in MAKERS:
            return "ranks" if maker == RANKS else "tensor"
        case ast.List() | ast.Tuple():
            return "list"
    return "name"


# What a sample may call, with the keywords each takes: random, index, mask and literal tensors, and a group of ranks
# that are all in this process.
RANKS = "ranks"
MAKERS = {"T": ("lo", "hi"), "I": ("high",), "B": (), "V": ("real",), RANKS: ()}
MAX_RANKS = 8

MAX_ELEMENTS = 1_000_000
MAX_DIMENSIONS = 16


def tensor_fault(call: ast.Call) -> str:
    assert isinstance(call.func, ast.Name)
    if call.func.id == "V":
        if len(call.args) != 1:
            return "V takes one list of numbers, or one number"
        if any(not isinstance(k.value, ast.Constant) or k.value.value is not True for k in call.keywords):
            return "V takes real=True, for numbers that stay real where the others are complex"
        shape = _shape(call.args[0])
        if shape is None or len(shape) > MAX_DIMENSIONS:
            return f"V takes numbers, in lists of equal lengths, at most {MAX_DIMENSIONS} in each other"
        return ""
    if call.func.id == RANKS:
        numbers = [_number(number) for number in call.args]
        right = len(numbers) == 1 and isinstance(numbers[0], int) and 1 <= numbers[0] <= MAX_RANKS
        return "" if right else f"{RANKS} takes how many there are, at most {MAX_RANKS}"
    sizes = [_number(size) for size in call.args]
    if not all(isinstance(size, int) and size >= 0 for size in sizes):
        return f"{call.func.id} takes sizes, integers that are written out"
    if math.prod(map(int, sizes)) > MAX_ELEMENTS or len(sizes) > MAX_DIMENSIONS:
        return f"expected a tensor of at most {MAX_ELEMENTS:,} elements in {MAX_DIMENSIONS} dimensions"
    limits = {keyword.arg: _number(keyword.value) for keyword in call.keywords}
    if not all(math.isfinite(value) and abs(value) <= 1e15 for value in limits.values()):
        return "expected the limits of random numbers to be numbers that are written out, none beyond 1e15"
    if limits.get("lo", -math.inf) >= limits.get("hi", math.inf) or limits.get("high", 1) < 1:
        return "expected limits with numbers between them"
    return ""


def _shape(node: ast.expr) -> tuple[int, ...] | None:
    if isinstance(node, ast.Tuple | ast.List):
        (first, *others) = {_shape(item) for item in node.elts} or {()}
        return None if others or first is None else (len(node.elts), *first)
    constants = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    numbers = all(isinstance(value, int | float | complex) for value in constants)
    return () if numbers and not isinstance(node, ast.Call) else None


def _number(node: ast.expr) -> float:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_number(node.operand)
    is_number = isinstance(node, ast.Constant) and isinstance(node.value, int | float)
    return node.value if is_number else math.nan  # type: ignore[attr-defined]


def check_refuses(context: Context) -> Iterator[Problem]:
    entry = context.entry
    for refusal in entry.refuses:
        yield from check_sample(context, "errors", refusal.call)
    by_hand = entry.check is not None and (entry.program is None or entry.check != check_of_rows(entry.schema))
    if by_hand and not entry.refuses and "errors" not in entry.key_locations:
        first = entry.samples[0].text if entry.samples else "self=T(3)"
        message = (
            f"nothing shows that the check '{entry.check}' refuses anything: give `errors`, a list of calls that it "
            f"must refuse, written like the samples ({first})"
        )
        yield context.at("check", message)
