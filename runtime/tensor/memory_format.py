"""Names of layouts and of memory formats: a tensor is strided or sparse; a format orders dimensions in memory."""

import functools
from collections.abc import Sequence

from ..namespace import known
from ..shapes import Shape, contiguous_strides, is_contiguous

__all__ = ["channels_last", "channels_last_3d", "contiguous_format", "layout", "memory_format", "preserve_format"]
__all__ += ["sparse_bsc", "sparse_bsr", "sparse_coo", "sparse_csc", "sparse_csr", "strided"]


class Named:
    """A constant that is known by its name, alone and after pickling."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"{known.name}.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class layout(Named):
    """How the elements of a tensor are kept: `specgrad.strided`, `specgrad.sparse_coo`, `specgrad.sparse_csr`, ...

    Args:
        name: as in `specgrad.strided`.
    """


class memory_format(Named):
    """The order of dimensions in memory that a tensor is to have; what they mean is in layouts.py.

    Args:
        name: as in `specgrad.channels_last`.
    """


strided = layout("strided")
sparse_coo = layout("sparse_coo")
sparse_csr = layout("sparse_csr")
sparse_csc = layout("sparse_csc")
sparse_bsr = layout("sparse_bsr")
sparse_bsc = layout("sparse_bsc")
jagged = layout("jagged")  # of nested tensors
contiguous_format = memory_format("contiguous_format")
preserve_format = memory_format("preserve_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")

Strides = tuple[int, ...]
ORDERS = {  # dimensions from the outermost in memory to the innermost
    channels_last: (0, 2, 3, 1),
    channels_last_3d: (0, 2, 3, 4, 1),
}
BY_DIMS = {len(order): (requested, order) for requested, order in ORDERS.items()}


@functools.lru_cache(maxsize=4096)
def ordered_strides(shape: Shape, order: Sequence[int]) -> Strides:
    """The strides of elements without gaps whose dimensions lie in an order, from the outermost to the innermost."""
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= shape[dim] or 1
    return tuple(strides)


@functools.lru_cache(maxsize=4096)
def has_format(shape: Shape, strides: Strides | None, requested: memory_format) -> bool:
    """Whether elements lie in a memory format without gaps; strides of dimensions of size 1 do not matter."""
    if requested not in ORDERS:
        return is_contiguous(shape, strides)
    order, step = ORDERS[requested], 1
    if len(shape) != len(order):
        return False
    steps = contiguous_strides(shape) if strides is None else strides
    for dim in reversed(order):
        if shape[dim] != 1:
            if steps[dim] != step:
                return False
            step *= shape[dim]
    return True
