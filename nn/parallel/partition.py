"""Which rank changes which parameters, so that all have about as many elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Partition:
    """The parameters of each rank, group by group.

    Args:
        size: how many ranks there are.
    """

    def __init__(self, size: int) -> None:
        self.elements = [0] * size
        self.groups: list[list[list[Any]]] = []  # of each group the parameters of each rank
        self.memories: list[list[Any]] = [[] for _ in range(size)]  # of each rank, where its parameters are views

    def add(self, params: list[Any]) -> None:
        """Share out the parameters of one more group: the next largest to the rank with fewest elements."""
        by_rank: list[list[Any]] = [[] for _ in self.elements]
        for param in sorted(params, key=lambda one: one.numel(), reverse=True):
            rank = self.elements.index(min(self.elements))
            by_rank[rank].append(param)
            self.elements[rank] += param.numel()
        self.groups.append(by_rank)

    def groups_of(self, rank: int, groups: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Groups, as many as have been added, with the parameters of one rank alone, and without their names."""
        return [
            {**{name: value for name, value in group.items() if name != "param_names"}, "params": by_rank[rank]}
            for group, by_rank in zip(groups, self.groups, strict=True)
        ]

    def of(self, rank: int) -> list[Any]:
        """All parameters of a rank."""
        return [param for by_rank in self.groups for param in by_rank[rank]]

    def numbers(self, groups: list[dict[str, Any]]) -> dict[int, int]:
        """The number that each parameter has among all, by its identity."""
        every = [param for group in groups for param in group["params"]]
        return {id(param): number for number, param in enumerate(every)}

    def share_memory(self) -> None:
        """Give all parameters of a rank that have one dtype and device one memory."""
        for rank in range(len(self.elements)):
            kinds: dict[Any, list[Any]] = {}
            for param in self.of(rank):
                kinds.setdefault((param.dtype, param.device), []).append(param)
            self.memories[rank] = [_flattened(params) for params in kinds.values()]

    def sent(self) -> Iterator[tuple[int, list[Any]]]:
        """Each rank, and the tensors that it tells the others after a step."""
        for rank, memories in enumerate(self.memories):
            yield rank, memories or [param.detach() for param in self.of(rank)]


def _flattened(params: list[Any]) -> Any:
    flat = params[0].detach().new_empty(sum(param.numel() for param in params))
    start = 0
    for param in params:
        param_view = flat[start : start + param.numel()].view(param.shape)
        param_view.copy_(param.detach())
        param.data = param_view
        start += param.numel()
    return flat
