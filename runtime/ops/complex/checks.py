"""Argument checks of ops on complex numbers and their parts."""

from typing import Any

from ...errors import DtypeError, ShapeError
from ...shapes import broadcast_shapes


def equal_parts(op: str, first: Any, second: Any) -> tuple[Any, ...]:
    """Both parts are tensors of one dtype, of whose numbers a complex one has pairs, and their shapes broadcast."""
    names = [t._dtype.name for t in (first, second)]
    if any(t._dtype.kind != "f" or t._dtype.to_complex().real is not t._dtype for t in (first, second)):
        raise DtypeError(f"{op}(): expected float16, float32 or float64 tensors, but got {names[0]} and {names[1]}")
    if first._dtype is not second._dtype:
        raise DtypeError(f"{op}(): expected two tensors of one dtype, but got {names[0]} and {names[1]}")
    broadcast_shapes(op, first._shape, second._shape)
    return first, second


def complex_numbers(op: str, self: Any) -> tuple[Any, ...]:
    """The tensor is complex."""
    if self._dtype.kind != "c":
        raise DtypeError(f"{op}(): expected a complex tensor, but got {self._dtype}")
    return (self,)


def with_imaginary_part(op: str, self: Any) -> tuple[Any, ...]:
    """The tensor is complex."""
    if self._dtype.kind != "c":
        raise DtypeError(f"{op}() is not implemented for tensors with non-complex dtypes, but got {self._dtype}")
    return (self,)


def pairs_of_parts(op: str, self: Any) -> tuple[Any, ...]:
    """Pairs of floating-point numbers in the last dimension, whose strides and offset fit complex numbers."""
    if self._dtype.kind != "f" or self._dtype.to_complex().real is not self._dtype:
        raise DtypeError(f"{op}(): expected a float16, float32 or float64 tensor, but got {self._dtype}")
    if self.ndim == 0 or self._shape[-1] != 2:
        raise ShapeError(f"{op}(): expected a last dimension of size 2, but got the shape {list(self._shape)}")
    strides = self.stride()
    if strides[-1] != 1:
        raise RuntimeError(f"{op}(): Tensor must have a last dimension with stride 1, but got strides {list(strides)}")
    if any(step % 2 and size != 1 for step, size in zip(strides[:-1], self._shape, strict=False)):
        raise RuntimeError(
            f"{op}(): Tensor must have a stride divisible by 2 for all but last dimension, but got {list(strides)}"
        )
    if self._offset % 2:
        raise RuntimeError(f"{op}(): Tensor must have a storage_offset divisible by 2, but got {self._offset}")
    return (self,)


def elements_of_dtype(op: str, self: Any, dtype: Any) -> tuple[Any, ...]:
    """The last dimension can be read in elements of the dtype's size."""
    before, after = self._dtype.itemsize, dtype.itemsize
    if before == after:
        return self, dtype
    message = f"to view {self._dtype} as {dtype} (different element sizes)"
    if not self.ndim:
        raise RuntimeError(f"{op}(): self.dim() cannot be 0 {message}")
    *steps, last = self.stride()
    ratio = max(after // before, 1)
    if self._shape[-1] % ratio:
        raise RuntimeError(f"{op}(): self.size(-1) must be divisible by {ratio} {message}, but got {self._shape[-1]}")
    if last != 1:
        raise RuntimeError(f"{op}(): self.stride(-1) must be 1 {message}, but got {last}")
    for what, number in [("storage_offset()", self._offset), *((f"stride({d})", step) for d, step in enumerate(steps))]:
        if number % ratio:
            raise RuntimeError(f"{op}(): self.{what} must be divisible by {ratio} {message}, but got {number}")
    return self, dtype
