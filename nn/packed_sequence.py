"""PackedSequence: the steps of sequences of several lengths, one after the other, without padding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..generated.tensor import Tensor
from ..runtime.ops.creation import arange, empty_like
from ..runtime.tensor import dtypes


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


def _as(dtype: dtypes.dtype) -> Callable[[Any], Any]:
    def converted(self: PackedSequence) -> PackedSequence:
        return self.to(dtype)

    converted.__doc__ = f"A copy with data of dtype {dtype.name}."
    return converted


class PackedSequence(_Packed):
    """Sequences of several lengths, packed: what `pack_sequence` makes and recurrent layers take.

    Args:
        data: the first step of all sequences, then the second step of those that have one, and so on.
        batch_sizes: how many sequences have each step.
        sorted_indices: the order of the sequences by decreasing length, from how they were given.
        unsorted_indices: the order back.

    Example:
        >>> packed = sg.nn.utils.rnn.pack_sequence([sg.tensor([1.0, 2.0]), sg.tensor([3.0])])
        >>> packed.batch_sizes
        tensor([2, 1])
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Any,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        if batch_sizes is None:
            if not isinstance(data, list | tuple) or len(data) != 2:
                raise AssertionError("Expected data to be a list or tuple of length 2")
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        assert batch_sizes is not None
        if batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. "
                "They should be instantiated by functions like pack_sequence and pack_padded_sequences in nn.utils.rnn."
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """A copy with data of another dtype or on another device, as of `Tensor.to`; itself where nothing changes."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        order, back = (None if index is None else index.to(data.device) for index in self[2:])
        return type(self)(data, self.batch_sizes, order, back)

    def cpu(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """A copy in the CPU's memory."""
        return self.to("cpu", *args, **kwargs)

    def cuda(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """A copy in a GPU's memory."""
        return self.to("cuda", *args, **kwargs)

    double, float, half = _as(dtypes.float64), _as(dtypes.float32), _as(dtypes.float16)
    long, int, short, char = _as(dtypes.int64), _as(dtypes.int32), _as(dtypes.int16), _as(dtypes.int8)
    byte = _as(dtypes.uint8)

    @property
    def is_cuda(self) -> bool:
        """Whether data is in a GPU's memory."""
        return self.data.device.type == "cuda"


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The permutation p with p[permutation[i]] = i; None for None.

    Args:
        permutation: each of 0, ..., n - 1 once.

    Example:
        >>> sg.nn.utils.rnn.invert_permutation(sg.tensor([2, 0, 1]))
        tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    positions = arange(permutation.numel(), device=permutation.device)
    return empty_like(permutation).scatter_(0, permutation, positions)
