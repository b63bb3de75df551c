"""The shapes of what a row program reads and writes, given the shape of its rows' array and the dimensions of a row."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from .reduce_layout import Folding, folding

Dims = tuple[int, ...]
Dim = int | Sequence[int] | None  # what lies along a row: one dimension, several, or all of them for None and []


class RowInput(NamedTuple):
    name: str
    array: Any
    kind: str  # row: all elements; shared: one row; each: one number a row
    default: float | None = None  # what stands for an array that is None


class Output(NamedTuple):
    """What a program gives: a row, one row for all or one number a row, in the dtype of the elements or another one."""

    kind: str
    dtype: str = ""


def rows_of(args: Sequence[RowInput]) -> RowInput:
    return next(each for each in args if each.kind == "row" and each.array is not None)


def is_missing(each: RowInput) -> bool:
    return each.array is None and each.kind == "row"


def with_all_rows(args: Sequence[RowInput]) -> list[RowInput]:
    """Arguments with another array of rows for one that was not kept: no output that is wanted reads it."""
    rows = rows_of(args).array
    return [each._replace(array=rows) if is_missing(each) else each for each in args]


def row_shape(name: str, args: Sequence[RowInput], dim: Dim, keepdim: bool) -> Folding:
    rows = rows_of(args)
    shape = tuple(rows.array.shape)
    dims = wrapped(name, dim, len(shape))
    result = folding(shape, dims, keepdim)
    allowed = {
        "row": (shape,),
        "shared": (one_row(shape, dims or None),),
        "each": (result.keepdim_shape, folding(shape, dims, False).result),
    }
    meant = {"row": f"that of {rows.name}", "shared": "that of one row", "each": "one number a row"}
    for each in args:
        if each.array is None:
            continue
        if tuple(each.array.shape) not in allowed[each.kind]:
            expected = " or ".join(map(str, dict.fromkeys(allowed[each.kind])))
            raise RuntimeError(
                f"{name}(): expected {each.name} to have the shape {expected} ({meant[each.kind]}), "
                f"but got {tuple(each.array.shape)}"
            )
    return result


def one_row(shape: Dims, dim: Dim) -> Dims:
    dims = wrapped("", dim, len(shape))
    return tuple([n for d, n in enumerate(shape) if d in dims])


def output_shapes(result: Folding, outputs: Sequence[Output], dim: Dim) -> list[Dims]:
    shapes = {"row": result.shape, "each": result.result, "shared": one_row(result.shape, dim)}
    return [shapes[output.kind] for output in outputs]


def shapes_of(name: str, args: Sequence[RowInput], outputs: Sequence[Output], dim: Dim, keepdim: bool) -> Any:
    """The shape of a program's output, a list of them for several."""
    result = row_shape(name, args, dim, keepdim)
    shapes = output_shapes(result, outputs, dim)
    return shapes[0] if len(shapes) == 1 else shapes


def checked(name: str, args: Sequence[RowInput], dim: Any) -> Any:
    """`dim` counted from the front; a RuntimeError for arrays of shapes that are not those of their kind."""
    row_shape(name, args, dim, False)
    rows = rows_of(args).array
    result = wrapped(name, dim, len(rows.shape))
    return result if not isinstance(dim, int) else result[0] if result else 0


def wrapped(name: str, dim: Dim, ndim: int) -> Dims:
    """Dimensions from the front, sorted; an IndexError for one out of range, a RuntimeError for one given twice."""
    value = (dim,) if isinstance(dim, int) else tuple(dim or range(ndim))
    count = max(ndim, 1)
    for d in value:
        if not -count <= d < count:
            raise IndexError(
                f"{name}(): Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {d})"
            )
    dims = tuple(sorted(d % count for d in value))
    twice = next((a for a, b in zip(dims, dims[1:], strict=False) if a == b), None)
    if twice is not None:
        raise RuntimeError(f"{name}(): dim {twice} appears multiple times in the list of dims")
    return dims if ndim else ()
