"""Which row programs compute a norm on a device, and where their rows lie: by shapes alone."""

from functools import lru_cache
from math import prod
from typing import NamedTuple

from ...kernels.cuda_launch.row_programs import Rows

Ints = tuple[int, ...]


class Kind(NamedTuple):
    """The programs of a norm and their rows. `with_sums` says that the program for the gradient of the input gives
    those of weights as well; if not, `sums` are the rows over which these are added up."""

    forward: str
    backward: str
    rows: Rows
    with_sums: bool = False
    sums: Rows | None = None


@lru_cache(maxsize=1024)
def kind_of(shape: Ints, dim: Ints, affine_shape: Ints) -> Kind | None:
    """The programs for statistics over `dim` with weights of a shape that broadcasts, () for none; None for others."""
    count = len(shape)
    remaining_dims = tuple(d for d in range(count) if d not in dim)
    last = tuple(range(count - len(dim), count))
    ends = dim == last
    before, along = prod(shape[d] for d in remaining_dims), prod(shape[d] for d in dim)
    rows = Rows("rows", before, along, (along,)) if ends else _segments(shape, dim, remaining_dims)
    if rows is None:
        return None
    if not affine_shape:
        return Kind("standardize_plain", "standardize_plain_backward", rows)
    affine = (1,) * (count - len(affine_shape)) + affine_shape
    if ends and affine == (1,) * len(remaining_dims) + shape[len(remaining_dims) :]:
        sums = Rows("columns", along, before, (before, along))
        return Kind("standardize", "standardize_backward", rows, sums=sums)
    if affine == tuple(n if d in remaining_dims else 1 for d, n in enumerate(shape)):
        return Kind("standardize_channel", "standardize_channel_backward", rows, with_sums=True)
    return _groups(shape, affine, along) if ends and before and len(remaining_dims) == 2 else None


def _segments(shape: Ints, dim: Ints, remaining_dims: Ints) -> Rows | None:
    if not remaining_dims or remaining_dims != tuple(range(remaining_dims[0], remaining_dims[-1] + 1)):
        return None
    inner, count = prod(shape[remaining_dims[-1] + 1 :]), prod(shape[d] for d in remaining_dims)
    return Rows("segments", count, prod(shape[d] for d in dim), (inner, count * inner))


def _groups(shape: Ints, affine: Ints, along: int) -> Kind | None:
    samples, groups = shape[:2]
    channels = affine[2] if len(affine) > 2 else 1
    if affine != (1, groups, *([channels] if len(shape) > 2 else []), *[1] * (len(shape) - 3)):
        return None
    if channels not in (1, shape[2]):
        return None
    space = along // channels
    rows = Rows("groups", samples * groups, along, (along, groups, channels, space))
    step = groups * channels * space
    sums = Rows("channels", groups * channels, samples * space, (space, step, groups, channels))
    return Kind("standardize", "standardize_backward", rows, sums=sums)
