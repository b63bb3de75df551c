"""The types of native code: ints, floats, bools, and addresses of the structs and objects that structs.py describes.

An address of a class has its fields as attributes and none other. There is no arithmetic with it, and no comparison but
`is`; it may stand where an address of a base class is wanted, and `cast` goes the other way. So numba refuses to read
the slot of one thing from another. The machine code is that of plain loads and stores.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Annotated, Any, Protocol, TypeVar, get_args, get_origin, get_type_hints

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.imputils import lower_constant
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global
from numba.extending import (
    intrinsic,
    lower_builtin,
    lower_cast,
    lower_getattr_generic,
    lower_setattr_generic,
    register_model,
    typeof_impl,
)

from ..cache.digest import digest
from ..cache.dispatchers import c_function
from ..compile.compiler_pipelines import Inner, Lean
from ..compile.scalar_library import rebuilt
from .check_mode import CHECKING
from .structs import Atomic, Int32, Items, Memory, MemoryClass, Pointer, fields, is_struct, length, stride

T = TypeVar("T")
M = TypeVar("M", bound=Memory)
F = TypeVar("F", bound=Callable[..., Any])
Word = types.intp
WORD = ir.IntType(64)
HALF = ir.IntType(32)

# Who owns a reference stands in the signature, in CPython's words. A reference with neither of these is borrowed: it is
# good until Python may run, and nobody has to release it.
New = Annotated[T, "a new reference, which the caller releases or hands over; NULL where an error is set"]
Stolen = Annotated[T, "a reference that the function takes over, also where it fails"]


class Null(Memory):
    """The class of address 0, at which nothing lies."""


class Address(types.Type):
    """The address of a struct or an object."""

    def __init__(self, cls: type) -> None:
        self.cls = cls
        super().__init__(f"{cls.__module__}.{cls.__qualname__}")

    def can_convert_to(self, context: Any, other: Any) -> Any:
        """An address is also one of a base class; NULL is one of every class."""
        fits = isinstance(other, Address) and (self.cls is Null or issubclass(self.cls, other.cls))
        return Conversion.safe if fits else None

    def unify(self, context: Any, other: Any) -> Any:
        """The type of what may be either: that of the two from which the other is derived."""
        if isinstance(other, Address):
            for one, two in ((self, other), (other, self)):
                if one.can_convert_to(context, two):
                    return two
        return None


class ItemsType(types.Type):
    """Items at an address, of which `count` are there; 0 where that is not known."""

    def __init__(self, kind: Any, count: int = 0) -> None:
        self.kind = kind
        self.count = count
        super().__init__(f"Items[{kind}, {count}]")

    def can_convert_to(self, context: Any, other: Any) -> Any:
        """Items of known number may stand where any number is expected."""
        return Conversion.safe if isinstance(other, ItemsType) and (other.kind, other.count) == (self.kind, 0) else None


@register_model(Address)
@register_model(ItemsType)
class _OneWord(models.PrimitiveModel):
    """An address is a word."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, WORD)


class Constant:
    """An address that native code knows by a global name."""

    def __init__(self, cls: type, build: Callable[[Any], Any]) -> None:
        self.cls = cls
        self.build = build


NULL: Any = Constant(Null, lambda builder: WORD(0))


@typeof_impl.register(Constant)
def _type_of_constant(value: Any, context: Any) -> Any:
    return Address(value.cls)


@typeof_impl.register(MemoryClass)
def _type_of_class(value: Any, context: Any) -> Any:
    return types.TypeRef(Address(value))


@lower_constant(Address)
def _constant(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return value.build(builder)


@lower_cast(Address, Address)
@lower_cast(ItemsType, ItemsType)
def _convert(context: Any, builder: Any, source: Any, target: Any, value: Any) -> Any:
    return value


def numba_type(kind: Any, count: int = 0) -> Any:
    """numba's type for an annotation: int, float, bool, None, a class of memory, or items of such."""
    if get_origin(kind) is Annotated:
        return numba_type(get_args(kind)[0])
    if get_origin(kind) in (Items, Pointer):
        return ItemsType(get_args(kind)[0], count if get_origin(kind) is Items else 0)
    if isinstance(kind, type) and issubclass(kind, Memory):
        return Address(kind)
    return {int: Word, float: types.float64, bool: types.boolean, type(None): types.void}[kind]


def word_at(builder: Any, address: Any, distance: Any, kind: Any = WORD) -> Any:
    """LLVM's pointer to what lies at a distance in bytes from an address."""
    return builder.inttoptr(builder.add(address, distance), kind.as_pointer())


def _load(builder: Any, address: Any, distance: Any, kind: Any) -> Any:
    if kind == Int32:
        return builder.zext(builder.load(word_at(builder, address, distance, HALF)), WORD)
    return builder.load(word_at(builder, address, distance, ir.DoubleType() if kind is float else WORD))


@infer_getattr
class _Fields(AttributeTemplate):
    """The fields of a class are the attributes of its addresses."""

    key = Address

    def generic_resolve(self, value: Any, name: str) -> Any:
        """The type of a field; None where there is none, which numba reports."""
        found = fields(value.cls).get(name)
        return None if found is None else numba_type(found.kind, found.room)


@lower_getattr_generic(Address)
def _get_field(context: Any, builder: Any, kind: Any, address: Any, name: str) -> Any:
    field = fields(kind.cls)[name]
    if get_origin(field.kind) is Items or field.kind is Atomic:  # in place: its address, not what stands there
        return builder.add(address, WORD(field.distance))
    return _load(builder, address, WORD(field.distance), field.kind)


@lower_setattr_generic(Address)
def _set_field(context: Any, builder: Any, signature: Any, args: Any, name: str) -> None:
    field = fields(signature.args[0].cls)[name]
    builder.store(args[1], word_at(builder, args[0], WORD(field.distance), args[1].type))


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    """items[index]"""

    def generic(self, args: Any, kws: Any) -> Any:
        """The type of an item."""
        items, index = args
        fits = isinstance(items, ItemsType) and isinstance(index, types.Integer)
        return numba_type(items.kind)(items, Word) if fits else None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    """items[index] = value"""

    def generic(self, args: Any, kws: Any) -> Any:
        """It has no result."""
        items, index, _ = args
        fits = isinstance(items, ItemsType) and isinstance(index, types.Integer)
        return types.void(items, Word, numba_type(items.kind)) if fits else None


@lower_builtin(operator.getitem, ItemsType, types.Integer)
def _get_item(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    kind, distance = signature.args[0].kind, _distance_of(context, builder, signature, args)
    return builder.add(args[0], distance) if is_struct(kind) else _load(builder, args[0], distance, kind)


@lower_builtin(operator.setitem, ItemsType, types.Integer, types.Any)
def _set_item(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    distance = _distance_of(context, builder, signature, args)
    builder.store(args[2], word_at(builder, args[0], distance, args[2].type))
    return context.get_dummy_value()


def _distance_of(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The distance of an item; in check mode the process ends where there is none of such a number."""
    items = signature.args[0]
    if CHECKING and items.count:
        with builder.if_then(builder.icmp_unsigned(">=", args[1], WORD(items.count)), likely=False):
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "abort"), [])
    return builder.mul(args[1], WORD(stride(items.kind)))


@lower_builtin(operator.is_, Address, Address)
def _is(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.icmp_unsigned("==", *args)


@intrinsic
def _cast(context: Any, cls: Any, address: Any) -> Any:
    return cls.instance_type(cls, address), lambda _, builder, signature, args: args[1]


@intrinsic
def _new(context: Any, cls: Any) -> Any:
    size = length(cls.instance_type.cls)

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        # alloca_once allocates where the function begins: in a loop each turn gets the same memory, and the stack does
        # not grow.
        return builder.ptrtoint(cgutils.alloca_once(builder, WORD, size=size), WORD)

    return cls.instance_type(cls), build


@intrinsic
def _address_of(context: Any, thing: Any) -> Any:
    return Word(thing), lambda _, builder, signature, args: args[0]


@intrinsic(prefer_literal=True)
def _exchange(context: Any, thing: Any, name: Any, value: Any) -> Any:
    field = fields(thing.cls)[name.literal_value]
    kind = numba_type(field.kind)

    def build(_: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = word_at(builder, args[0], WORD(field.distance))
        before = builder.load(place)
        builder.store(args[2], place)
        return before

    return kind(thing, name, kind), build


class _Cast(Protocol):
    def __call__(self, cls: type[M], address: Memory | int) -> M:
        """An address, or a word, as the address of a class: who calls knows that there is one."""


class _New(Protocol):
    def __call__(self, cls: type[M]) -> M:
        """A struct on the stack, not filled; it is there until the function that asks returns."""


cast: _Cast = _cast
new: _New = _new
address_of: Callable[[Memory | Items[Any]], int] = _address_of
exchange: Callable[[Memory, str, Any], Any] = _exchange  # (address, "field", new value): what stood there


def native(function: F) -> F:
    """A function of native code: its annotations are its types. It is compiled once, with those that call it.

    A parameter whose annotation is a type variable has the type of what is given; then there is one for each type.
    """
    options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "error_model": "numpy", "fastmath": False}
    compiled = njit(**options, pipeline_class=Inner)(function)
    template_for = compiled.get_call_template

    def declared_template(args: Any, kws: Any) -> Any:
        signature = declared_signature(function, args)
        compiled.compile(signature)
        return template_for(signature.args, kws)

    compiled.get_call_template = declared_template
    return compiled


def declared_signature(function: Any, args: Any) -> Any:
    """numba's signature for a function's annotations, of which `args` replace type variables."""
    hints = get_type_hints(function, include_extras=True)
    result = _without_notes(hints.pop("return"))
    given = {_without_notes(kind): types.unliteral(arg) for kind, arg in zip(hints.values(), args, strict=bool(args))}
    return _declared(result, given)(*[_declared(_without_notes(kind), given) for kind in hints.values()])


def _without_notes(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


def _declared(kind: Any, given: dict[Any, Any]) -> Any:
    if get_origin(kind) is tuple:
        return types.Tuple([_declared(item, given) for item in get_args(kind)])
    return given[kind] if isinstance(kind, TypeVar) else numba_type(kind)


def compiled_function(function: Any, version: str) -> Any:
    """A native function as one that C calls, with its address; compiled, or loaded if it has been before."""
    named = rebuilt(function.py_func, {})
    named.__qualname__ += f"-{version}"
    options = {"error_model": "numpy", "fastmath": False, "pipeline_class": Lean}
    return c_function(
        named, digest(named.__module__, named.__qualname__), declared_signature(function.py_func, ()), options
    )
