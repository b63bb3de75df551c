"""Argument checks of embedding, and of bags of embedded rows."""

from typing import Any

import numpy as np

from ...dispatch.shape_rules import require_index_dtype
from ...errors import DtypeError, ShapeError
from ...tensor import dtypes


def embedding(op: str, weight: Any, indices: Any, *rest: Any) -> tuple[Any, ...]:
    """A table of rows, and indices of an integer dtype."""
    if len(weight._shape) != 2:
        raise ShapeError(f"{op}(): 'weight' must be 2-D, got shape {list(weight._shape)}")
    require_index_dtype(op, "indices", indices, (dtypes.int64, dtypes.int32))
    return weight, indices, *rest


def embedding_backward(op: str, grad_output: Any, indices: Any, num_weights: int, *rest: Any) -> tuple[Any, ...]:
    """One row of the gradient for each index."""
    require_index_dtype(op, "indices", indices, (dtypes.int64, dtypes.int32))
    g, i = grad_output._shape, indices._shape
    if len(g) != len(i) + 1 or g[:-1] != i or num_weights < 0:
        raise ShapeError(
            f"{op}(): expected grad_output of shape {[*i, 'features']} and num_weights >= 0, "
            f"got {list(g)} and {num_weights}"
        )
    return grad_output, indices, num_weights, *rest


MODES = ("sum", "mean", "max")


def embedding_bag(
    op: str,
    input: Any,
    weight: Any,
    offsets: Any,
    max_norm: Any,
    norm_type: Any,
    scale_grad_by_freq: bool,
    mode: str,
    sparse: bool,
    per_sample_weights: Any,
    include_last_offset: bool,
    padding_idx: int | None,
) -> tuple[Any, ...]:
    """Indices as rows, or in one dimension with the offsets of the bags, from 0; mode is 'sum', 'mean' or 'max'."""
    _require_weights(op, input, weight, per_sample_weights, mode)
    if sparse:
        require_sparse_gradient(op, mode, scale_grad_by_freq)
    if mode == "max" and scale_grad_by_freq:
        raise ValueError(f"{op}(): max mode does not support scaling the gradient by the frequency")
    _require_bags(op, input, offsets)
    if max_norm is not None and offsets is not None:  # before rows are made shorter
        input, offsets = ends_of_bags(op, input, offsets, include_last_offset)
        include_last_offset = True
    padding_idx = -1 if padding_idx is None else _row(op, weight, padding_idx)
    rest = (scale_grad_by_freq, mode, sparse, per_sample_weights, include_last_offset, padding_idx)
    return input, weight, offsets, max_norm, norm_type, *rest


def require_sparse_gradient(op: str, mode: str, scale_grad_by_freq: bool) -> None:
    """What has a sparse gradient: no maximum, and nothing that is divided by counts."""
    if mode == "max":
        raise ValueError(f"{op}(): max mode does not support sparse weights")
    if scale_grad_by_freq:
        raise RuntimeError(f"{op}(): scale_grad_by_freq is not supported with sparse gradients")


def _require_weights(op: str, input: Any, weight: Any, per_sample_weights: Any, mode: str) -> None:
    if weight.ndim != 2:
        raise ValueError(f"{op}(): weight has to be a 2D Tensor, but got Tensor of dimension {weight.ndim}")
    if mode not in MODES:
        raise ValueError(f"{op}(): mode has to be one of sum, mean or max, got {mode!r}")
    require_index_dtype(op, "input", input, (dtypes.int64, dtypes.int32))
    if weight.dtype.kind != "f":
        raise DtypeError(f"{op}(): expected weight of a floating point dtype, got {weight.dtype.name}")
    if per_sample_weights is None:
        return
    if per_sample_weights.dtype is not weight.dtype:
        raise DtypeError(
            f"{op}(): expected per_sample_weights of weight's dtype {weight.dtype.name}, "
            f"got {per_sample_weights.dtype.name}"
        )
    if tuple(input._shape) != tuple(per_sample_weights._shape):
        raise ValueError(
            f"{op}(): If per_sample_weights ({list(per_sample_weights._shape)}) is not None, then it must have the "
            f"same shape as the input ({list(input._shape)})"
        )
    if mode != "sum":
        raise NotImplementedError(f"{op}(): per_sample_weights is only supported for mode='sum' (got mode={mode!r})")


def bag_totals(
    op: str, weight: Any, indices: Any, offsets: Any, mean: bool, include_last_offset: bool, padding_idx: int
) -> tuple[Any, ...]:
    """A table, and vectors of indices and offsets, of which one is there with include_last_offset."""
    _require_vectors(op, "weight", weight, indices, offsets, include_last_offset)
    return weight, indices, offsets, mean, include_last_offset, padding_idx


def embedding_bag_scatter_grad(
    op: str,
    grad_output: Any,
    indices: Any,
    offsets: Any,
    num_weights: int,
    mean: bool,
    include_last_offset: bool,
    padding_idx: int,
) -> tuple[Any, ...]:
    """A row for each bag, vectors of indices and offsets, and how many rows the table has."""
    _require_vectors(op, "grad_output", grad_output, indices, offsets, include_last_offset)
    bags = offsets._shape[0] - include_last_offset
    if grad_output._shape[0] != bags or num_weights < 0:
        raise ShapeError(
            f"{op}(): expected grad_output of {bags} rows and num_weights >= 0, got {list(grad_output._shape)} and "
            f"{num_weights}"
        )
    return grad_output, indices, offsets, num_weights, mean, include_last_offset, padding_idx


def _require_vectors(op: str, name: str, rows: Any, indices: Any, offsets: Any, include_last_offset: bool) -> None:
    for argument, index in (("indices", indices), ("offsets", offsets)):
        require_index_dtype(op, argument, index, (dtypes.int64, dtypes.int32))
    args = [list(t._shape) for t in (rows, indices, offsets)]
    if (rows.ndim, indices.ndim, offsets.ndim) != (2, 1, 1) or offsets._shape[0] < include_last_offset:
        raise ShapeError(f"{op}(): expected {name} in 2 dimensions, indices and offsets in 1, got shapes {args}")


def _require_bags(op: str, input: Any, offsets: Any) -> None:
    if input.ndim == 2:
        if offsets is not None:
            raise ValueError(
                f"{op}(): if input is 2D, then offsets has to be None, as input is treated is a mini-batch of fixed "
                f"length sequences. However, found offsets of shape {list(offsets._shape)}"
            )
        return
    if input.ndim != 1:
        raise ValueError(f"{op}(): input has to be 1D or 2D Tensor, but got Tensor of dimension {input.ndim}")
    if offsets is None or offsets.ndim != 1:
        result = None if offsets is None else list(offsets._shape)
        raise ValueError(f"{op}(): offsets has to be a 1D Tensor but got {result}")
    require_index_dtype(op, "offsets", offsets, (dtypes.int64, dtypes.int32))


def ends_of_bags(op: str, input: Any, offsets: Any, include_last_offset: bool) -> tuple[Any, Any]:
    """The indices of all bags, and where each begins and the last one ends."""
    if getattr(offsets, "is_meta", False):
        return input, offsets.new_empty((offsets._shape[0] + (not include_last_offset),), dtype=dtypes.int64)
    ends = _checked_offsets(op, input, offsets, include_last_offset)
    return input[: int(ends[-1])], offsets.new_tensor(ends, dtype=dtypes.int64)


def _checked_offsets(op: str, input: Any, offsets: Any, include_last_offset: bool) -> np.ndarray:
    if offsets._vmap_level is not None:
        raise RuntimeError(
            f"vmap: {op}() needs offsets that all examples share: what is in a bag depends on the values"
        )
    value = offsets.detach().cpu().numpy()
    if include_last_offset and not value.size:
        raise ValueError(f"{op}(): include_last_offset: number of offset should be at least 1, got none")
    if value.size and value[0] != 0:
        raise RuntimeError(
            f"{op}(): offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from position 0. "
            f"However, got {value[0]}"
        )
    if value.size and value.max() > len(input):
        raise RuntimeError(
            f"{op}(): offsets[-1] can not be greater than input's length {len(input)}, but got offsets {value.tolist()}"
        )
    ends = value if include_last_offset else np.append(value, len(input) if value.size else 0)
    if (ends[1:] < ends[:-1]).any():
        raise RuntimeError(f"{op}(): expected offsets that do not decrease, got {value.tolist()}")
    return ends.astype(np.int64, copy=False)


def _row(op: str, weight: Any, padding_idx: int) -> int:
    rows = weight._shape[0]
    if not -rows <= padding_idx < rows:
        raise RuntimeError(f"{op}(): padding_idx must be within num_embeddings: [-{rows}, {rows}), got {padding_idx}")
    return padding_idx % rows
