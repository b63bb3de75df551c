"""Sums and the like of pieces of a tensor that lie one behind the other."""

from __future__ import annotations

from typing import Any

from ...generated.ops import repeat_interleave, scatter_reduce
from ...generated.tensor import Tensor
from ...runtime.creation import arange, full

_NAMES = {"sum": "sum", "mean": "sum", "prod": "prod", "max": "amax", "min": "amin"}
_EMPTY = {"sum": 0.0, "mean": float("nan"), "prod": 1.0, "max": float("-inf"), "min": float("inf")}


def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: Any = None,
) -> Tensor:
    """The sum, mean, product, maximum or minimum of each of several pieces along a dimension.

    Args:
        data: the values.
        reduce: 'sum', 'mean', 'prod', 'max' or 'min'.
        lengths: how long the pieces are.
        indices: must be None.
        offsets: where the pieces begin, and where the last one ends, instead of `lengths`.
        axis: the dimension; those before it are dimensions of `lengths` too.
        unsafe: has no effect: lengths are always checked.
        initial: where each piece begins to be reduced, and the result of an empty one.

    Shape:
        Data (*, N, **) and lengths (*, pieces); the output is (*, pieces, **).

    Raises:
        RuntimeError: neither lengths nor offsets are given, they do not add up to N, or the word is another one.

    Example:
        >>> import specgrad as sg
        >>> segment_reduce(sg.tensor([1.0, 2.0, 4.0]), "sum", lengths=sg.tensor([2, 0, 1]))
        tensor([3., 0., 4.])
    """
    if reduce not in _NAMES:
        raise RuntimeError(f"segment_reduce(): unsupported reduction {reduce!r}: expected one of {', '.join(_NAMES)}")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    sizes = lengths if lengths is not None else offsets.diff(dim=-1)  # type: ignore[union-attr]
    axis %= data.dim()
    if (sizes < 0).any() or (sizes.sum(-1) != data.shape[axis]).any():
        raise RuntimeError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
            "!unsafe."
        )
    return _reduced(data, reduce, sizes, axis, initial)


def _reduced(data: Tensor, reduce: str, sizes: Tensor, axis: int, initial: Any) -> Tensor:
    """All pieces at once: those of each row of sizes one behind the other along one dimension."""
    rest, pieces = data.shape[axis + 1 :], sizes.numel()
    flat = data.reshape(-1, *rest)
    piece = repeat_interleave(arange(pieces, device=data.device), sizes.reshape(-1))
    index = piece.reshape(-1, *(1 for _ in rest)).expand(flat.shape)
    start = {"mean": 0.0}.get(reduce, _EMPTY[reduce]) if initial is None else initial
    begun = full((pieces, *rest), start, dtype=data.dtype, device=data.device)
    result = scatter_reduce(begun, 0, index, flat, _NAMES[reduce])
    if reduce == "mean":
        counts = sizes.reshape(-1, *(1 for _ in rest))
        result = (result / counts.clamp(min=1)).where(counts > 0, _EMPTY["mean"] if initial is None else initial)
    return result.reshape(*sizes.shape, *rest)
