"""Argument checks of indexing ops: dtypes and shapes of indices and masks. Kernels check the index values."""

from collections.abc import Sequence
from typing import Any

from ... import namespace
from ...device.device import CPU, META
from ...dispatch.argument_checks import rejects, wrap_dim
from ...dispatch.shape_rules import fitting_number
from ...errors import ShapeError
from ...shapes import broadcast_shapes
from ...tensor.dtypes import bool_
from ...tensor.memory_overlap import check_single


def index(op: str, self: Any, indices: Sequence[Any]) -> tuple[Any, ...]:
    """Index tensors of integers or bools, no more than dimensions; masks have the shape they select from."""
    _check_indices(op, self._shape, indices)
    return self, _beside(self, indices)


def _beside(self: Any, indices: Sequence[Any]) -> Sequence[Any]:
    """Indices where the tensor lies: those of the CPU may choose from one on a device."""
    if self._device is CPU:
        return indices
    if self._device is META:  # where a mask of the host is the last thing that is known of its elements
        indices = [idx for index in indices for idx in _indices(index)]
    return [i if i is None or i._device is not CPU else i.to(self._device) for i in indices]


def _indices(index: Any) -> Sequence[Any]:
    """The indices that stand for one: those of the true elements along each dimension for a mask of the host."""
    is_mask = index is not None and index._device is CPU and index._dtype is bool_
    return namespace.op.nonzero_default(index).unbind(1) if is_mask else (index,)


def index_backward(op: str, grad: Any, input_sizes: Sequence[int], indices: Sequence[Any]) -> tuple[Any, ...]:
    """Indices as for index on a tensor of `input_sizes`."""
    if min(input_sizes, default=0) < 0:
        raise ShapeError(f"{op}(): expected sizes that are not negative, but got {list(input_sizes)}")
    _check_indices(op, input_sizes, indices)
    return grad, tuple(input_sizes), indices


def index_put(op: str, self: Any, indices: Sequence[Any], values: Any, accumulate: bool) -> tuple[Any, ...]:
    """Indices as for index; nothing is added in-place to elements that overlap."""
    if accumulate and op == "index_put_":
        check_single(op, self)
    _check_indices(op, self._shape, indices)
    return self, _beside(self, indices), values, accumulate


def _check_indices(op: str, shape: Sequence[int], indices: Sequence[Any]) -> None:
    """Walks along the dimensions: a mask takes as many as it has itself, anything else takes one."""
    if len(indices) == 1 and shape and indices[0] is not None and indices[0]._dtype.kind == "i":
        return
    dim = 0
    for position, item in enumerate(indices):
        if item is not None and item.dtype.kind == "b":
            _check_mask(op, shape, dim, item, position)
            dim += item.ndim
        else:
            if item is not None and item.dtype.kind != "i":
                raise IndexError(f"{op}(): tensors used as indices must be integer or bool tensors, got {item.dtype}")
            dim += 1
    if dim > len(shape):
        raise IndexError(f"{op}(): too many indices for tensor of dimension {len(shape)}: got {dim}")


def _check_mask(op: str, shape: Sequence[int], dim: int, mask: Any, position: int) -> None:
    for d, size in enumerate(mask._shape):
        if dim + d >= len(shape) or size != shape[dim + d]:
            raise IndexError(
                f"{op}(): The shape of the mask {list(mask._shape)} at index {position} does not match the "
                f"shape of the indexed tensor {list(shape)} at index {dim + d}"
            )


def _require_integers(op: str, index: Any) -> None:
    if index.dtype.name not in ("int64", "int32"):
        raise RuntimeError(f"{op}(): Expected dtype int32/int64 for index, got {index.dtype}")


def index_select(op: str, self: Any, dim: int, index: Any) -> tuple[Any, ...]:
    """Wraps `dim`; the index is a vector (or a number)."""
    dim = wrap_dim(op, dim, self.ndim)
    _require_integers(op, index)
    if index.ndim > 1:
        raise IndexError(f"{op}(): Index is supposed to be a vector, got shape {list(index._shape)}")
    if not self.ndim and index.numel() != 1:
        raise RuntimeError(f"{op}(): Index to scalar can have only 1 value, got {index.numel()} value(s)")
    return self, dim, index


def index_add(op: str, self: Any, dim: int, index: Any, source: Any, alpha: Any) -> tuple[Any, ...]:
    """Wraps `dim`; the source has one slice for each index."""
    _, dim, _ = index_select(op, self, dim, index)
    expected = list(self._shape)
    if expected:
        expected[dim] = index.numel()
    if list(source._shape) != expected:
        raise ShapeError(
            f"{op}(): expected source of shape {expected} for input {list(self._shape)}, {index.numel()} "
            f"indices and dim {dim}, got {list(source._shape)}"
        )
    if isinstance(alpha, float) and self.dtype.kind in "bi" or isinstance(alpha, complex) and self.dtype.kind != "c":
        raise RuntimeError(f"{op}(): alpha {alpha} cannot be converted to {self.dtype} without loss")
    return self, dim, index, source, alpha


def gather(op: str, self: Any, dim: int, index: Any, sparse_grad: bool) -> tuple[Any, ...]:
    """Wraps `dim`; the index has as many dimensions and is nowhere larger, except along `dim`."""
    dim = wrap_dim(op, dim, self.ndim)
    if index.numel():
        _require_integers(op, index)
    if index.numel() or index.ndim != self.ndim:
        _require_inside(op, index, self, dim, "self")
    return self, dim, index, sparse_grad


def scatter(op: str, self: Any, dim: int, index: Any, src: Any) -> tuple[Any, ...]:
    """Wraps `dim`; the index is nowhere larger than the source, nor than the tensor except along `dim`."""
    self, dim, index, src = scatter_value(op, self, dim, index, src)
    if index.numel():
        _require_inside(op, index, src, -1, "src")
    return self, dim, index, src


def scatter_value(op: str, self: Any, dim: int, index: Any, value: Any) -> tuple[Any, ...]:
    """Wraps `dim`; the index is nowhere larger than the tensor, except along `dim`."""
    dim = wrap_dim(op, dim, self.ndim)
    if index.numel():
        _require_integers(op, index)
        _require_inside(op, index, self, dim, "self")
    return self, dim, index, value if hasattr(value, "dtype") else _element(op, value, self.dtype)


def _require_inside(op: str, index: Any, tensor: Any, dim: int, name: str) -> None:
    """A 0-d tensor counts as having one dimension; sizes are compared in all dimensions but `dim`."""
    if max(index.ndim, 1) != max(tensor.ndim, 1):
        raise RuntimeError(
            f"{op}(): Index tensor must have the same number of dimensions as {name} tensor, got "
            f"{index.ndim} and {tensor.ndim}"
        )
    for d, (size, limit) in enumerate(zip(index._shape or (1,), tensor._shape or (1,), strict=True)):
        if d != dim and size > limit:
            raise RuntimeError(
                f"{op}(): Size does not match at dimension {d}: expected index {list(index._shape)} to be no "
                f"larger than {name} {list(tensor._shape)}" + (f" apart from dimension {dim}" if dim >= 0 else "")
            )


@rejects("out of range")
def fitting_where_masked(op: str, self: Any, mask: Any, value: Any) -> tuple[Any, ...]:
    """A mask of bools, and one value."""
    _require_mask(op, mask)
    if getattr(value, "ndim", 0):
        raise RuntimeError(
            f"{op}() only supports a 0-dimensional value tensor, but got one with {value.ndim} dimension(s)."
        )
    return self, mask, _element(op, value, self.dtype)


def _element(op: str, value: Any, into: Any) -> Any:
    """A number that fits the dtype; a tensor must not be complex where the dtype is real."""
    if not hasattr(value, "dtype"):
        return fitting_number(op, "value", value, into)
    if value.dtype.kind == "c" and into.kind != "c":
        raise RuntimeError(f"{op}(): value of dtype {value.dtype} cannot be converted to {into} without overflow")
    return value


def masked_select(op: str, self: Any, mask: Any) -> tuple[Any, ...]:
    """A mask of bools that broadcasts with the tensor: both in their common shape."""
    _require_mask(op, mask)
    shape = broadcast_shapes(op, self._shape, mask._shape)
    return tuple(x if x._shape == shape else x.expand(shape) for x in (self, mask))


def _require_mask(op: str, mask: Any) -> None:
    if mask.dtype.kind != "b":
        raise RuntimeError(f"{op}() only supports boolean masks, but got mask with dtype {mask.dtype}")


@rejects("out of range")
def fitting_value(op: str, self: Any, value: Any) -> tuple[Any, ...]:
    """One value."""
    if getattr(value, "ndim", 0):
        raise RuntimeError(
            f"{op}() only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions."
        )
    return self, _element(op, value, self.dtype)


def copy(op: str, self: Any, src: Any, non_blocking: bool) -> tuple[Any, ...]:
    """A source that broadcasts to the tensor: another tensor, brought to its device, or a number."""
    shape = getattr(src, "shape", ())
    if broadcast_shapes(op, self._shape, shape) != self._shape:
        raise ShapeError(f"{op}(): src of shape {list(shape)} does not broadcast to {list(self._shape)}")
    if not hasattr(src, "dtype"):
        return self, _element(op, src, self.dtype), non_blocking
    return self, src if src.device is self.device else src.to(self.device, non_blocking=non_blocking), non_blocking


def nonnegative_size(op: str, self: Any, size: int, fill_value: int) -> tuple[Any, ...]:
    """The number of rows is not negative."""
    if size < 0:
        raise RuntimeError(f"{op}(): expected a size that is not negative, but got {size}")
    return self, size, fill_value
