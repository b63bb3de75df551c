"""PackedSequence: the steps of sequences of several lengths, one after the other, without padding."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..generated.tensor import Tensor
from ..runtime.ops.creation import arange, empty_like
from ..runtime.tensor import dtypes


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None
    unsorted_indices: Tensor | None


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

    def double(self) -> PackedSequence:
        """A copy with data of dtype float64."""
        return self.to(dtypes.float64)

    def float(self) -> PackedSequence:
        """A copy with data of dtype float32."""
        return self.to(dtypes.float32)

    def half(self) -> PackedSequence:
        """A copy with data of dtype float16."""
        return self.to(dtypes.float16)

    def long(self) -> PackedSequence:
        """A copy with data of dtype int64."""
        return self.to(dtypes.int64)

    def int(self) -> PackedSequence:
        """A copy with data of dtype int32."""
        return self.to(dtypes.int32)

    def short(self) -> PackedSequence:
        """A copy with data of dtype int16."""
        return self.to(dtypes.int16)

    def char(self) -> PackedSequence:
        """A copy with data of dtype int8."""
        return self.to(dtypes.int8)

    def byte(self) -> PackedSequence:
        """A copy with data of dtype uint8."""
        return self.to(dtypes.uint8)

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
