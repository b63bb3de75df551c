"""A sampler for programs of several processes: each draws its share of the samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized

from ...runtime.creation import randperm
from ...runtime.random import Generator
from .sampler import Sampler


class DistributedSampler(Sampler[int]):
    """The indices that one of several processes draws; all of them together draw each, and some twice for equal shares.

    Args:
        dataset: what is indexed.
        num_replicas: how many processes there are; as many as ranks of the default process group when left out.
        rank: the number of this process, from 0; its rank there when left out.
        shuffle: whether the order is random, another one in each epoch, the same in all processes.
        seed: what the order starts from, the same in all processes.
        drop_last: whether shares are made equal by leaving samples out, and not by drawing some twice.

    Raises:
        ValueError: one is left out and there is no process group, or rank is not one of 0 to num_replicas - 1.

    Example:
        >>> import specgrad as sg
        >>> samplers = [sg.utils.data.DistributedSampler(range(5), 2, rank, shuffle=False) for rank in (0, 1)]
        >>> [list(sampler) for sampler in samplers]
        [[0, 2, 4], [1, 3, 0]]
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            from ...runtime.distributed.world import get_rank, get_world_size

            num_replicas = get_world_size() if num_replicas is None else num_replicas
            rank = get_rank() if rank is None else rank
        for name, number in (("num_replicas", num_replicas), ("rank", rank)):
            if not isinstance(number, int):
                raise TypeError(f"DistributedSampler(): {name} must be an int, but got {type(number).__name__}")
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.epoch = 0
        self.shuffle, self.seed, self.drop_last = shuffle, seed, drop_last
        size = len(dataset)
        self.num_samples = size // num_replicas if drop_last else math.ceil(size / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        size = len(self.dataset)
        indices = list(range(size))
        if self.shuffle:
            indices = randperm(size, generator=Generator().manual_seed(self.seed + self.epoch)).tolist()
        if not self.drop_last and indices:
            indices *= math.ceil(self.total_size / size)
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Choose the order: call it with the number of the `epoch` before each."""
        self.epoch = epoch
