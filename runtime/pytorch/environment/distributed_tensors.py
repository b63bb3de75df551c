"""`distributed.tensor`: no tensor lies on several processes, but how one would can be said."""

from __future__ import annotations

from dataclasses import dataclass


class Placement:
    """How a tensor would lie along one dimension of a grid of processes."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether each process has a part of it, along the dimension `dim` where that is given."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Whether every process has all of it."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether every process has a term of it, that `reduce_op` joins where that is given."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


@dataclass(frozen=True)
class Shard(Placement):
    """Each process would have a part.

    Args:
        dim: the dimension of the tensor that is cut.
    """

    dim: int


@dataclass(frozen=True)
class Replicate(Placement):
    """Every process would have all."""


@dataclass(frozen=True, repr=False)
class Partial(Placement):
    """Every process would have a term.

    Args:
        reduce_op: how terms are joined: "sum", "avg", "product", "min" or "max".
    """

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"
