"""Sums of rows in ONNX operators."""

from __future__ import annotations

from typing import Any

import numpy as np


def bags(
    onnx: Any,
    indices: Any,
    weight: Any,
    offsets: Any,
    mode: str,
    per_sample_weights: Any,
    include_last_offset: bool,
    padding_idx: int | None,
    max_norm: float | None,
) -> Any:
    """The mean, sum or maximum of the rows that each bag names: rows of a matrix of indices, or parts of a vector."""
    if max_norm is not None:
        raise NotImplementedError("max_norm changes the weight, which a graph cannot")
    padding = None if padding_idx is None else padding_idx % weight.shape[0]
    counted = onnx.Not(onnx.Equal(indices, -1 if padding is None else padding))
    rows = onnx.Gather(weight, indices)
    if offsets is not None:
        counted = onnx.And(counted, _members(onnx, indices.shape[0], offsets, include_last_offset))
        rows, per_sample_weights = (
            None if each is None else onnx.Unsqueeze(each, [0]) for each in (rows, per_sample_weights)
        )
    unfolded = onnx.Unsqueeze(counted, [2])  # (bags, members, 1)
    return _bag_concat(onnx, rows, unfolded, mode, per_sample_weights)


def _bag_concat(onnx: Any, rows: Any, counted: Any, mode: str, per_sample_weights: Any) -> Any:
    """The rows of each bag as one: (bags, members, features) along the members."""
    count = onnx.ReduceSum(onnx.CastLike(counted, rows), [1], keepdims=0)
    if mode == "max":
        largest = onnx.ReduceMax(onnx.Where(counted, rows, float("-inf")), [1], keepdims=0)
        return onnx.Where(onnx.Equal(count, 0), 0, largest)
    if per_sample_weights is not None:
        rows = rows * onnx.Unsqueeze(per_sample_weights, [2])
    total = onnx.ReduceSum(onnx.Where(counted, rows, 0), [1], keepdims=0)
    return total / onnx.Max(count, 1) if mode == "mean" else total


def _members(onnx: Any, count: int, offsets: Any, include_last_offset: bool) -> Any:
    """Which positions belong to which bag: (bags, positions)."""
    behind = onnx.Slice(offsets, [1], [2**63 - 1], [0])
    starts = onnx.Slice(offsets, [0], [-1], [0]) if include_last_offset else offsets
    ends = behind if include_last_offset else onnx.Concat(behind, onnx.CastLike([count], offsets), axis=0)
    positions = onnx.CastLike(np.arange(count), offsets)
    after = onnx.LessOrEqual(onnx.Unsqueeze(starts, [1]), positions)
    return onnx.And(after, onnx.Less(positions, onnx.Unsqueeze(ends, [1])))
