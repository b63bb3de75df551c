"""Sequences of several lengths in one tensor, with padding."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.creation import full


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Sequences of several lengths as one tensor.

    Args:
        sequences: tensors of shape (length, *); the first says the dtype.
        batch_first: whether the result is (batch, steps, *) instead of (steps, batch, *).
        padding_value: what fills the shorter ones.
        padding_side: whether that stands "right" or "left" of them.

    Raises:
        RuntimeError: no sequence, another side, or shapes that differ in more than the length.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.utils.rnn.pad_sequence([sg.tensor([1, 2]), sg.tensor([3])], batch_first=True)
        tensor([[1, 2],
                [3, 0]])
    """
    parts = _as_list(sequences)
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    if any(part.dim() == 0 for part in parts):
        raise RuntimeError("pad_sequence(): expected sequences with at least one dimension, but got one without")
    longest = max(part.shape[0] for part in parts)
    parts = [part.to(parts[0].dtype) for part in parts]
    return ops.stack([_filled(part, longest, padding_value, padding_side) for part in parts], 0 if batch_first else 1)


def _as_list(sequences: Any) -> list[Tensor]:
    if not isinstance(sequences, Tensor | Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    parts = list(sequences.unbind(0) if isinstance(sequences, Tensor) else sequences)
    if not parts:
        raise RuntimeError("received an empty list of sequences")
    return parts


def _filled(part: Tensor, steps: int, value: float, side: str) -> Tensor:
    missing = steps - part.shape[0]
    if not missing:
        return part
    filling = full((missing, *part.shape[1:]), value, dtype=part.dtype, device=part.device)
    return ops.cat([part, filling] if side == "right" else [filling, part])


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The inverse of `pad_sequence`: a list of sequences.

    Args:
        padded_sequences: (steps, batch, *).
        lengths: the length of each.
        batch_first: whether padded_sequences is (batch, steps, *).

    Example:
        >>> import specgrad as sg
        >>> sg.nn.utils.rnn.unpad_sequence(sg.tensor([[1, 3], [2, 0]]), sg.tensor([2, 1]))
        [tensor([1, 2]), tensor([3])]
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:length] for row, length in zip(rows.unbind(0), lengths.tolist(), strict=True)]
