"""Calls made of an op's samples: other forms that mean the same, tensors of unlike dtypes, bad arguments."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import specgrad as sg
from specgrad.codegen.verify.calls.samples import SampledArgument, sample_calls

from .calls import BY_NAME, Style, arguments, call_sources, is_index, sampled

Named = dict[str, Any]

PAIRS = [
    (sg.float32, sg.float64),
    (sg.int64, sg.float32),
    (sg.bool, sg.int64),
    (sg.bool, sg.float32),
    (sg.int32, sg.int64),
    (sg.float16, sg.float32),
    (sg.bfloat16, sg.float16),
    (sg.int64, sg.float16),
    (sg.float64, sg.complex128),
]
BAD_DTYPES = (sg.bool, sg.int64, sg.float32, sg.complex128)


@dataclass(frozen=True)
class Call:
    """One call of a public function: what is special about it, and its arguments."""

    label: str
    text: str
    positional: tuple[Any, ...]
    named: Named

    def __str__(self) -> str:
        return f"{self.label} of ({self.text})"


def python_names(given: Named) -> Named:
    """The arguments under the names of the Python function."""
    return {("input" if key == "self" else key): value for key, value in given.items()}


def first_positional(name: str, given: Named, label: str, text: str) -> Call:
    """A call whose first argument comes by place, the others by name."""
    first = BY_NAME[name].arguments[0][0]
    rest = {key: value for key, value in given.items() if key != first}
    return Call(label, text, (given[first],) if first in given else (), rest)


def forms(name: str, is_method: bool) -> Iterator[Call]:
    """Every sample by names, by places, by NumPy's names, with negative dims, from strided memory, with defaults."""
    for text in call_sources(BY_NAME[name]):
        given = python_names(arguments(name, text, Style(sg.float64)))
        yield first_positional(name, given, "plain", text)
        yield from [Call("by name", text, (), given)] * (not is_method)
        yield positional_kinds(name, given, text)
        yield from by_axis(name, given, text)
        yield from from_the_end(name, given, text)
        strided = python_names(arguments(name, text, Style(sg.float64, strided=True)))
        yield first_positional(name, strided, "strided", text)
        yield from defaults_only(name, given, text)


def positional_kinds(name: str, given: Named, text: str) -> Call:
    """As many arguments by place as the signature allows."""
    positional, rest = [], dict(given)
    for argument, _, _, keyword_only in BY_NAME[name].arguments:
        if keyword_only or argument not in rest:
            break
        positional.append(rest.pop(argument))
    return Call("by place", text, tuple(positional), rest)


def by_axis(name: str, given: Named, text: str) -> Iterator[Call]:
    """Arguments under the names that NumPy gives them."""
    named = {{"dim": "axis", "keepdim": "keepdims"}.get(key, key): value for key, value in given.items()}
    if named.keys() != given.keys():
        yield first_positional(name, named, "by axis", text)


def from_the_end(name: str, given: Named, text: str) -> Iterator[Call]:
    """Dimensions counted from the end in place of those counted from the front."""
    rank = getattr(given.get("input"), "ndim", 0)
    transposed = {key: negative(value, rank) for key, value in given.items() if key.startswith("dim") and rank}
    if any(transposed[key] != given[key] for key in transposed):
        yield first_positional(name, given | transposed, "negative dims", text)


def negative(value: Any, rank: int) -> Any:
    """A dimension, or each of several, counted from the end."""
    if isinstance(value, list | tuple):
        return [negative(item, rank) for item in value]
    is_dim = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < rank
    return value - rank if is_dim else value


def defaults_only(name: str, given: Named, text: str) -> Iterator[Call]:
    """Only the required arguments."""
    required = [argument for argument, _, needed, _ in BY_NAME[name].arguments if needed]
    if set(required) < set(given):
        yield first_positional(name, {key: given[key] for key in required}, "defaults", text)


def mixed(name: str) -> Iterator[Call]:
    """Tensors of two dtypes in both orders; for element-wise ops each of them 0-d too."""
    op = BY_NAME[name]
    for text in sample_calls(op)[:2]:
        for one, other in PAIRS:
            for pair in ((one, other), (other, one)):
                for zero in (0, 1, 2) if op.kind == "elementwise" else (0,):
                    given, count = of_dtypes(name, text, pair, zero)
                    if count > 1:
                        yield first_positional(name, given, f"dtypes {pair[0].name} {pair[1].name}", text)


def of_dtypes(name: str, text: str, pair: tuple[Any, Any], zero: int) -> tuple[Named, int]:
    """A sample with the first tensor of one dtype and all others of another, number `zero` without dimensions."""
    count = 0

    def made(value: Any) -> Any:
        nonlocal count
        if isinstance(value, list):
            return [made(item) for item in value]
        if not isinstance(value, SampledArgument) or is_index(value):
            return Style(sg.float64).tensor(value) if isinstance(value, SampledArgument) else value
        count += 1
        tensor = Style(pair[min(count, 2) - 1]).tensor(value)
        return tensor.reshape(-1)[0] if zero == count and tensor.numel() else tensor

    return python_names({key: made(value) for key, value in sampled(name, text, False).items()}), count


def bad(name: str) -> Iterator[Call]:
    """The first and the last sample with one argument missing, of another type, shape, dtype, or out of range."""
    op = BY_NAME[name]
    for text in dict.fromkeys((sample_calls(op)[0], sample_calls(op)[-1])):
        given = python_names(arguments(name, text, Style(sg.float64)))
        for argument, _, required, _ in op.arguments:
            if argument in given and required:
                retained = {key: value for key, value in given.items() if key != argument}
                yield first_positional(name, retained, f"without {argument}", text)
            if argument in given:
                for what, value in spoiled(argument, given[argument], getattr(given.get("input"), "ndim", 0)):
                    yield first_positional(name, given | {argument: value}, f"{argument} {what}", text)
        yield first_positional(name, given | {"nosuch": 1}, "nosuch", text)


def spoiled(argument: str, value: Any, rank: int) -> Iterator[tuple[str, Any]]:
    """An argument's value turned into others that most ops refuse, each with what is wrong with it."""
    yield "text", "text"
    yield "object", object()
    if isinstance(value, sg.Tensor):
        yield "of another shape", sg.zeros((7,) * max(value.ndim, 1), dtype=value.dtype)
        yield "0-d", sg.zeros((), dtype=value.dtype)
        yield "5-d", sg.ones((1, 2, 1, 2, 3), dtype=value.dtype)
        yield "empty", sg.ones((0,), dtype=value.dtype)
        yield from ((f"of {dtype.name}", value.to(dtype)) for dtype in BAD_DTYPES)
    elif isinstance(value, list | tuple):
        yield from spoiled_list(value, rank, argument.startswith("dim"))
    else:
        yield "1.5", 1.5
        yield from out_of_range(value, rank, argument.startswith("dim"))


def spoiled_list(value: Any, rank: int, is_dims: bool) -> Iterator[tuple[str, Any]]:
    """A list that is too long, of wrong items, or a single item."""
    if value and isinstance(value[0], sg.Tensor):
        yield "no items", []
        yield "of tensors and text", [value[0], "text"]
        return
    yield "too long", [*value, 1, 1]
    yield "negative", [-3] * len(value)
    yield "huge", [99] * len(value)
    yield "one int", 1
    yield from [("twice", [0, 0]), ("too far", [rank])] if is_dims else []


def out_of_range(value: Any, rank: int, is_dim: bool) -> Iterator[tuple[str, Any]]:
    """Integers outside of what is allowed."""
    if isinstance(value, int) and not isinstance(value, bool):
        numbers = (max(rank, 1), -max(rank, 1) - 1) if is_dim else (-1, -5, 100)
        yield from ((f"{number}" if not is_dim else "too far", number) for number in numbers)
