"""The kinds of values in native code: words, numbers, truth values, and addresses of what structs.py describes, which
have its fields as attributes, no arithmetic, and no comparison but `is`; `cast` goes to a class from its base."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

from llvmlite import ir

from .structs import Items, Memory, Pointer

WORD = ir.IntType(64)
HALF = ir.IntType(32)
NUMBER = ir.DoubleType()
BIT = ir.IntType(1)
VOID = ir.VoidType()


class NativeError(TypeError):
    """What stands in a native function and is not its language; or types that do not fit."""


class Kind:
    llvm: Any = WORD

    def fits(self, other: Kind) -> bool:
        """Whether a value of this kind may stand where the other is wanted."""
        return self == other


@dataclasses.dataclass(frozen=True)
class Plain(Kind):
    name: str
    llvm: Any = dataclasses.field(default=WORD, compare=False)
    wider: tuple[str, ...] = ()  # what it may be converted to

    def fits(self, other: Kind) -> bool:
        """A truth value is a word too, and a word a number."""
        return self == other or (isinstance(other, Plain) and other.name in self.wider)

    def __str__(self) -> str:
        return self.name


Word = Plain("int", WORD, ("float", "int32"))
Number = Plain("float", NUMBER)
Truth = Plain("bool", BIT, ("int",))
Nothing = Plain("None", VOID)
Half = Plain("int32", HALF, ("int",))  # what C functions take and give as an int: a word in native code


class Null(Memory):
    """The class of address 0, at which nothing lies."""


@dataclasses.dataclass(frozen=True)
class Address(Kind):
    cls: type

    def fits(self, other: Kind) -> bool:
        """An address is also one of a base class; NULL is one of every class."""
        return isinstance(other, Address) and (self.cls is Null or issubclass(self.cls, other.cls))

    def __str__(self) -> str:
        return self.cls.__name__


@dataclasses.dataclass(frozen=True)
class ItemsKind(Kind):
    """Items at an address, of which `count` are there; 0 where that is not known."""

    kind: Any
    count: int = 0

    def fits(self, other: Kind) -> bool:
        """Items of known number may stand where any number is expected."""
        return isinstance(other, ItemsKind) and other.kind == self.kind and other.count in (self.count, 0)

    def __str__(self) -> str:
        return f"Items[{getattr(self.kind, '__name__', self.kind)}]"


@dataclasses.dataclass(frozen=True)
class UnionKind(Kind):
    """A tuple of values, as a function gives them."""

    kinds: tuple[Kind, ...]

    @property
    def llvm(self) -> Any:
        return ir.LiteralStructType([kind.llvm for kind in self.kinds])

    def __str__(self) -> str:
        return f"tuple[{', '.join(map(str, self.kinds))}]"


def common(first: Kind, second: Kind) -> Kind:
    """The kind that both fit; a NativeError where there is none."""
    if first.fits(second):
        return second
    if second.fits(first):
        return first
    raise NativeError(f"expected values of one kind, but they are {first} and {second}")


PLAIN = {int: Word, float: Number, bool: Truth, type(None): Nothing, None: Nothing}


def kind_of_annotation(hint: Any, count: int = 0) -> Kind:
    """The kind for an annotation: int, float, bool, None, a class of memory, items of such, or a tuple."""
    hint = without_notes(hint)
    if isinstance(hint, Kind):
        return hint
    if get_origin(hint) in (Items, Pointer):
        return ItemsKind(get_args(hint)[0], count if get_origin(hint) is Items else 0)
    if get_origin(hint) is tuple:
        return UnionKind(tuple(map(kind_of_annotation, get_args(hint))))
    return Address(hint) if isinstance(hint, type) and issubclass(hint, Memory) else PLAIN[hint]


def without_notes(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


@dataclasses.dataclass(frozen=True)
class Signature:
    """The annotations of a native function; type variables stand for the kinds of what is given."""

    result: Any
    parameters: tuple[tuple[str, Any], ...]

    def kinds(self, args: tuple[Kind, ...]) -> tuple[Kind, tuple[Kind, ...]]:
        hints = [without_notes(hint) for _, hint in self.parameters]
        variables = {hint: kind for hint, kind in zip(hints, args, strict=False) if isinstance(hint, TypeVar)}

        def kind(hint: Any) -> Kind:
            return variables[hint] if hint in variables else kind_of_annotation(hint)

        result = without_notes(self.result)
        return kind(result), tuple(map(kind, hints))


@functools.cache
def signature_of(function: Callable[..., Any]) -> Signature:
    hints = get_type_hints(function, include_extras=True)
    result = hints.pop("return")
    return Signature(result, tuple(hints.items()))
