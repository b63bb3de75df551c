"""Argument checks of connectionist temporal classification."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...dispatch.shape_rules import all_examples, is_recorded, require_index_dtype
from ...errors import ShapeError
from ...tensor import dtypes
from ...tensor.tensor import host_array


def ctc_loss(
    op: str, log_probs: Any, targets: Any, input_lengths: Sequence[int], target_lengths: Sequence[int], blank: int,
    *rest: Any,
) -> tuple[Any, ...]:  # fmt: skip
    """Log-probabilities (steps, samples, classes) or (steps, classes); labels as rows, or one after another."""
    if log_probs.ndim not in (2, 3):
        raise ShapeError(f"{op}(): expected log_probs of 2 or 3 dimensions, got shape {list(log_probs._shape)}")
    require_index_dtype(op, "targets", targets, (dtypes.int64, dtypes.int32))
    samples = log_probs._shape[1] if log_probs.ndim == 3 else 1
    steps, classes = log_probs._shape[0], log_probs._shape[-1]
    lengths = tuple(map(int, input_lengths)), tuple(map(int, target_lengths))
    for name, value in zip(("input_lengths", "target_lengths"), lengths, strict=True):
        if len(value) != samples:
            raise ShapeError(f"{op}(): {name} must be of size batch_size {samples}, got {len(value)}")
        if any(n < 0 for n in value):
            raise RuntimeError(f"{op}(): Expected {name} to have values of at least 0, but got {min(value)}")
    if max(lengths[0], default=0) > steps:
        raise RuntimeError(f"{op}(): Expected input_lengths to have value at most {steps}, but got {max(lengths[0])}")
    if not 0 <= blank < classes:
        raise RuntimeError(f"{op}(): blank must be in label range [0, {classes}), got {blank}")
    _require_labels(op, targets, lengths[1], classes)
    return log_probs, targets, *lengths, blank, *rest


def ctc_loss_of_tensors(
    op: str, log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, *rest: Any
) -> tuple[Any, ...]:
    """The checks of `ctc_loss` with lengths in tensors of integers instead of lists."""
    lengths = []
    for name, value in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if value._vmap_level is not None:
            raise RuntimeError(
                f"vmap: {op}() needs {name} that all examples share: how far it looks depends on the values"
            )
        require_index_dtype(op, name, value, (dtypes.int64, dtypes.int32))
        lengths.append(value.reshape((-1,)).tolist())
    return ctc_loss(op, log_probs, targets, *lengths, *rest)


def _require_labels(op: str, targets: Any, lengths: Sequence[int], classes: int) -> None:
    longest = max(lengths, default=0)
    if targets.ndim == 2:
        if targets._shape[0] != len(lengths) or targets._shape[1] < longest:
            raise ShapeError(
                f"{op}(): Expected targets of size {len(lengths)} with at least {longest} at dimension 1, but got size "
                f"{list(targets._shape)}"
            )
    elif targets.ndim != 1 or targets._shape[0] != sum(lengths):
        raise ShapeError(
            f"{op}(): Expected targets to have size {sum(lengths)} at dimension 0, but got size {list(targets._shape)}"
        )
    if is_recorded(targets):
        return
    labels = _labels(targets, lengths)
    if labels.size and not 0 <= labels.min() <= labels.max() < classes:
        raise RuntimeError(f"{op}(): expected labels in [0, {classes}), got {labels.min()} to {labels.max()}")


def _labels(targets: Any, lengths: Sequence[int]) -> np.ndarray:
    ndim, targets = targets.ndim, all_examples(targets)
    if ndim == 1:
        return host_array(targets)
    rows = host_array(targets).reshape(prod(targets._shape[:-2]), *targets._shape[-2:])
    return np.concatenate([rows[:, k, :n].reshape(-1) for k, n in enumerate(lengths)] or [rows.reshape(-1)])
