"""Element types: the `dtype` objects, the promotion rules between them, and their numeric limits."""

from __future__ import annotations

from math import log10
from typing import Any

import ml_dtypes
import numpy
import numpy as np

from ..errors import DtypeError, type_name
from ..namespace import known

__all__ = ["bfloat16", "can_cast", "complex128", "complex32", "complex64", "dtype", "finfo", "float16"]
__all__ += ["float32", "float64", "float8_e4m3fn", "float8_e5m2", "get_default_dtype", "iinfo", "int16", "int32"]
__all__ += ["int64", "int8", "promote_types", "result_type", "set_default_dtype", "uint16", "uint32", "uint64", "uint8"]

_CATEGORY_ORDER = "bifc"


class dtype:
    """An element type such as `specgrad.float32`. Instances are unique, so they are compared by identity.

    `compute` is the dtype kernels compute in: a wider one for storage types, which are the 16-bit floats (float32),
    complex32 (complex64), uint16 (int32) and uint32 (int64). `native` says that compiled kernels take the stored values
    as they are and that gradients flow through; `planned`, that native code and plans know the dtype or 16-bit floats.
    `scalar_type` is PyTorch's name of the elements, as errors give it ("Half").

    Args:
        name: as in `specgrad.float32`.
        np_type: the NumPy dtype of the same elements.
        kind: "b" for bool, "i" for integers, "f" for floats, "c" for complex numbers.
        scalar_type: PyTorch's name of the elements.

    Raises:
        TypeError: a program makes one of its own.
    """

    name: str
    np: numpy.dtype
    kind: str
    itemsize: int
    is_floating_point: bool
    is_complex: bool
    is_signed: bool
    compute: dtype
    native: bool
    planned: bool
    scalar_type: str
    real: dtype
    _complex: dtype
    __slots__ = tuple(__annotations__)

    def __init__(self, name: str, np_type: Any, kind: str, scalar_type: str = "") -> None:
        if _complete:
            raise TypeError("cannot create 'specgrad.dtype' instances")
        init = object.__setattr__
        init(self, "name", name)
        init(self, "np", np.dtype(np_type))
        init(self, "kind", kind)
        init(self, "itemsize", self.np.itemsize)
        init(self, "is_floating_point", kind == "f")
        init(self, "is_complex", kind == "c")
        init(self, "is_signed", kind not in "b" and not name.startswith("uint"))
        init(self, "compute", self)
        init(self, "native", name in ("float32", "float64"))
        init(self, "planned", name in ("float16", "bfloat16", "float32", "float64"))
        init(self, "scalar_type", scalar_type)
        init(self, "real", self)
        init(self, "_complex", self)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{self!r} is immutable: cannot set {name!r}")

    def __repr__(self) -> str:
        return f"{known.name}.{self.name}"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return from_name, (self.name,)

    def to_real(self) -> dtype:
        """The dtype of the real part: float32 for complex64, itself for a real dtype."""
        return self.real

    def to_complex(self) -> dtype:
        """The complex dtype whose parts hold this dtype: complex128 for float64, else complex64."""
        return self._complex


_complete: list[str] = []  # not empty, once there are all
float16 = dtype("float16", np.float16, "f", "Half")
bfloat16 = dtype("bfloat16", ml_dtypes.bfloat16, "f", "BFloat16")
float32 = dtype("float32", np.float32, "f", "Float")
float64 = dtype("float64", np.float64, "f", "Double")
complex64 = dtype("complex64", np.complex64, "c", "ComplexFloat")
complex128 = dtype("complex128", np.complex128, "c", "ComplexDouble")
int8 = dtype("int8", np.int8, "i", "Char")
int16 = dtype("int16", np.int16, "i", "Short")
int32 = dtype("int32", np.int32, "i", "Int")
int64 = dtype("int64", np.int64, "i", "Long")
uint8 = dtype("uint8", np.uint8, "i", "Byte")
bool_ = dtype("bool", np.bool_, "b", "Bool")
uint16 = dtype("uint16", np.uint16, "i", "UInt16")
uint32 = dtype("uint32", np.uint32, "i", "UInt32")
uint64 = dtype("uint64", np.uint64, "i", "UInt64")
complex32 = dtype("complex32", [("real", np.float16), ("imag", np.float16)], "c", "ComplexHalf")
float8_e4m3fn = dtype("float8_e4m3fn", ml_dtypes.float8_e4m3fn, "f", "Float8_e4m3fn")
float8_e5m2 = dtype("float8_e5m2", ml_dtypes.float8_e5m2, "f", "Float8_e5m2")
_complete.append(bool_.name)

WITH_KERNELS = (bool_, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128)
ALL = (*WITH_KERNELS, uint16, uint32, uint64, complex32, float8_e4m3fn, float8_e5m2)
_BY_NAME = {d.name: d for d in ALL}
BY_NUMPY = {d.np: d for d in ALL}


def _link(source: dtype, attribute: str, target: dtype) -> None:
    object.__setattr__(source, attribute, target)


for _d in (float16, bfloat16, float8_e4m3fn, float8_e5m2):
    _link(_d, "compute", float32)
_link(uint16, "compute", int32)
_link(uint32, "compute", int64)
_link(complex32, "compute", complex64)
_link(complex32, "real", float16)
_link(complex64, "real", float32)
_link(complex128, "real", float64)
for _d in ALL:
    if _d.kind != "c":
        _link(_d, "_complex", {float64: complex128, float16: complex32}.get(_d, complex64))


def from_name(name: str) -> dtype:
    try:
        return _BY_NAME[name]
    except KeyError:
        raise ValueError(f"no dtype is called {name!r}; there are {', '.join(_BY_NAME)}") from None


def from_numpy(np_dtype: Any) -> dtype:
    """The dtype that stores the same elements as the NumPy dtype; TypeError when there is none."""
    result = BY_NUMPY.get(np_dtype) if isinstance(np_dtype, np.dtype) else BY_NUMPY.get(np.dtype(np_dtype))
    if result is None:
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{np.dtype(np_dtype)}. "
            f"The only supported types are: {', '.join(_BY_NAME)}."
        )
    return result


UNSIGNED = (uint16, uint32, uint64)  # beside uint8, which promotes as the signed ones do
FLOAT8 = (float8_e4m3fn, float8_e5m2)


def _promote(a: dtype, b: dtype) -> dtype | None:
    if a is b:
        return a
    if _CATEGORY_ORDER.index(a.kind) > _CATEGORY_ORDER.index(b.kind):
        a, b = b, a
    if a in FLOAT8 or b in FLOAT8 or (a in UNSIGNED and b.kind != "f") or b in UNSIGNED:
        return None
    if b.kind == "c":
        return _promote_complex(a, b)
    if a.kind != b.kind:
        return b
    if uint8 in (a, b):
        other = b if a is uint8 else a
        return int16 if other is int8 else other
    if {a, b} == {float16, bfloat16}:
        return float32
    return a if a.itemsize > b.itemsize else b


def _promote_complex(a: dtype, b: dtype) -> dtype:
    if a.kind in "bi":
        return b
    parts = _promote(a.real, b.real)
    return {float64: complex128, float32: complex64}.get(parts or float32, b)


class _Promotions(dict[tuple[dtype, dtype], dtype]):
    def __missing__(self, pair: tuple[dtype, dtype]) -> dtype:
        family = "Float8 Types" if set(FLOAT8).intersection(pair) else "uint16, uint32, uint64 types"
        first, second = (each.scalar_type for each in pair)
        raise DtypeError(f"Promotion for {family} is not supported, attempted to promote {first} and {second}")


_PROMOTED = _Promotions({(a, b): promoted for a in ALL for b in ALL if (promoted := _promote(a, b)) is not None})


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype of at least the category of both that holds both.

    Args:
        type1, type2: the dtypes, in any order.

    Raises:
        RuntimeError: one of them is uint16, uint32 or uint64 and the other no float, or one is an 8-bit float.

    Example:
        >>> import specgrad as sg
        >>> sg.promote_types(sg.int64, sg.float16)
        specgrad.float16
    """
    _check_dtypes("promote_types", type1, type2)
    return _PROMOTED[type1, type2]


def _check_dtypes(op: str, *args: Any) -> None:
    for value in args:
        if not isinstance(value, dtype):
            raise TypeError(f"{op}(): expected two dtypes, but got {type_name(value)}")


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether promotion allows a conversion: never to a lower category (bool < int < float < complex).

    Args:
        from_: the dtype of what is to be converted.
        to: the dtype that it is to have.

    Example:
        >>> import specgrad as sg
        >>> sg.can_cast(sg.float64, sg.float16), sg.can_cast(sg.float32, sg.int64)
        (True, False)
    """
    _check_dtypes("can_cast", from_, to)
    return _CATEGORY_ORDER.index(from_.kind) <= _CATEGORY_ORDER.index(to.kind)


def scalar_type(value: Any) -> dtype:
    """The dtype a Python or NumPy number stands for: bool, int64, or the default float or complex dtype."""
    if isinstance(value, (bool, np.bool_)):
        return bool_
    if isinstance(value, (int, np.integer)):
        return int64
    if isinstance(value, (float, np.floating, ml_dtypes.bfloat16)):
        return default[0]
    if isinstance(value, (complex, np.complexfloating)):
        return default[0].to_complex()
    raise TypeError(f"result_type(): expected Tensors or numbers, got {type(value).__name__}")


def _combine(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """`higher` has priority; `lower` only lifts it to another category."""
    if higher is None or lower is None:
        return higher or lower
    if higher.kind == "c" or _CATEGORY_ORDER.index(lower.kind) <= _CATEGORY_ORDER.index(higher.kind):
        return higher
    return higher.to_complex() if higher.kind == "f" else _PROMOTED[higher, lower]


def result_type(*args: Any) -> dtype:
    """The dtype in which an op over these Tensors and Python numbers computes.

    Tensors with dimensions come first, then 0-d tensors, then Python numbers: a later class changes the
    dtype only when it belongs to a higher category (bool < int < float < complex).

    Args:
        *args: Tensors and numbers, in any order.

    Example:
        >>> import specgrad as sg
        >>> sg.result_type(sg.ones(2, dtype=sg.int32), 1.5)
        specgrad.float32
    """
    ranks: list[dtype | None] = [None, None, None]
    for arg in args:
        value = getattr(arg, "_dtype", None)
        rank = 2 if value is None else 0 if arg._shape else 1
        value = value or scalar_type(arg)
        held = ranks[rank]
        ranks[rank] = value if held is None else _PROMOTED[held, value]
    result = _combine(ranks[0], _combine(ranks[1], ranks[2]))
    if result is None:
        raise TypeError("result_type(): expected at least one Tensor or number")
    return result


default = [float32]  # of Python floats; a list, for native code reads it too


def get_default_dtype() -> dtype:
    """The dtype of Python floats: float32 until set otherwise."""
    return default[0]


def set_default_dtype(d: dtype) -> None:
    """Set the dtype of Python floats (and its complex partner for Python complex numbers).

    Args:
        d: a real floating-point dtype.

    Raises:
        TypeError: the dtype is another one.
    """
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, got {d!r}")
    default[0] = d


_OF_PYTHON: dict[Any, dtype] = {float: float64, complex: complex128, int: int64}


def _of_python(kind: Any) -> Any:
    return _OF_PYTHON.get(kind, kind) if isinstance(kind, type) else kind


class finfo:
    """Limits of a floating-point dtype (of the parts of a complex one).

    Args:
        type: the dtype; the default dtype when not given.

    Attributes:
        bits: size of a number.
        eps: the distance from 1 to the next larger number.
        max, min: the greatest number, and its negative.
        tiny, smallest_normal: the least positive number of full precision.
        resolution: the decimal precision, 10^-digits.

    Raises:
        TypeError: the dtype is bool or integer.

    Example:
        >>> import specgrad as sg
        >>> sg.finfo(sg.float32).eps
        1.1920928955078125e-07
    """

    __slots__ = ("bits", "eps", "max", "min", "tiny", "smallest_normal", "resolution", "dtype")

    def __init__(self, type: dtype | None = None) -> None:
        chosen = get_default_dtype() if type is None else _of_python(type)
        if not isinstance(chosen, dtype) or chosen.kind not in "fc":
            raise TypeError(f"finfo(): expected a floating point dtype, got {chosen!r}. Use iinfo for integers")
        info = ml_dtypes.finfo(chosen.to_real().np)
        self.bits = int(info.bits)
        self.eps, self.max, self.min = float(info.eps), float(info.max), float(info.min)
        self.tiny = self.smallest_normal = float(info.smallest_normal)
        self.resolution = float(f"1e-{int(info.nmant * log10(2))}")
        self.dtype = chosen.to_real().name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, finfo) and self.dtype == other.dtype

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{n}={getattr(self, n):g}' for n in names)}, dtype={self.dtype})"


class iinfo:
    """Limits of an integer dtype.

    Args:
        type: the dtype.

    Attributes:
        bits: size of a number.
        max, min: the greatest and the least number.

    Raises:
        TypeError: the dtype is no integer one.

    Example:
        >>> import specgrad as sg
        >>> sg.iinfo(sg.int8).max
        127
    """

    __slots__ = ("bits", "max", "min", "dtype")

    def __init__(self, type: dtype) -> None:
        chosen = _of_python(type)
        if not isinstance(chosen, dtype) or chosen.kind != "i":
            raise TypeError(f"iinfo(): expected an integer dtype, got {type!r}. Use finfo for floating point")
        info = ml_dtypes.iinfo(chosen.np)
        self.bits = int(info.bits)
        self.max, self.min = int(info.max), int(info.min)
        self.dtype = chosen.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, iinfo) and self.dtype == other.dtype

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"
