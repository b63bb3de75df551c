"""Argument checks of ops that cut tensors or join them: slices, splits, windows, cat, stack, flip, roll, padding."""

from collections.abc import Sequence
from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...dispatch.shape_rules import fitting_number, is_known, is_recorded
from ...errors import ShapeError
from ...tensor.dtypes import int64

Ints = Sequence[int]
MAX_PIECES = 1_000_000  # more would only fill the memory


def select(op: str, self: Any, dim: int, index: int) -> tuple[Any, ...]:
    """Wraps `dim` and `index`."""
    if not self.ndim:
        raise IndexError(f"{op}() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(op, dim, self.ndim)
    size = self._shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"{op}(): index {index} out of range for tensor of size {list(self._shape)} at dimension {dim}"
        )
    return self, dim, index + size if index < 0 else index


def slice(op: str, self: Any, dim: int, start: int | None, end: int | None, step: int) -> tuple[Any, ...]:
    """Wraps `dim`; `step` above 0; `start` and `end` are clamped to the size as Python does."""
    dim = wrap_dim(op, dim, self.ndim, False)
    if step <= 0:
        raise ValueError(f"{op}(): slice step must be positive, got {step}")
    size = self._shape[dim]
    first = _clamped(0 if start is None else start, size)
    return self, dim, first, max(first, _clamped(size if end is None else end, size)), step


def _clamped(idx: int, size: int) -> int:
    return max(idx + size, 0) if idx < 0 else min(idx, size)


def narrow(op: str, self: Any, dim: int, start: int, length: int) -> tuple[Any, ...]:
    """Wraps `dim` and `start`; the piece must lie inside."""
    if not self.ndim:
        raise RuntimeError(f"{op}() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(op, dim, self.ndim)
    size = self._shape[dim]
    if length < 0:
        raise RuntimeError(f"{op}(): length must be non-negative, got {length}")
    if not -size <= start <= size:
        raise IndexError(f"{op}(): start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    first = start + size if start < 0 else start
    if first + length > size:
        raise RuntimeError(f"{op}(): start ({first}) + length ({length}) exceeds dimension size ({size}).")
    return self, dim, first, length


def one_dim_not_scalar(op: str, self: Any, dim: int) -> tuple[Any, ...]:
    """Wraps `dim` of a tensor that has dimensions."""
    return self, wrap_dim(op, dim, self.ndim, False)


def split(op: str, self: Any, split_size: int, dim: int) -> tuple[Any, ...]:
    """Wraps `dim`; pieces of size 0 only of nothing."""
    require_dimensions(op, self, 1)
    dim = wrap_dim(op, dim, self.ndim)
    if split_size < 0:
        raise RuntimeError(f"{op}() expects split_size be non-negative, but got split_size={split_size}")
    if split_size == 0 and self._shape[dim]:
        raise RuntimeError(f"{op}(): split_size can only be 0 if dimension size is 0, but got size {self._shape[dim]}")
    return self, split_size, dim


def split_sizes(op: str, self: Any, split_size: Ints, dim: int) -> tuple[Any, ...]:
    """Wraps `dim`; the pieces must make up the whole."""
    require_dimensions(op, self, 1)
    dim = wrap_dim(op, dim, self.ndim)
    if any(size < 0 for size in split_size):
        raise RuntimeError(f"{op}() expects split_sizes have only non-negative entries, got {list(split_size)}")
    if sum(split_size) != self._shape[dim]:
        raise RuntimeError(
            f"{op}() expects split_sizes to sum exactly to {self._shape[dim]} (input tensor's size at "
            f"dimension {dim}), but got split_sizes={list(split_size)}"
        )
    return self, tuple(split_size), dim


def chunk(op: str, self: Any, chunks: int, dim: int) -> tuple[Any, ...]:
    """Wraps `dim`; at least one piece."""
    require_dimensions(op, self, 1)
    if chunks <= 0:
        raise RuntimeError(f"{op}() expects `chunks` to be greater than 0, got: {chunks}")
    dim = wrap_dim(op, dim, self.ndim)
    if not self._shape[dim] and chunks > MAX_PIECES:
        raise RuntimeError(f"{op}() gives at most {MAX_PIECES} pieces of an empty dimension, got: {chunks}")
    return self, chunks, dim


def is_legacy_empty(shape: Ints) -> bool:
    """cat takes a tensor of shape (0,) for nothing at all, whatever the shapes of the others."""
    return tuple(shape) == (0,)


def cat(op: str, tensors: Sequence[Any], dim: int) -> tuple[Any, ...]:
    """Wraps `dim`; shapes must agree in all other dimensions."""
    if not tensors:
        raise ValueError(f"{op}(): expected a non-empty list of Tensors")
    shapes = [t._shape for t in tensors]
    first = shapes[0]
    if first and not is_legacy_empty(first) and shapes.count(first) == len(shapes):
        return tensors, wrap_dim(op, dim, len(first))
    for position, tensor in enumerate(tensors):
        if not tensor.ndim:
            raise RuntimeError(f"{op}(): zero-dimensional tensor (at position {position}) cannot be concatenated")
    counted = [(i, shape) for i, shape in enumerate(shapes) if not is_legacy_empty(shape)]
    if not counted:
        return tensors, wrap_dim(op, dim, 1)
    first = counted[0][1]
    dim = wrap_dim(op, dim, len(first))
    for position, shape in counted:
        _require_alike(op, first, shape, dim, position)
    return tensors, dim


def _require_alike(op: str, first: Ints, shape: Ints, dim: int, position: int) -> None:
    if len(first) != len(shape):
        raise ShapeError(f"{op}(): Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
    for d, (expected, size) in enumerate(zip(first, shape, strict=True)):
        if d != dim and expected != size:
            raise ShapeError(
                f"{op}(): Sizes of tensors must match except in dimension {dim}. Expected size {expected} "
                f"but got size {size} in dimension {d} for tensor number {position} in the list."
            )


def stack(op: str, tensors: Sequence[Any], dim: int) -> tuple[Any, ...]:
    """Wraps `dim` among the dimensions of the result; all shapes must be equal."""
    not_empty(op, tensors)
    first = tensors[0]._shape
    shapes = [t._shape for t in tensors]
    if shapes.count(first) != len(shapes):
        position, other = next((i, shape) for i, shape in enumerate(shapes) if shape != first)
        raise ShapeError(
            f"{op}() expects each tensor to be equal size, but got {list(first)} at entry 0 and "
            f"{list(other)} at entry {position}"
        )
    return tensors, wrap_dim(op, dim, len(first) + 1)


def roll(op: str, self: Any, shifts: Ints, dims: Ints) -> tuple[Any, ...]:
    """Wraps `dims`; one shift for each of them, or one for the flattened tensor."""
    if not shifts:
        raise RuntimeError(f"{op}(): `shifts` required")
    if len(shifts) != (len(dims) or 1):
        raise RuntimeError(f"{op}(): shifts and dimensions must align. shifts: {len(shifts)}, dims: {len(dims)}")
    return self, tuple(shifts), tuple(wrap_dim(op, dim, self.ndim, False) for dim in dims)


def constant_pad(op: str, self: Any, pad: Ints, value: Any) -> tuple[Any, ...]:
    """Pairs of (left, right) for the last dimensions, none of which may become negative."""
    if len(pad) % 2 or len(pad) > 2 * self.ndim:
        raise RuntimeError(
            f"{op}(): Length of pad must be even and no more than twice the number of dimensions of the "
            f"input, got {len(pad)} for an input of {self.ndim} dimensions"
        )
    for i in range(0, len(pad), 2):
        size = self._shape[-1 - i // 2]
        if size + min(pad[i], 0) + min(pad[i + 1], 0) < 0:
            raise RuntimeError(f"{op}(): padding {list(pad)} cuts more than there is of shape {list(self._shape)}")
    return self, tuple(pad), fitting_number(op, "value", value, self.dtype)


def not_empty(op: str, tensors: Sequence[Any]) -> tuple[Any, ...]:
    """At least one tensor."""
    if not tensors:
        raise RuntimeError(f"{op}() expects a non-empty TensorList")
    return (tensors,)


def tensor_split(op: str, self: Any, indices: Any, dim: int) -> tuple[Any, ...]:
    """Wraps `dim`; at least one section."""
    require_dimensions(op, self, 1)
    if isinstance(indices, int) and not 0 < indices <= MAX_PIECES:
        raise RuntimeError(f"{op}(): number of sections must be larger than 0 and at most {MAX_PIECES}, got {indices}")
    return self, indices, wrap_dim(op, dim, self.ndim)


def tensor_split_by(op: str, self: Any, tensor_indices_or_sections: Any, dim: int) -> tuple[Any, ...]:
    """int64 numbers of at most one dimension, which become an int or ints."""
    indices = tensor_indices_or_sections
    if indices._dtype is not int64:
        raise RuntimeError(
            f"{op}(): expected tensor_indices_or_sections to have dtype of long, but got {indices._dtype}"
        )
    if indices.ndim > 1:
        raise RuntimeError(
            f"{op}(): expected tensor_indices_or_sections to be a zero-dimensional or one-dimensional tensor, but got "
            f"{indices.ndim} dims"
        )
    if not is_known(indices) and not is_recorded(indices):
        raise RuntimeError(
            f"vmap: {op}() by other places in each example: the shape of its result depends on the values"
        )
    return tensor_split(op, self, indices.tolist(), dim)


def require_dimensions(op: str, self: Any, minimum: int) -> tuple[Any, ...]:
    if self.ndim < minimum:
        raise RuntimeError(
            f"{op}() expected a tensor with at least {minimum} dimension(s), but got a tensor with {self.ndim} "
            "dimensions"
        )
    return (self,)


def _equal_pieces(op: str, self: Any, indices: Any, dim: int) -> tuple[Any, ...]:
    if isinstance(indices, int) and (not indices or self._shape[dim] % indices):
        raise RuntimeError(
            f"{op}() attempted to split along dimension {dim}, but the size of the dimension {self._shape[dim]} is not "
            f"divisible by the split_size {indices}"
        )
    return self, indices


def hsplit(op: str, self: Any, indices: Any) -> tuple[Any, ...]:
    """At least one dimension; pieces of equal size."""
    require_dimensions(op, self, 1)
    return _equal_pieces(op, self, indices, min(self.ndim - 1, 1))


def vsplit(op: str, self: Any, indices: Any) -> tuple[Any, ...]:
    """At least two dimensions; pieces of equal size."""
    require_dimensions(op, self, 2)
    return _equal_pieces(op, self, indices, 0)


def dsplit(op: str, self: Any, indices: Any) -> tuple[Any, ...]:
    """At least three dimensions; pieces of equal size."""
    require_dimensions(op, self, 3)
    return _equal_pieces(op, self, indices, 2)


def at_least_1d(op: str, self: Any) -> tuple[Any, ...]:
    """At least one dimension."""
    return require_dimensions(op, self, 1)


def at_least_2d(op: str, self: Any) -> tuple[Any, ...]:
    """At least two dimensions."""
    return require_dimensions(op, self, 2)


def rot90(op: str, self: Any, k: int, dims: Ints) -> tuple[Any, ...]:
    """Wraps two dimensions, which must differ."""
    if len(dims) != 2:
        raise RuntimeError(f"{op}(): expected total rotation dims == 2, but got dims = {len(dims)}")
    if self.ndim < 2:
        raise RuntimeError(f"{op}(): expected total dims >= 2, but got total dims = {self.ndim}")
    first, second = (wrap_dim(op, dim, self.ndim) for dim in dims)
    if first == second:
        raise RuntimeError(
            f"{op}(): expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    return self, k, (first, second)


def adjoint(op: str, self: Any) -> tuple[Any, ...]:
    """No vector."""
    if self.ndim == 1:
        raise RuntimeError(f"{op}() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    return (self,)


def unfold(op: str, self: Any, dimension: int, size: int, step: int) -> tuple[Any, ...]:
    """Wraps `dimension`; windows that fit, at least one step apart."""
    dim = wrap_dim(op, dimension, self.ndim)
    if size < 0:
        raise RuntimeError(f"{op}(): size is {size} but must be >= 0")
    if step <= 0:
        raise RuntimeError(f"{op}(): step is {step} but must be > 0")
    max_size = self._shape[dim] if self.ndim else 1
    if size > max_size:
        raise RuntimeError(f"{op}(): maximum size for tensor at dimension {dim} is {max_size} but size is {size}")
    return self, dim, size, step


def unfold_backward(op: str, grad: Any, sizes: Ints, dim: int, length: int, step: int) -> tuple[Any, ...]:
    """Wraps `dim`; the gradient has one window of `length` at each step."""
    dim = wrap_dim(op, dim, len(sizes))
    if min((*sizes, length), default=0) < 0 or step < 1:
        raise ShapeError(
            f"{op}(): expected sizes that are not negative and step > 0, got {list(sizes)}, {length}, {step}"
        )
    size = sizes[dim] if sizes else 1
    count = (size - length) // step + 1
    expected = (*sizes[:dim], count, *sizes[dim + 1 :], length) if sizes else (length,)
    if grad._shape != expected:
        raise ShapeError(f"{op}(): expected grad_output of shape {list(expected)}, got {list(grad._shape)}")
    return grad, tuple(sizes), dim, length, step
