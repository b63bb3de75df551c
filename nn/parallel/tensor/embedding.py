"""An embedding whose table is split over ranks by its rows."""

from __future__ import annotations

from typing import Any

from ....generated.ops import embedding, reduce_scatter, sum_of_ranks, where
from ...modules.module import Module
from ...modules.sparse import Embedding
from .parts import group_of, own_part, part_size


class VocabParallelEmbedding(Module):
    """An embedding of which each rank has some rows: those of others are zeros on a rank, and the sum is the result.

    Formula: y = W[i]

    Args:
        num_embeddings: how many rows there are, a multiple of the number of ranks.
        embedding_dim: the size of a row.
        padding_idx: the row that is zeros and gets no gradient, if there is one.
        sequence_dim: the dimension along which each rank gets a part of the output (sequence parallelism); None where
            all get all of it.
        group: the process group; the default one when left out.
        device, dtype: those of the parameters.

    Shape:
        i (*), the same on all ranks; y (*, embedding_dim), the same on all ranks, or with `sequence_dim` each rank's
        part of it.

    Raises:
        ValueError: rows that cannot be shared out equally, or there is no process group.

    Source: Shoeybi et al. 2019, section 3.

    Example:
        >>> from specgrad import nn
        >>> def in_parts(whole):  # on every rank of a process group
        ...     return nn.parallel.VocabParallelEmbedding.from_embedding(whole)
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        *,
        sequence_dim: int | None = None,
        group: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.sequence_dim = sequence_dim
        self.group = group_of("VocabParallelEmbedding", group)
        self._count = part_size("VocabParallelEmbedding", "num_embeddings", num_embeddings, self.group)
        self._take(Embedding(num_embeddings, embedding_dim, padding_idx, device=device, dtype=dtype))

    def _take(self, full: Embedding) -> None:
        self.padding_idx = full.padding_idx
        self.weight = own_part(full.weight, 0, self.group)

    @classmethod
    def from_embedding(cls, full: Embedding, **options: Any) -> VocabParallelEmbedding:
        """Split a layer: that of the group's first rank counts.

        Args:
            whole: the layer, of one shape on all ranks.
            **options: as of the class.
        """
        layer = cls(full.num_embeddings, full.embedding_dim, **options)
        layer._take(full)
        return layer

    def forward(self, input: Any) -> Any:
        """The rows, or this rank's part of them.

        Raises:
            IndexError: a row that no rank has.
        """
        if input.numel() and not 0 <= int(input.min()) <= int(input.max()) < self.num_embeddings:
            raise IndexError(f"VocabParallelEmbedding: expected indices from 0 to {self.num_embeddings - 1}")
        column = input - self.group.rank() * self._count
        own = (column >= 0) & (column < self._count)
        rows = embedding(self.weight, where(own, column, 0), self._own_padding())
        product = where(own.unsqueeze(-1), rows, 0)
        if self.sequence_dim is None:
            return sum_of_ranks(product, self.group)
        return reduce_scatter(product, self.sequence_dim, self.group)

    def _own_padding(self) -> int:
        """The row of this rank that gets no gradient, -1 for none."""
        own = -1 if self.padding_idx is None else self.padding_idx - self.group.rank() * self._count
        return own if 0 <= own < self._count else -1

    def extra_repr(self) -> str:
        return f"{self.num_embeddings}, {self.embedding_dim}, ranks={self.group.size()}"
