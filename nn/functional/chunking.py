"""The number of rows that a loss of very many classes takes at a time."""

from __future__ import annotations

from dataclasses import dataclass

from ...runtime.tensor.dtypes import dtype


@dataclass
class LinearCrossEntropyOptions:
    """The chunks in which `linear_cross_entropy` takes its rows, so that scores exist for one chunk at a time.

    Backward computes the scores of a chunk again; gradients of any order work as without options.

    Args:
        allow_retain_graph: without effect: backward may run more than once anyway.
        batch_chunk_size: the number of rows in a chunk.
        chunking_method: 'aspect_ratio': as many rows as have no more scores than the input has elements;
            'aspect_ratio:N': an Nth of these; 'auto': 'aspect_ratio'; None: all rows. A given size comes first.
        acc_policy, acc_dtype: without effect: losses add up in the dtype of the input.

    Raises:
        ValueError: an unknown method or policy, a dtype that is no real float, or a size below 1.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.LinearCrossEntropyOptions(batch_chunk_size=8).rows(100, 4, 16)
        8
        >>> sg.nn.LinearCrossEntropyOptions().rows(100, 4, 16)
        25
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: dtype | None = None

    def __post_init__(self) -> None:
        if self.acc_policy not in ("auto", "accurate", "balanced", "compact"):
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, _, factor = str(self.chunking_method).partition(":")
            if name != "aspect_ratio" or not (factor or "1").isdigit() or int(factor or 1) < 1:
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if size is not None and (not isinstance(size, int) or size < 1):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None and self.acc_dtype.kind != "f":
            raise ValueError(f"acc_dtype must be a floating-point dtype or None, got {self.acc_dtype}")

    def rows(self, batch: int, features: int, classes: int) -> int:
        """The number of rows of a chunk.

        Args:
            batch: the number of rows of the input.
            features: their size.
            classes: the number of classes.
        """
        if self.batch_chunk_size is not None:
            return self.batch_chunk_size
        if self.chunking_method is None:
            return max(batch, 1)
        factor = self.chunking_method.partition(":")[2] or "1"
        return max(batch * features // (max(classes, 1) * int(factor)), 1)
