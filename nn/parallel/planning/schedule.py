"""How long a step takes on p ranks, out of a step on one, what collectives cost, and what goes on at the same time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..buckets import grouped
from .costs import Network, all_gather, all_reduce, reduce_scatter
from .layers import Step
from .machine import Machine

_MEBIBYTE = 2**20


@dataclass(frozen=True)
class Plan:
    """What is known of a step before it runs on many ranks.

    Args:
        step: a step on one rank with a core of its own.
        machine: the machines.
        crowd: how much longer computation takes when all cores of a machine compute: they share caches and memory.
        bucket: bytes of gradients that are reduced together.
        many: whether there are as many machines as it takes; otherwise all ranks share the cores of one.
        waiting: seconds that a step loses where ranks that share cores wait for each other.
    """

    step: Step
    machine: Machine
    crowd: float
    bucket: int = 25 * _MEBIBYTE
    multi_node: bool = True
    waiting: float = 0.0

    def slower(self, ranks: int) -> float:
        """How much longer a rank's computation takes beside others of its machine."""
        cores = self.machine.cores
        crowded = 1 + (self.crowd - 1) * (min(ranks, cores) - 1) / (cores - 1) if cores > 1 else 1.0
        return crowded * self.machine.rounds(ranks, self.multi_node)

    def communication(self, cost: Callable[[int, float, Network], float], ranks: int, size: float) -> float:
        """Seconds of a collective; ranks that share cores take turns in it too."""
        return cost(ranks, size, self.machine.network(ranks)) * self.machine.rounds(ranks, self.multi_node)

    def data_parallel(self, ranks: int) -> float:
        """Seconds of a step in which each rank has a batch like that of the one, and gradients are averaged.

        Each bucket's all_reduce begins when its gradients are there and the one before is over, while backward goes on;
        but where a core moves the bytes itself, backward takes longer by that.
        """
        step, slower = self.step, self.slower(ranks)
        if ranks == 1:
            return step.seconds
        share, worked, end = self.machine.core_share, 0.0, 0.0
        for size, when in self.buckets():
            seconds = self.communication(all_reduce, ranks, size)
            end = max(end, when * step.measured_time * slower + worked) + seconds
            worked += share * seconds
        backward = max(step.measured_time * slower + worked, end)
        lost = self.waiting if self.machine.rounds(ranks, self.multi_node) > 1 else 0.0
        return (step.forward + step.update) * slower + backward + lost

    def buckets(self) -> list[tuple[int, float]]:
        """Bytes of each bucket, and the part of backward after which it is complete."""
        gradients = self.step.gradients
        kinds, sizes = [one.kind for one in gradients], [one.size for one in gradients]
        groups = grouped(range(len(gradients)), kinds, sizes, self.bucket)
        return [
            (sum(gradients[number].size for number in numbers), max(gradients[number].when for number in numbers))
            for numbers, _ in groups
        ]

    def sharded(self, ranks: int) -> float:
        """Seconds of a step in which each rank keeps a part of all parameters, gradients and optimizer state.

        ZeRO stage 3 (Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models", 2020):
        each layer's parameters are gathered before its forward and again before its backward pass, one layer ahead of
        the computation, and its gradients are scattered behind it.
        """
        step, slower = self.step, self.slower(ranks)
        if ranks == 1:
            return step.seconds
        sizes = [layer.parameters for layer in step.layers if layer.parameters]
        gathers = [self.communication(all_gather, ranks, size) for size in sizes]
        scatters = [self.communication(reduce_scatter, ranks, size) for size in sizes]
        forward = self._beside(step.forward * slower, gathers, gathers[:1])
        backward = self._beside(step.measured_time * slower, [*gathers, *scatters], [*gathers[-1:], *scatters[:1]])
        return forward + backward + step.update * slower / ranks

    def _beside(self, compute: float, calls: Sequence[float], exposed: Sequence[float]) -> float:
        share, full = self.machine.core_share, sum(calls)
        return max(compute + share * full + (1 - share) * sum(exposed), full)

    def tensor_parallel(self, ranks: int) -> float | None:
        """Seconds of the one rank's step where each rank has a part of every matrix; None where they are too narrow.

        Shoeybi et al., "Megatron-LM: Training Multi-Billion Parameter Language Models Using Model Parallelism" (2019):
        of each two matrices the first is split by its results and the second by what it takes, so that one all_reduce
        follows the second in forward, and one the first in backward. Nothing can be computed meanwhile. A last matrix
        without another one is split by what it takes.
        """
        step = self.step
        if ranks == 1:
            return step.seconds
        matrices = [number for number, layer in enumerate(step.layers) if layer.width]
        pairs = list(zip(matrices[::2], matrices[1::2], strict=False))
        if not matrices or any(ranks > step.layers[first].width for first, _ in pairs):
            return None
        alone = matrices[2 * len(pairs) :]
        reduced_sizes = [step.layers[number].output for number in (*(second for _, second in pairs), *alone)]
        reduced_sizes += [
            step.layers[number - 1].output for number in (*(first for first, _ in pairs), *alone) if number
        ]
        calls = sum(self.communication(all_reduce, ranks, size) for size in reduced_sizes)
        return step.seconds * self.slower(ranks) / ranks + calls
