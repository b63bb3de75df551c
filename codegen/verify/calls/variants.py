"""Calls made from an entry's samples, one change at a time: what nobody listed, but what the schema says may be asked.

Nobody says what such a call gives: it is refused in the framework's words, or the checks of gradients hold there.
"""

import ast
import copy
import functools
import inspect
import itertools
from collections.abc import Callable, Iterator
from typing import Any

from .entries import spec_entry
from .samples import arguments_of, in_domain, sample_calls, types_of

MAX_CALLS = 24  # calls of an op: its first samples give them
INTS = (0, 1, -1, 2)
NUMBERS = (0.0, 1.0, 0.5, -1.5)
NEW_VALUES = {"bool": (True, False), "int": INTS, "float": NUMBERS[1:], "Scalar": NUMBERS[1:]}  # for what has a default


def variants(op: Any, max_count: int | None = MAX_CALLS) -> list[str]:
    if op.kind == "elementwise" or is_internal(op):
        return []
    known = {*sample_calls(op), *op.hard}
    result = dict.fromkeys(text for sample in op.samples for text in of_sample(op, sample))
    return [text for text in result if text not in known][:max_count]


def variant_points(op: Any) -> Iterator[tuple[str, bool]]:
    kinds = {"float", "int", "bool"} & set(op.dtypes)
    return ((text, not kinds) for text in variants(op)) if kinds or op.complex else iter(())


def is_internal(op: Any) -> bool:
    entry = spec_entry(op)
    return entry is not None and entry.variants == ("formula",)


def of_sample(op: Any, text: str) -> Iterator[str]:
    call = arguments_of(text)
    ways = (_arguments(op, call), _sizes(call), _left_out(op, call), _with_defaults(op, call))
    for other in itertools.chain.from_iterable(itertools.zip_longest(*ways)):
        if other is not None:
            yield ", ".join(f"{name}={ast.unparse(value)}" for name, value in other.items())


Call = dict[str, ast.expr]  # the expressions of arguments, by name


def _arguments(op: Any, call: Call) -> Iterator[Call]:
    types = types_of(op)
    for name, value in call.items():
        if name not in op.unvaried:
            yield from (call | {name: other} for other in others(op, name, types.get(name, ""), value))


def _with_defaults(op: Any, call: Call) -> Iterator[Call]:
    for name, type_ in types_of(op).items():
        if name not in call and name not in op.unvaried:
            yield from (call | {name: value} for value in new_arguments(op, name, type_))


def _left_out(op: Any, call: Call) -> Iterator[Call]:
    defaults = inspect.signature(op.function).parameters
    required = {spelt for name, _, needed, *_ in op.arguments if needed for spelt in (name, "self" * (name == "input"))}
    for name in call:
        if name in op.unvaried:
            continue
        if name not in required:
            default = getattr(defaults.get(name), "default", None)
            if not isinstance(default, int | float) or in_domain(op, name, [default]) == [default]:
                yield {other: value for other, value in call.items() if other != name}
        elif types_of(op).get(name, "").endswith("?"):
            yield call | {name: ast.Constant(None)}


def varied(op: Any, text: str) -> dict[str, str]:
    """The arguments of a call that no listed one has so, with their values."""
    listed = [_values(listed) for listed in (*sample_calls(op), *op.hard)]
    changed = {name: value for name, value in _values(text).items() if value not in [own.get(name) for own in listed]}
    return {name: value for name, value in changed.items() if not types_of(op).get(name, "").startswith("Tensor")}


def _values(text: str) -> dict[str, str]:
    return {name: ast.unparse(value) for name, value in arguments_of(text).items()}


def others(op: Any, name: str, type_: str, value: ast.expr) -> Iterator[ast.expr]:
    try:
        now = ast.literal_eval(value)
    except ValueError:
        return  # a tensor, or a dtype
    if isinstance(now, bool):
        yield ast.Constant(not now)
    elif isinstance(now, int) and type_.startswith("int"):
        candidates = dict.fromkeys((-now - 1, now + 1, *INTS))
        yield from (ast.Constant(k) for k in in_domain(op, name, candidates) if k != now)
    elif isinstance(now, int | float) and not isinstance(now, bool):
        yield from (ast.Constant(v) for v in in_domain(op, name, NUMBERS) if v != now)
    elif isinstance(now, str):
        yield from (ast.Constant(word) for word in string_choices(op, name) if word != now)
    elif isinstance(now, list | tuple) and now and all(isinstance(v, int) for v in now):
        yield from _lists(list(now))


def string_choices(op: Any, name: str) -> tuple[str, ...]:
    own = [text for text in (*op.samples, *op.hard) if name in text]
    return tuple(dict.fromkeys((*_strings_in(own, name), *_strings_of_all(name))))


@functools.cache
def _strings_of_all(name: str) -> tuple[str, ...]:
    from specgrad.generated.registry import OPS

    return tuple(_strings_in([text for op in OPS for text in (*op.samples, *op.hard) if name in text], name))


def _strings_in(sources: list[str], name: str) -> Iterator[str]:
    for text in sources:
        match arguments_of(text).get(name):
            case ast.Constant(value=str(word)):
                yield word


def _lists(now: list[int]) -> Iterator[ast.expr]:
    for other in ([-v - 1 for v in now], now[::-1], now[:1], [v + 1 for v in now], [now[0] + 1, *now[1:]]):
        if other != now:
            yield ast.parse(repr(other), mode="eval").body


def new_arguments(op: Any, name: str, type_: str) -> Iterator[ast.expr]:
    plain = type_.rstrip("?")
    if plain.startswith("int["):
        yield from (ast.parse(text, mode="eval").body for text in ("[0]", "[-1]", "[1]", "[2]"))
    else:
        choices = string_choices(op, name) if plain == "str" else in_domain(op, name, NEW_VALUES.get(plain, ()))
        yield from map(ast.Constant, choices)


def _sizes(call: Call) -> Iterator[Call]:
    sizes = dict.fromkeys(s.value for maker in _makers(call) for s in maker.args if isinstance(s, ast.Constant))
    for size, other in itertools.product(sizes, (0, 1)):
        yield _resized(call, lambda args, size=size, other=other: [_size(a, size, other) for a in args])  # type: ignore[misc]
    yield _resized(call, lambda args: [])


def _size(argument: ast.expr, size: Any, other: int) -> ast.expr:
    return ast.Constant(other) if isinstance(argument, ast.Constant) and argument.value == size else argument


def _resized(call: Call, change: Callable[[list[ast.expr]], list[ast.expr]]) -> Call:
    result = copy.deepcopy(call)
    for maker in _makers(result):
        maker.args = change(maker.args)
    return result


def _makers(call: Call) -> list[ast.Call]:
    calls = [n for value in call.values() for n in ast.walk(value) if isinstance(n, ast.Call)]
    return [n for n in calls if isinstance(n.func, ast.Name) and n.func.id in "TIB"]
