"""What collectives cost in Hockney's model: a message of n bytes takes latency + n / bandwidth.

R. W. Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel Computing 20 (1994). The
costs of algorithms are those of R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
Operations in MPICH", International Journal of High Performance Computing Applications 19 (2005): alpha is the latency,
beta = 1 / bandwidth and gamma = 1 / joining, seconds a byte. Their numbers of steps are lg p for powers of two; other
numbers of ranks take ceil(lg p) steps, or two more where ranks have to be paired first.

An MPI library chooses by size, as does each function without an algorithm in its name: the cheapest.
"""

from __future__ import annotations

from math import ceil, floor, log2
from typing import NamedTuple


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
    """Seconds of joining `size` bytes for all."""
    return min(way(ranks, size, network) for way in (all_reduce_doubling, all_reduce_halving, all_reduce_ring))


def all_gather_tree(ranks: int, size: float, network: Network) -> float:
    """Recursive doubling, or Bruck's: ceil(lg p) alpha + (p-1)/p n beta."""
    return _steps(ranks) * network.latency + (ranks - 1) / ranks * size / network.bandwidth


def all_gather_ring(ranks: int, size: float, network: Network) -> float:
    """Around a ring: (p-1) alpha + (p-1)/p n beta."""
    return (ranks - 1) * network.latency + (ranks - 1) / ranks * size / network.bandwidth


def all_gather(ranks: int, size: float, network: Network) -> float:
    """Seconds until all have `size` bytes, of which each had its part."""
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
    """Seconds of joining `size` bytes, of which each gets its part."""
    return min(reduce_scatter_halving(ranks, size, network), reduce_scatter_pairs(ranks, size, network))


def broadcast_tree(ranks: int, size: float, network: Network) -> float:
    """Binomial tree: ceil(lg p) (alpha + n beta)."""
    return _steps(ranks) * (network.latency + size / network.bandwidth)


def broadcast_scattered(ranks: int, size: float, network: Network) -> float:
    """van de Geijn: a scatter and an all_gather, (ceil(lg p) + p - 1) alpha + 2 (p-1)/p n beta."""
    part = (ranks - 1) / ranks * size
    return (_steps(ranks) + ranks - 1) * network.latency + 2 * part / network.bandwidth


def broadcast(ranks: int, size: float, network: Network) -> float:
    """Seconds until all have the `size` bytes of one."""
    return min(broadcast_tree(ranks, size, network), broadcast_scattered(ranks, size, network))
