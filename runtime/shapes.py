"""Sizes, strides, broadcasting and sliding windows: arithmetic on tuples, without tensors."""

import functools
import operator
from collections.abc import Iterable, Sequence
from math import prod
from typing import Any, SupportsIndex, overload

from .errors import ArgumentError, DimensionError, ShapeError, type_name
from .namespace import known

_new = tuple.__new__
Shape = tuple[int, ...]  # as tensors keep it and kernels take it; users see a Size


class Size(tuple[int, ...]):
    """The shape of a tensor as users see it: a tuple of ints that prints as `specgrad.Size([2, 3])`.

    Args:
        sizes: the sizes, ints.

    Example:
        >>> Size([2, 3]).numel()
        6
        >>> Size([2, 3]) + (4,)
        specgrad.Size([2, 3, 4])
    """

    __slots__ = ()

    def __new__(cls, sizes: Iterable[Any] = ()) -> "Size":
        if sizes.__class__ in sequences and {*map(type, sizes)} <= _INTS:
            return _new(cls, sizes)
        if not isinstance(sizes, Iterable) or getattr(sizes, "ndim", 1) == 0:  # arrays of no dimensions look iterable
            raise ArgumentError(f"Size() takes an iterable of 'int', not '{type(sizes).__name__}'")
        return _new(cls, [_as_int(size, position) for position, size in enumerate(sizes)])

    def __repr__(self) -> str:
        return f"{known.name}.Size([{', '.join(map(str, self))}])"

    def numel(self) -> int:
        """The number of elements of a tensor of this size."""
        return prod(self)

    @overload
    def __getitem__(self, item: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, item: slice) -> "Size": ...
    def __getitem__(self, item: Any) -> Any:
        result = tuple.__getitem__(self, item)
        return _new(Size, result) if isinstance(item, slice) else result

    def __add__(self, other: Any) -> Any:
        return Size(tuple.__add__(self, other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return Size(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Any:
        return _new(Size, tuple.__mul__(self, times))

    __rmul__ = __mul__


def _as_int(size: Any, position: int) -> int:
    try:
        return operator.index(size)
    except TypeError:
        result = type(size).__name__
        raise ArgumentError(f"Size() takes an iterable of 'int' (item {position} is '{result}')") from None


def numel(shape: Sequence[int]) -> int:
    return prod(shape)


@functools.lru_cache(maxsize=4096)
def contiguous_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Row-major strides in elements; a dimension of size 0 counts as 1, as in PyTorch."""
    strides = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size or 1
    return tuple(reversed(strides))


@functools.lru_cache(maxsize=4096)
def byte_strides(shape: Shape, strides: Sequence[int] | None, itemsize: int) -> tuple[int, ...]:
    """Strides as NumPy takes them: a dimension of one element may have one that is too large for it."""
    steps = contiguous_strides(shape) if strides is None else strides
    return tuple(step * itemsize if size > 1 else itemsize for size, step in zip(shape, steps, strict=True))


@functools.lru_cache(maxsize=4096)
def is_contiguous(shape: Sequence[int], strides: Sequence[int] | None) -> bool:
    """Whether elements lie in row-major order without gaps; strides of dimensions of size 1 do not matter."""
    if strides is None or 0 in shape:
        return True
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1:
            if stride != step:
                return False
            step *= size
    return True


@functools.lru_cache(maxsize=4096)
def broadcast_shapes(op: str, *shapes: Sequence[int]) -> Shape:
    """Sizes must be equal or 1, aligned at the last dimension; a ShapeError names `op` and the dimension."""
    result: Shape = ()
    for shape in shapes:
        if result != shape:
            result = _broadcast_pair(op, result, shape)
    return result


def _broadcast_pair(op: str, a: Sequence[int], b: Sequence[int]) -> Shape:
    ndim = max(len(a), len(b))
    wide_a = (1,) * (ndim - len(a)) + tuple(a)
    wide_b = (1,) * (ndim - len(b)) + tuple(b)
    for dim, (m, n) in enumerate(zip(wide_a, wide_b, strict=True)):
        if m != n and m != 1 and n != 1:
            raise ShapeError(
                f"{op}(): The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton "
                f"dimension {dim}: shapes {list(a)} and {list(b)} do not broadcast"
            )
    return tuple(n if m == 1 else m for m, n in zip(wide_a, wide_b, strict=True))


_INTS = {int}
sequences = {tuple, Size}  # classes of shapes that hold plain ints, which tuple() hands on or copies


def gathered(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """The arguments of a method whose one list of ints may be given as separate ints: `(2, 3)` becomes `((2, 3),)`."""
    if kwargs and not args:
        return ()
    return args if len(args) == 1 and not hasattr(args[0], "__index__") else (args,)


def wrapped_dim(op: str, dim: int, ndim: int, wrap_scalar: bool = True) -> int:
    """The dimension in `[0, ndim)`; a 0-d tensor counts as having one unless `wrap_scalar` is False."""
    if ndim == 0:
        if not wrap_scalar:
            raise DimensionError(f"{op}(): Dimension specified as {dim} but tensor has no dimensions")
        ndim = 1
    if -ndim <= dim < ndim:
        return dim + ndim if dim < 0 else dim
    raise DimensionError(
        f"{op}(): Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], but got {dim})"
    )


def dim_of(op: str, dim: Any, ndim: int) -> int:
    try:
        number = None if isinstance(dim, bool) else operator.index(dim)
    except TypeError:  # of a tensor too, which is no index unless it is one integer
        number = None
    if number is None:
        raise ArgumentError(f"{op}(): argument 'dim' must be int, not {type_name(dim)}")
    return wrapped_dim(op, number, ndim, wrap_scalar=False)


def conv_size(size: int, kernel: int, stride: int, pads: int, dilation: int) -> int:
    """The number of windows that fit into `size` values with `pads` zeros around them (before and after together)."""
    return (size + pads - dilation * (kernel - 1) - 1) // stride + 1


def pool_size(size: int, kernel: int, stride: int, pad: int, dilation: int, ceil_mode: bool) -> int:
    """Windows of a pooling; with `ceil_mode` the last may hang over the end, but not start beyond it."""
    available = size + 2 * pad - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return available // stride + 1
    windows = -(-available // stride) + 1
    return windows - 1 if (windows - 1) * stride >= size + pad else windows


def side_pads(padding: Sequence[int], dims: int) -> tuple[tuple[int, int], ...]:
    """(before, after) of each dimension, from one number for both sides or from two."""
    if len(padding) == dims:
        return tuple((pad, pad) for pad in padding)
    return tuple(zip(padding[::2], padding[1::2], strict=True))
