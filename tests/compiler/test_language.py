"""Native functions compute what the same lines compute in Python; what is no native code is refused, with its line."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from specgrad.runtime.compiler.language.functions import NULL, Native, address_of, atomic_xchg, cast, native, new
from specgrad.runtime.compiler.language.statements import Module
from specgrad.runtime.compiler.language.structs import Items, Struct, capacity
from specgrad.runtime.compiler.language.types import NativeError
from specgrad.runtime.compiler.native_unit import Unit, load, object_code, translated

T = TypeVar("T")
WORD = ctypes.c_int64
KNOWN = (2, 3, 5)
DEBUG = False


class Pair(Struct):
    """Two words, and two numbers in place."""

    first: int
    second: int
    numbers: Items[float] = capacity(2)


class Named(Pair):
    """One more word."""

    name: int


@functools.cache
def compiled(function: Any) -> Callable[..., int]:
    """A native function of words, for Python."""
    address = load(object_code(translated("test", [function])), [function.name])[function.name]
    return ctypes.CFUNCTYPE(WORD, *[WORD] * function.function.__code__.co_argcount)(address)


@native
def arithmetic(a: int, b: int) -> int:
    low = a & 0xFFFF | b ^ 3
    return a // b + 7 * (a % b) - (low >> 2) + (~a) + (-b) + abs(a) + max(a, b) + (b & 7) + (1 << (a & 31))


@native
def conditions(a: int, b: int) -> int:
    found = 0
    if a < b and (a > 0 or b == 3) and not (a == 2 or a == 7):
        found += 1
    elif a in KNOWN or b not in (1, 2):
        found += 2
    else:
        found += 4
    found += 8 if a <= b else 16 if a != 9 else 32
    known = a >= b
    return found + (64 if known else 0) + int(known)


@native
def loops(a: int, b: int) -> int:
    total, twiddles = 0, 0
    for i in range(a):
        if i == b:
            continue
        if i > 2 * b:
            break
        total += i
    for j in range(a, 0, -2):
        total = 3 * total + j
    while True:
        twiddles += 1
        if twiddles * twiddles > a:
            return total + twiddles


@native
def divided(number: int) -> tuple[int, float]:
    return number // 3, number * 0.5


@native
def multiple(a: int, b: int) -> int:
    third, half = divided(a)
    a, b = b, a
    return third + int(half * 2.0) + 100 * a - b


@native
def same(obj: T) -> T:
    return obj


@native
def memory(a: int, b: int) -> int:
    named = new(Named)
    pair = same(cast(Pair, named))
    named.first = a
    pair.second = b
    pair.numbers[0] = a * 0.5
    pair.numbers[1] = b
    named.name = same(atomic_xchg(pair, "first", 5))
    pair.second -= 1
    below = address_of(pair.numbers) - address_of(named)
    if DEBUG:
        return pair.nothing  # type: ignore[attr-defined,no-any-return] # never looked at
    full = int(pair.numbers[0] + pair.numbers[1])
    return full + 10 * named.first + 100 * pair.second + 1000 * named.name + below


@native
def widened(a: int, b: int) -> int:
    total = True
    named, pair = new(Named), new(Pair)
    named.first = a
    pair.first = b
    chosen = named
    for _ in range(2):
        if chosen is not NULL:
            total = total + chosen.first  # type: ignore[assignment]
        chosen = pair  # type: ignore[assignment]
    return total + (0 if chosen is named else 1)


slot_values = st.integers(-(2**31), 2**31)


@pytest.mark.parametrize("function", [arithmetic, conditions], ids=lambda function: function.__name__)
def test_as_python_computes(function: Any) -> None:
    code = compiled(function)

    @settings(max_examples=300, deadline=None)
    @given(slot_values, slot_values.filter(bool))
    @example(-7, 2)
    @example(7, -2)
    @example(2, 3)
    @example(9, 9)
    def compare(a: int, b: int) -> None:
        assert code(a, b) == function.function(a, b)

    compare()


def test_a_quotient_by_nothing_is_nothing() -> None:
    @native
    def divide(a: int, b: int) -> int:
        return a // b * 10 + a % b

    assert compiled(divide)(7, 0) == 0


@pytest.mark.parametrize("a", range(-2, 12))
@pytest.mark.parametrize("b", [0, 2, 5])
def test_loops(a: int, b: int) -> None:
    assert compiled(loops)(a, b) == loops.function(a, b)  # type: ignore[attr-defined]


def test_several_results() -> None:
    assert compiled(multiple)(7, 3) == 2 + 7 + 100 * 3 - 7


def test_memory() -> None:
    """A struct's fields by its class and by its base's; `exchange` gives what stood there."""
    assert compiled(memory)(4, 9) == (2 + 9) + 10 * 5 + 100 * 8 + 1000 * 4 + 16


def test_a_variable_has_the_widest_kind_of_what_it_is_given() -> None:
    assert compiled(widened)(40, 2) == 1 + 40 + 2 + 1


@native
def wrong_field(a: int) -> int:
    pair = new(Pair)
    return pair.name  # type: ignore[attr-defined,no-any-return]


@native
def wrong_argument(a: int) -> int:
    return multiple(a)  # type: ignore[call-arg]


@native
def wrong_kind(a: int) -> int:
    return new(Pair)  # type: ignore[return-value]


@native
def wrong_condition(a: int) -> int:
    return 1 if new(Pair) else 0


@native
def wrong_comparison(a: int) -> int:
    return 1 if new(Pair) == new(Pair) else 0


@native
def wrong_end(a: int) -> int:  # type: ignore[return]
    if a:
        return 1


@native
def wrong_syntax(a: int) -> int:
    return [a][0]


@native
def wrong_base(a: int) -> int:
    return of_named(cast(Pair, a))  # type: ignore[arg-type]


@native
def of_named(named: Named) -> int:
    return named.name


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (wrong_field, r"wrong_field\(\): Pair has no field 'name'"),
        (wrong_argument, r"multiple\(\): expected 2 arguments, but got 1"),
        (wrong_kind, r"expected int, but got Pair"),
        (wrong_condition, r"expected a condition, but got Pair"),
        (wrong_comparison, r"does not compare Pair with Pair by Eq"),
        (wrong_end, r"may end without a result: expected int"),
        (wrong_syntax, r"native code has no List"),
        (wrong_base, r"expected Named, but got Pair"),
    ],
)
def test_what_is_no_native_code_is_refused(function: Any, message: str) -> None:
    line = function.function.__code__.co_firstlineno
    with pytest.raises(NativeError, match=rf"test_language.py:\d+, .*{message}") as caught:
        Module("test").export(function)
    assert line <= int(str(caught.value).partition(":")[2].partition(",")[0]) <= line + 4


def test_python_does_not_call_it() -> None:
    with pytest.raises(NativeError, match=r"same\(\) is native code"):
        same(1)


def test_a_unit_is_loaded_under_the_names_that_its_functions_have(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A module that is imported under another name finds no code whose functions have the first one's names."""
    monkeypatch.setenv("SPECGRAD_CACHE_DIR", str(tmp_path))

    def unit_of(module: str) -> int:
        function = Native(loops.function)  # type: ignore[attr-defined]
        function.name = f"{module}.loops"
        return Unit("loops", [function], lambda: "").address(function)

    for module in ("here", "there", "here"):
        code = ctypes.CFUNCTYPE(WORD, WORD, WORD)(unit_of(module))
        assert code(7, 2) == loops.function(7, 2)  # type: ignore[attr-defined]
    with pytest.raises(NativeError, match="expected functions nowhere"):
        load(object_code(translated("test", [loops])), ["nowhere"])
