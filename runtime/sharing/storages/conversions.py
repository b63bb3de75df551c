"""The methods of storages that are named after dtypes: `storage.float()`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...tensor import dtypes
from ...tensor.dtypes import dtype


class Conversions:
    """Copies of a storage's elements as numbers of other dtypes, in typed storages."""

    __slots__ = ()
    _typed: ClassVar[
        Callable[[Any, dtype], Any]
    ]  # makes a typed storage of an untyped one: set by the typed one's module

    def _converted(self, kind: dtype) -> Any:
        raise NotImplementedError

    def double(self) -> Any:
        """The elements as float64."""
        return self._converted(dtypes.float64)

    def float(self) -> Any:
        """The elements as float32."""
        return self._converted(dtypes.float32)

    def half(self) -> Any:
        """The elements as float16."""
        return self._converted(dtypes.float16)

    def bfloat16(self) -> Any:
        """The elements as bfloat16."""
        return self._converted(dtypes.bfloat16)

    def long(self) -> Any:
        """The elements as int64."""
        return self._converted(dtypes.int64)

    def int(self) -> Any:
        """The elements as int32."""
        return self._converted(dtypes.int32)

    def short(self) -> Any:
        """The elements as int16."""
        return self._converted(dtypes.int16)

    def char(self) -> Any:
        """The elements as int8."""
        return self._converted(dtypes.int8)

    def byte(self) -> Any:
        """The elements as uint8."""
        return self._converted(dtypes.uint8)

    def bool(self) -> Any:
        """The elements as bool."""
        return self._converted(dtypes.bool_)

    def complex_float(self) -> Any:
        """The elements as complex64."""
        return self._converted(dtypes.complex64)

    def complex_double(self) -> Any:
        """The elements as complex128."""
        return self._converted(dtypes.complex128)
