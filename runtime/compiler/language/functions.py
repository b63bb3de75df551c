"""The words of native code: functions, what they call of C, and instructions, all with kinds (kinds.py).

    @native
    def elements(flat: Array) -> int:
        return flat.shape[0]

A native function is written in Python: its annotations are the kinds of its parameters and of its result, a local
variable has that of what it is given. It is translated to the machine code of plain loads and stores (translation.py)
when a unit with a function that calls it is built (units.py). Who owns a reference stands in the signature, in
CPython's words. A reference with neither of these is borrowed: it is good until Python may run, and nobody has to
release it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Protocol, TypeVar

from .structs import Int32, Items, Memory, fields, length
from .types import HALF, NUMBER, WORD, Address, Half, Kind, NativeError, Nothing, Null, Number, Word, kind_of_annotation

__all__ = ["HALF", "WORD", "Address", "Half", "Kind", "Nothing", "Number", "Word"]  # and what is defined here

T = TypeVar("T")
M = TypeVar("M", bound=Memory)
F = TypeVar("F", bound=Callable[..., Any])

New = Annotated[T, "a new reference, which the caller releases or hands over; NULL where an error is set"]
Stolen = Annotated[T, "a reference that the function takes over, also where it fails"]


class Value(NamedTuple):
    kind: Kind
    ir: Any


class Constant:
    """An address that native code knows by a global name."""

    def __init__(self, cls: type, build: Callable[[Any], Any]) -> None:
        self.cls = cls
        self.build = build


NULL: Any = Constant(Null, lambda builder: WORD(0))


class Native:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = f"{function.__module__}.{function.__name__}"  # with a dot, as no function of C has one
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.rare = False

    def __call__(self, *arguments: Any) -> Any:
        raise NativeError(f"{self.__name__}() is native code: Python calls it where a unit has its address")


class External(NamedTuple):
    """A function of C, which is found by its name."""

    name: str
    result: Kind
    parameters: tuple[Kind, ...]


class Instruction(NamedTuple):
    """What native code calls like a function, and whose instructions are written by `build(builder, *values)`."""

    name: str
    build: Callable[..., Any]
    result: Kind | None  # None: `build` is given values with their kinds, and gives one
    parameters: tuple[Kind | None, ...]  # None: of any kind


def native(function: F) -> F:
    """Native code, whose annotations are its kinds; one that is a type variable has the kind of what is given."""
    return Native(function)  # type: ignore[return-value]


def rare(function: F) -> F:
    """A native function that is called seldom: LLVM keeps it apart from its callers, and out of their way."""
    function.rare = True  # type: ignore[attr-defined]
    return function


def external(name: str, result: Any, *parameters: Any) -> Any:
    """A C function of these types. An `int` that C has in 32 bits is declared as Half."""
    return External(name, kind_of_annotation(result), tuple(map(kind_of_annotation, parameters)))


def instruction(result: Kind, *parameters: Kind | None) -> Callable[[Callable[..., Any]], Any]:
    """What `build(builder, *values)` writes, as a function of values of these kinds."""
    return lambda build: Instruction(build.__name__, build, result, parameters)


def _form(build: Callable[..., Any]) -> Any:
    return Instruction(build.__name__.strip("_"), build, None, ())


def word_at(builder: Any, address: Any, distance: Any, kind: Any = WORD) -> Any:
    return builder.inttoptr(builder.add(address, distance), kind.as_pointer())


def load_as(builder: Any, address: Any, distance: Any, kind: Any) -> Any:
    if kind == Int32:
        return builder.zext(builder.load(word_at(builder, address, distance, HALF)), WORD)
    return builder.load(word_at(builder, address, distance, NUMBER if kind is float else WORD))


def store_as(builder: Any, address: Any, distance: Any, kind: Any, value: Any) -> None:
    value = builder.trunc(value, HALF) if kind == Int32 else value
    builder.store(value, word_at(builder, address, distance, value.type))


def on_stack(builder: Any, kind: Any, count: int = 1) -> Any:
    """Memory of the function, allocated where it begins: in a loop the stack does not grow."""
    with builder.goto_entry_block():
        return builder.alloca(kind, count)


def c_function(builder: Any, name: str, result: Any, parameters: list[Any]) -> Any:
    from llvmlite import ir

    cached = builder.module.globals.get(name)
    return cached or ir.Function(builder.module, ir.FunctionType(result, parameters), name)


@_form
def _cast(builder: Any, cls: type, address: Value) -> Value:
    return Value(Address(cls), address.ir)


@_form
def _new(builder: Any, cls: type) -> Value:
    return Value(Address(cls), builder.ptrtoint(on_stack(builder, WORD, length(cls)), WORD))


@_form
def _address_of(builder: Any, operand: Value) -> Value:
    return Value(Word, operand.ir)


@_form
def _atomic_xchg(builder: Any, operand: Value, name: str, value: Value) -> Value:
    field = fields(operand.kind.cls)[name]  # type: ignore[attr-defined]
    kind = kind_of_annotation(field.kind)
    if not value.kind.fits(kind):
        raise NativeError(f"atomic_xchg(): {name} is {kind}, but the new value is {value.kind}")
    slot = word_at(builder, operand.ir, WORD(field.distance))
    before = builder.load(slot)
    builder.store(value.ir, slot)
    return Value(kind, before)


class _Cast(Protocol):
    # An address, or a word, as the address of a class: who calls knows that there is one.
    def __call__(self, cls: type[M], address: Memory | int) -> M: ...


class _New(Protocol):
    # A struct on the stack, not filled; it is there until the function that asks returns.
    def __call__(self, cls: type[M]) -> M: ...


cast: _Cast = _cast
new: _New = _new
address_of: Callable[[Memory | Items[Any]], int] = _address_of
atomic_xchg: Callable[[Memory, str, Any], Any] = _atomic_xchg  # (address, "field", new value): what stood there
