"""How long a step takes on p ranks, by what collectives cost in Hockney's model: latency + n / bandwidth.

R. W. Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel Computing 20 (1994). The
costs of algorithms are those of R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
Operations in MPICH", International Journal of High Performance Computing Applications 19 (2005): alpha is the latency,
beta = 1 / bandwidth and gamma = 1 / joining, seconds a byte. Their numbers of steps are lg p for powers of two; other
numbers of ranks take ceil(lg p) steps, or two more where ranks have to be paired first. An MPI library chooses by size,
as does each function without an algorithm in its name: the cheapest.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from math import ceil, floor, log2
from pathlib import Path
from typing import NamedTuple

from ....runtime.extensions.serialization.atomic_file import replacing
from ..buckets import grouped
from .layers import Step


class Network(NamedTuple):
    """Between two ranks.

    Args:
        latency: seconds of an empty message, with all that is called for it.
        bandwidth: bytes a second.
        joining: bytes a second at which a rank adds what comes to what it has.
    """

    latency: float
    bandwidth: float
    joining: float


def _steps(ranks: int) -> int:
    return ceil(log2(ranks))


def _paired(ranks: int) -> bool:
    """Whether some ranks give theirs to another one first and get the result at last: no power of two."""
    return ranks & (ranks - 1) != 0


def all_reduce_doubling(ranks: int, size: float, network: Network) -> float:
    """Recursive doubling: lg p (alpha + n beta + n gamma)."""
    if ranks == 1:
        return 0.0
    each = network.latency + size / network.bandwidth
    extra = 2 * each + size / network.joining if _paired(ranks) else 0.0
    return floor(log2(ranks)) * (each + size / network.joining) + extra


def all_reduce_halving(ranks: int, size: float, network: Network) -> float:
    """Rabenseifner: a reduce_scatter and an all_gather, 2 lg p alpha + 2 (p-1)/p n beta + (p-1)/p n gamma."""
    if ranks == 1:
        return 0.0
    extra = 2 * (network.latency + size / network.bandwidth) + size / network.joining if _paired(ranks) else 0.0
    full = 2 ** floor(log2(ranks))
    part = (full - 1) / full * size
    steps = 2 * floor(log2(ranks)) * network.latency
    return steps + 2 * part / network.bandwidth + part / network.joining + extra


def all_reduce_ring(ranks: int, size: float, network: Network) -> float:
    """Around a ring: 2 (p-1) alpha + 2 (p-1)/p n beta + (p-1)/p n gamma."""
    part = (ranks - 1) / ranks * size
    return 2 * (ranks - 1) * network.latency + 2 * part / network.bandwidth + part / network.joining


def all_reduce(ranks: int, size: float, network: Network) -> float:
    return min(way(ranks, size, network) for way in (all_reduce_doubling, all_reduce_halving, all_reduce_ring))


def all_gather_tree(ranks: int, size: float, network: Network) -> float:
    """Recursive doubling, or Bruck's: ceil(lg p) alpha + (p-1)/p n beta."""
    return _steps(ranks) * network.latency + (ranks - 1) / ranks * size / network.bandwidth


def all_gather_ring(ranks: int, size: float, network: Network) -> float:
    """Around a ring: (p-1) alpha + (p-1)/p n beta."""
    return (ranks - 1) * network.latency + (ranks - 1) / ranks * size / network.bandwidth


def all_gather(ranks: int, size: float, network: Network) -> float:
    return min(all_gather_tree(ranks, size, network), all_gather_ring(ranks, size, network))


def reduce_scatter_halving(ranks: int, size: float, network: Network) -> float:
    """Recursive halving: lg p alpha + (p-1)/p n beta + (p-1)/p n gamma; with pairs, one more exchange of n."""
    if ranks == 1:
        return 0.0
    part = (ranks - 1) / ranks * size
    each = 1 / network.bandwidth + 1 / network.joining
    extra = network.latency + size * each if _paired(ranks) else 0.0
    return floor(log2(ranks)) * network.latency + part * each + extra


def reduce_scatter_pairs(ranks: int, size: float, network: Network) -> float:
    """Exchanges with each other rank: (p-1) alpha + (p-1)/p n beta + (p-1)/p n gamma."""
    part = (ranks - 1) / ranks * size
    return (ranks - 1) * network.latency + part / network.bandwidth + part / network.joining


def reduce_scatter(ranks: int, size: float, network: Network) -> float:
    return min(reduce_scatter_halving(ranks, size, network), reduce_scatter_pairs(ranks, size, network))


def broadcast_tree(ranks: int, size: float, network: Network) -> float:
    """Binomial tree: ceil(lg p) (alpha + n beta)."""
    return _steps(ranks) * (network.latency + size / network.bandwidth)


def broadcast_scattered(ranks: int, size: float, network: Network) -> float:
    """van de Geijn: a scatter and an all_gather, (ceil(lg p) + p - 1) alpha + 2 (p-1)/p n beta."""
    part = (ranks - 1) / ranks * size
    return (_steps(ranks) + ranks - 1) * network.latency + 2 * part / network.bandwidth


def broadcast(ranks: int, size: float, network: Network) -> float:
    return min(broadcast_tree(ranks, size, network), broadcast_scattered(ranks, size, network))


@dataclass(frozen=True)
class Machine:
    """Machines of one kind, and what is between them.

    Args:
        cores: of one machine; a rank has one.
        inside: between ranks of one machine.
        between: between ranks of different machines.
        core_share: the part of a collective's time in which it needs the rank's own core, so that the rank cannot
            compute; 1 where the core moves all bytes, 0 where a network card does.
    """

    cores: int
    inside: Network
    between: Network
    core_share: float

    def network(self, ranks: int) -> Network:
        return self.inside if ranks <= self.cores else self.between

    def rounds(self, ranks: int, multi_node: bool) -> float:
        """How many ranks share a core: more than 1 only where all are on one machine, and not on `many`."""
        return 1.0 if multi_node else max(1.0, ranks / self.cores)


def write(path: Path, machine: Machine) -> None:
    with replacing(str(path)) as file:
        file.write(json.dumps(asdict(machine), indent=1).encode())


def read(path: Path) -> Machine:
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        networks = {name: Network(*map(float, result.pop(name))) for name in ("inside", "between")}
        return Machine(int(result.pop("cores")), core_share=float(result.pop("core_share")), **networks, **result)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"plan: {path} is no file that --measure --save has written: {error!r}") from None


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
        cores = self.machine.cores
        crowded = 1 + (self.crowd - 1) * (min(ranks, cores) - 1) / (cores - 1) if cores > 1 else 1.0
        return crowded * self.machine.rounds(ranks, self.multi_node)

    def communication(self, cost: Callable[[int, float, Network], float], ranks: int, size: float) -> float:
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
