"""Which rows of a tensor a rank has, where each has a part: as even as whole rows allow, in the order of the ranks."""

from dataclasses import dataclass
from math import prod
from typing import Any

from ...tensor.grad_mode import no_grad
from . import all_to_all
from .groups.process_group import ProcessGroup


@dataclass(frozen=True, eq=False)
class Rows:
    """A rank's rows of a tensor whose whole shape is `shape`."""

    shape: tuple[int, ...]
    first: int
    count: int
    group: ProcessGroup

    @property
    def local_shape(self) -> tuple[int, ...]:
        return (self.count, *self.shape[1:])

    @property
    def max_rows(self) -> int:
        """The first rank has most."""
        return -(-self.shape[0] // self.group.size())

    def of(self, rank: int) -> "Rows":
        return rows_of(self.shape, self.group, rank)

    def elements(self) -> int:
        return prod(self.local_shape)

    def __deepcopy__(self, memo: dict[int, Any]) -> "Rows":
        return self

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            f"rows {self.first} to {self.first + self.count} of a tensor of shape {list(self.shape)} are on this rank "
            "and the others on other ranks: save it by distributed.checkpoint.save, or save full_tensor(), or "
            "to_local() for these rows alone"
        )


def rows_of(shape: tuple[int, ...], group: ProcessGroup, rank: int | None = None) -> Rows:
    """The rows of a tensor of a shape that a rank of a group has, this one when left out: as `torch.chunk` cuts."""
    share = -(-shape[0] // group.size())
    first = min(share * (group.rank() if rank is None else rank), shape[0])
    return Rows(tuple(shape), first, min(share, shape[0] - first), group)


def row_range_of(tensor: Any) -> Rows | None:
    """None of a tensor that is whole."""
    return getattr(tensor, "_rows", None)


def padded(tensor: Any, rows: Rows) -> Any:
    """This rank's rows, and zeros in place of those that the first rank has more."""
    own = tensor.detach()
    if rows.count == rows.max_rows:
        return own
    made = own.new_zeros((rows.max_rows, *rows.shape[1:]))
    made[: rows.count].copy_(own)
    return made


def unsharded(tensor: Any, rows: Rows) -> Any:
    """The whole tensor, on all ranks, which all call this."""
    with no_grad():
        every = tensor.detach().new_empty((rows.group.size() * rows.max_rows, *rows.shape[1:]))
        all_to_all.all_gather_into_tensor(every, padded(tensor, rows), rows.group)
        return every[: rows.shape[0]]


def unsharded_at(tensor: Any, rows: Rows, root: int) -> Any:
    """The whole tensor on one rank of the group, and None on the others; all call this."""
    here = rows.group.rank() == root
    with no_grad():
        own = padded(tensor, rows)
        parts = [own.new_empty(own.shape) for _ in range(rows.group.size())] if here else None
        all_to_all.gather(own, parts, group=rows.group, group_dst=root)
        if parts is None:
            return None
        result = own.new_empty(rows.shape)
        for rank, part in enumerate(parts):
            shard = rows.of(rank)
            result[shard.first : shard.first + shard.count].copy_(part[: shard.count])
        return result


def share_out(tensor: Any, rows: Rows, value: Any, root: int) -> None:
    """Write each rank's rows of the whole tensor, which the rank `root` of the group has as `value`; all call this."""
    with no_grad():
        into = tensor.detach().new_empty((rows.max_rows, *rows.shape[1:]))
        parts = None
        if rows.group.rank() == root:
            parts = [padded(_part(value, rows.of(rank)), rows.of(rank)) for rank in range(rows.group.size())]
        all_to_all.scatter(into, parts, group=rows.group, group_src=root)
        tensor.detach().copy_(into[: rows.count])


def _part(value: Any, rows: Rows) -> Any:
    return value.detach()[rows.first : rows.first + rows.count].contiguous()
