"""The names of storages of a dtype: `FloatStorage`."""

from __future__ import annotations

from typing import Any

from ...dispatch import checks
from ...tensor import dtypes
from ...tensor.dtypes import dtype as Dtype

OF_NAMES = {
    "DoubleStorage": dtypes.float64,
    "FloatStorage": dtypes.float32,
    "HalfStorage": dtypes.float16,
    "BFloat16Storage": dtypes.bfloat16,
    "LongStorage": dtypes.int64,
    "IntStorage": dtypes.int32,
    "ShortStorage": dtypes.int16,
    "CharStorage": dtypes.int8,
    "ByteStorage": dtypes.uint8,
    "BoolStorage": dtypes.bool_,
    "ComplexDoubleStorage": dtypes.complex128,
    "ComplexFloatStorage": dtypes.complex64,
}


def type_of(storage: Any) -> str:
    """The name of the class of a typed storage: `specgrad.FloatStorage`."""
    package = "specgrad.cuda" if storage.is_cuda else "specgrad"
    return f"{package}.{next(name for name, kind in OF_NAMES.items() if kind is storage.dtype)}"


def dtype_named(value: Any) -> Dtype:
    """The dtype that a storage's `type(value)` asks for: a dtype, a class of storages or its name.

    Raises:
        ValueError: for a name that is none of these.
    """
    if isinstance(value, type) and isinstance(getattr(value, "dtype", None), Dtype):
        return value.dtype  # type: ignore[attr-defined]
    if not isinstance(value, str):
        return checks.dtype("type", "dtype", value)
    name = value.rpartition(".")[2]
    if name not in OF_NAMES:
        raise ValueError(f"type(): invalid type: {value!r}, expected one of {', '.join(OF_NAMES)}")
    return OF_NAMES[name]
