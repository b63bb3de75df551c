"""What collectives give, rank by rank: the first dimension of a tensor has a part for each rank."""

from __future__ import annotations

from typing import Any

import numpy as np


def on_all(found: Any, count: int) -> Any:
    """One array for all ranks."""
    return np.stack([found for _ in range(count)])


def concatenated(every: Any, reduce: str) -> Any:
    """The numbers of all ranks made one, a rank after the other."""
    total = every[0]
    for one in every[1:]:
        total = {"amax": np.maximum, "amin": np.minimum, "prod": np.multiply}.get(reduce, np.add)(total, one)
    return total / len(every) if reduce == "mean" else total


def all_to_all(self: Any, group: Any, **sizes: Any) -> Any:
    """Rank r's part s goes to rank s, where parts are in the order of the ranks that they come from."""
    parts = [np.array_split(one, len(self)) for one in self]
    return np.stack([np.concatenate([parts[r][s] for r in range(len(self))]) for s in range(len(self))])


def only_on(rank: int, found: Any, count: int) -> Any:
    """An array on one rank, zeros on the others."""
    return np.stack([found if one == rank else np.zeros_like(found) for one in range(count)])


COLLECTIVES = {
    "all_reduce": lambda self, group, reduce="sum": on_all(concatenated(self, reduce), len(self)),
    "all_reduce_extreme": lambda self, group, reduce="amax": on_all(concatenated(self, reduce), len(self)),
    "all_reduce_prod": lambda self, group: on_all(concatenated(self, "prod"), len(self)),
    "all_gather": lambda self, group, dim=0: on_all(np.concatenate([*self], dim), len(self)),
    "reduce_scatter": lambda self, group, dim=0: np.stack(np.array_split(concatenated(self, "sum"), len(self), dim)),
    "all_to_all": all_to_all,
    "broadcast_from": lambda self, rank, group: on_all(self[rank], len(self)),
    "reduce_to": lambda self, rank, group: only_on(rank, concatenated(self, "sum"), len(self)),
    "gather_to": lambda self, rank, group: only_on(rank, self, len(self)),
    "scatter_from": lambda self, rank, group: self[rank],
    "copy_to_ranks": lambda self, group: on_all(self, group.size()),
    "sum_of_ranks": lambda self, group: concatenated(self, "sum"),
    "gather_from_ranks": lambda self, group, dim=0: np.concatenate([*self], dim),
    "scatter_to_ranks": lambda self, group, dim=0: np.stack(np.array_split(self, group.size(), dim)),
}
