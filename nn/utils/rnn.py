"""Sequences of several lengths in one batch: packed without padding, or padded."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.ops.creation import as_tensor, full, tensor
from ...runtime.tensor.dtypes import int64
from ..packed_sequence import PackedSequence, invert_permutation


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Sequences of several lengths as one tensor.

    Args:
        sequences: tensors of shape (length, *); the first says the dtype.
        batch_first: whether the result is (batch, steps, *) instead of (steps, batch, *).
        padding_value: what fills the shorter ones.
        padding_side: whether that stands "right" or "left" of them.

    Raises: RuntimeError: no sequence, another side, or shapes that differ in more than the length.

    Example:
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
        >>> sg.nn.utils.rnn.unpad_sequence(sg.tensor([[1, 3], [2, 0]]), sg.tensor([2, 1]))
        [tensor([1, 2]), tensor([3])]
    """
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:length] for row, length in zip(rows.unbind(0), lengths.tolist(), strict=True)]


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """The steps of padded sequences one after the other, without the padding.

    Args:
        input: padded sequences, (steps, batch, *).
        lengths: the length of each, a list or tensor.
        batch_first: whether input is (batch, steps, *).
        enforce_sorted: whether the sequences must come by decreasing length; otherwise they are sorted.

    Raises: RuntimeError: a length below 1, another number of lengths than sequences, or lengths that are not sorted.

    Example:
        >>> sg.nn.utils.rnn.pack_padded_sequence(sg.tensor([[1.0, 2.0], [3.0, 0.0]]), [2, 1])[:2]
        (tensor([1., 2., 3.]), tensor([2, 1]))
    """
    known = as_tensor(lengths, dtype=int64, device="cpu").tolist()
    if not isinstance(known, list) or any(isinstance(length, list) for length in known):
        raise RuntimeError(f"pack_padded_sequence(): lengths must be one-dimensional, but got {known}")
    order = None
    if not enforce_sorted:
        longest_first = sorted(range(len(known)), key=lambda i: -known[i])
        order = tensor(longest_first, dtype=int64, device=input.device)
        known = [known[i] for i in longest_first]
        input = input.index_select(0 if batch_first else 1, order)
    steps = input.transpose(0, 1) if batch_first else input
    _check_lengths(steps, known)
    sizes = _batch_sizes(known)
    positions = [t * steps.shape[1] + b for t, size in enumerate(sizes) for b in range(size)]
    data = steps.flatten(0, 1).index_select(0, tensor(positions, dtype=int64, device=input.device))
    return PackedSequence(data, tensor(sizes, dtype=int64, device="cpu"), order, invert_permutation(order))


def _check_lengths(steps: Tensor, lengths: Sequence[int]) -> None:
    if not steps.numel():
        raise RuntimeError("Cannot pack empty tensors.")
    if len(lengths) != steps.shape[1]:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={steps.shape[1]})"
        )
    if min(lengths) <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if any(a < b for a, b in pairwise(lengths)):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    if lengths[0] > steps.shape[0]:
        raise RuntimeError(f"Expected lengths up to the number of steps, {steps.shape[0]}, but got {lengths[0]}")


def _batch_sizes(lengths: Sequence[int]) -> list[int]:
    """The batch size at each step: the number of sequences, of decreasing lengths, that reach it."""
    return [sum(length > t for length in lengths) for t in range(lengths[0])]


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """The inverse of `pack_padded_sequence`: (padded sequences, their lengths).

    Args:
        sequence: packed sequences.
        batch_first: whether the result is (batch, steps, *) instead of (steps, batch, *).
        padding_value: what follows the shorter ones.
        total_length: the number of steps of the result; that of the longest sequence when left out.

    Raises:
        ValueError: total_length is too small.
        RuntimeError: the batch sizes of the sequence grow, or do not add up to the rows of its data.

    Example:
        >>> packed = sg.nn.utils.rnn.pack_sequence([sg.tensor([1.0, 2.0]), sg.tensor([3.0])])
        >>> sg.nn.utils.rnn.pad_packed_sequence(packed, batch_first=True)
        (tensor([[1., 2.],
                [3., 0.]]), tensor([2, 1]))
    """
    sizes = sequence.batch_sizes.tolist()
    if total_length is not None and total_length < len(sizes):
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {len(sizes)}"
        )
    _check_sizes(sequence.data, sizes)
    lengths = tensor([sum(size > b for size in sizes) for b in range(sizes[0])], dtype=int64, device="cpu")
    padded = _padded(sequence.data, sizes, padding_value)
    if total_length is not None and total_length > len(sizes):
        more = (total_length - len(sizes), *padded.shape[1:])
        padded = ops.cat([padded, full(more, padding_value, dtype=padded.dtype, device=padded.device)])
    back = sequence.unsorted_indices
    if back is not None:
        padded, lengths = padded.index_select(1, back), lengths.index_select(0, back.to("cpu"))
    return padded.transpose(0, 1) if batch_first else padded, lengths


def _check_sizes(data: Tensor, sizes: Sequence[int]) -> None:
    if not sizes or sizes[-1] < 1 or any(a < b for a, b in pairwise(sizes)) or sum(sizes) != data.shape[0]:
        raise RuntimeError(
            "pad_packed_sequence(): expected batch_sizes that are positive, never grow, and add up to the number of "
            f"rows of data, {data.shape[0]}, but got {sizes}"
        )


def _padded(data: Tensor, sizes: Sequence[int], value: float) -> Tensor:
    """(steps, batch, *): the rows of packed data where they belong, and one row of padding everywhere else."""
    steps, rows, batch = len(sizes), data.shape[0], sizes[0]
    padding = full((1, *data.shape[1:]), value, dtype=data.dtype, device=data.device)
    positions, row = [rows] * (steps * batch), 0
    for t, size in enumerate(sizes):
        positions[t * batch : t * batch + size] = range(row, row + size)
        row += size
    result = ops.cat([data, padding]).index_select(0, tensor(positions, dtype=int64, device=data.device))
    return result.reshape((steps, batch, *data.shape[1:]))


def pack_sequence(sequences: Any, enforce_sorted: bool = True) -> PackedSequence:
    """Sequences of several lengths, packed.

    Args:
        sequences: tensors of shape (length, *).
        enforce_sorted: whether they must come by decreasing length; otherwise they are sorted.

    Raises: RuntimeError: no sequence, an empty one, or lengths that are not sorted.

    Example:
        >>> sg.nn.utils.rnn.pack_sequence([sg.tensor([1, 2]), sg.tensor([3])]).data
        tensor([1, 3, 2])
    """
    lengths = as_tensor([len(part) for part in sequences], dtype=int64)
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The inverse of `pack_sequence`: a list of sequences.

    Args:
        packed_sequences: packed sequences.

    Example:
        >>> rnn = sg.nn.utils.rnn
        >>> rnn.unpack_sequence(rnn.pack_sequence([sg.tensor([1, 2]), sg.tensor([3])]))
        [tensor([1, 2]), tensor([3])]
    """
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]
