"""Plans: costs of collectives against numbers worked out by hand, and steps against what cannot be otherwise."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from specgrad.nn.parallel.planning import costs
from specgrad.nn.parallel.planning.costs import Machine, Network, Plan, read, write
from specgrad.nn.parallel.planning.layers import Gradient, Layer, Step
from specgrad.nn.parallel.planning.measure import fitted

NETWORK = Network(latency=1e-5, bandwidth=1e9, joining=4e9)  # alpha 10 us, beta 1 ns, gamma 0.25 ns
COUNTS = [2**power for power in range(13)]
ALL = [
    costs.all_reduce_doubling,
    costs.all_reduce_halving,
    costs.all_reduce_ring,
    costs.all_gather_tree,
    costs.all_gather_ring,
    costs.reduce_scatter_halving,
    costs.reduce_scatter_pairs,
    costs.broadcast_tree,
    costs.broadcast_scattered,
]


# On 8 ranks, in microseconds: latencies of 10, and 1000 bytes of 1 each, of which 7/8 are 875; joining takes a quarter.
@pytest.mark.parametrize(
    ("way", "expected"),
    [
        (costs.all_reduce_doubling, 3 * (10 + 1 + 0.25)),
        (costs.all_reduce_halving, 6 * 10 + 2 * 0.875 + 0.25 * 0.875),
        (costs.all_reduce_ring, 14 * 10 + 2 * 0.875 + 0.25 * 0.875),
        (costs.all_gather_tree, 3 * 10 + 0.875),
        (costs.all_gather_ring, 7 * 10 + 0.875),
        (costs.reduce_scatter_halving, 3 * 10 + 1.25 * 0.875),
        (costs.reduce_scatter_pairs, 7 * 10 + 1.25 * 0.875),
        (costs.broadcast_tree, 3 * (10 + 1)),
        (costs.broadcast_scattered, 10 * 10 + 2 * 0.875),
    ],
)
def test_formulas(way: Callable[..., float], expected: float) -> None:
    """What Thakur, Rabenseifner and Gropp give for 8 ranks and 1000 bytes."""
    assert 1e6 * way(8, 1000, NETWORK) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("way", ALL)
def test_limits(way: Callable[..., float]) -> None:
    """One rank waits for nobody; more bytes or ranks cost more; of huge contents, only bytes count."""
    assert way(1, 1e6, NETWORK) == 0
    times = [way(ranks, 1e6, NETWORK) for ranks in COUNTS]
    assert times == sorted(times) and len(set(times)) == len(times)
    sizes = [way(6, 10.0**power, NETWORK) for power in range(10)]
    assert sizes == sorted(sizes)
    free = NETWORK._replace(latency=0.0)
    assert way(16, 1e12, NETWORK) == pytest.approx(way(16, 1e12, free), rel=1e-6)


def test_numbers_of_ranks_between_powers_of_two() -> None:
    """6 ranks: two of them give theirs to others first; Bruck's all_gather and the tree take 3 steps."""
    assert 1e6 * costs.all_reduce_doubling(6, 1000, NETWORK) == pytest.approx(2 * 11.25 + 2 * 11 + 0.25)
    assert 1e6 * costs.all_reduce_halving(6, 1000, NETWORK) == pytest.approx(
        (4 * 10 + 1.5 + 0.25 * 0.75) + (2 * 11 + 0.25)
    )
    assert 1e6 * costs.all_gather_tree(6, 1000, NETWORK) == pytest.approx(30 + 5 / 6)
    assert 1e6 * costs.reduce_scatter_halving(6, 1000, NETWORK) == pytest.approx(20 + 1.25 * 5 / 6 + 11.25)
    assert 1e6 * costs.broadcast_tree(6, 1000, NETWORK) == pytest.approx(33)


def test_the_cheapest_is_chosen() -> None:
    """Short contents are doubled, long ones halved; on many ranks, a ring of long ones costs its latencies."""
    assert costs.all_reduce(8, 8, NETWORK) == costs.all_reduce_doubling(8, 8, NETWORK)
    assert costs.all_reduce(8, 1e7, NETWORK) == costs.all_reduce_halving(8, 1e7, NETWORK)
    assert costs.all_reduce(6, 1e7, NETWORK) == costs.all_reduce_ring(6, 1e7, NETWORK)
    assert costs.broadcast(64, 8, NETWORK) == costs.broadcast_tree(64, 8, NETWORK)
    assert costs.broadcast(8, 1e7, NETWORK) == costs.broadcast_scattered(8, 1e7, NETWORK)


@pytest.mark.parametrize("ranks", [2, 4])
def test_constants_are_found_again(ranks: int) -> None:
    """From times that follow the model, its constants."""
    found = [(8, costs.all_reduce_doubling(ranks, 8, NETWORK))]
    found[0] = (8, found[0][1] - 8 / NETWORK.joining * (ranks // 2))
    found += [(size, costs.all_reduce_halving(ranks, size, NETWORK)) for size in (10**5, 10**6, 10**7)]
    network = fitted(found, ranks, NETWORK.joining)
    assert network.latency == pytest.approx(NETWORK.latency, rel=1e-3)
    assert network.bandwidth == pytest.approx(NETWORK.bandwidth, rel=1e-3)


# A step of 10 + 20 + 1 ms; its gradients of 4 and 2 MB come after 12 and 20 ms of backward.
STEP = Step(
    forward=10e-3,
    backward=20e-3,
    update=1e-3,
    measured_time=20e-3,
    gradients=[Gradient(4_000_000, "float32", 0.6), Gradient(2_000_000, "float32", 1.0)],
    layers=[Layer("0", 2_000_000, 500_000, 64, 0.5), Layer("1", 4_000_000, 100_000, 10, 0.5)],
)


def _plan(share: float, cores: int = 4, crowd: float = 1.0, multi_node: bool = True) -> Plan:
    return Plan(STEP, Machine(cores, NETWORK, NETWORK, share), crowd, multi_node=multi_node)


def test_a_step_with_overlap_by_hand() -> None:
    """On 2 ranks an all_reduce of n bytes takes 20 us + n (1 + 1/8) ns: 4.52 and 2.27 ms."""
    assert 1e3 * _plan(0.0).data_parallel(2) == pytest.approx(10 + 20 + 2.27 + 1)  # the first is over at 16.52 ms
    assert 1e3 * _plan(1.0).data_parallel(2) == pytest.approx(31 + 4.52 + 2.27)  # nothing is hidden
    late = replace(_plan(0.0), step=replace(STEP, gradients=[replace(one, when=1.0) for one in STEP.gradients]))
    assert 1e3 * late.data_parallel(2) == pytest.approx(31 + 4.52 + 2.27)  # nothing to hide behind


def test_ranks_that_share_cores() -> None:
    """On two cores, computation and calls of four ranks take turns; ranks of one machine crowd it."""
    two, four = (_plan(1.0, 2, multi_node=False).data_parallel(ranks) for ranks in (2, 4))
    calls = sum(costs.all_reduce(4, one.size, NETWORK) for one in STEP.gradients)
    assert 1e3 * two == pytest.approx(31 + 4.52 + 2.27)
    assert four == pytest.approx(2 * (STEP.seconds + calls))
    crowded = _plan(1.0, 2, crowd=1.2)
    assert crowded.data_parallel(1) == STEP.seconds
    assert 1e3 * crowded.data_parallel(2) == pytest.approx(1.2 * 31 + 4.52 + 2.27)
    assert _plan(1.0, 3, crowd=1.2).slower(2) == pytest.approx(1.1)


def test_matrices_in_parts_by_hand() -> None:
    """One pair: the second's results are joined in forward; the first's input needs no gradient."""
    assert 1e3 * (_plan(1.0).tensor_parallel(2) or 0) == pytest.approx(31 / 2 + 0.02 + 0.1125)
    assert _plan(1.0).tensor_parallel(64) is not None and _plan(1.0).tensor_parallel(128) is None


def test_shards_by_hand() -> None:
    """On 2 ranks an all_gather of n takes 10 us + n/2 ns, a reduce_scatter 10 us + 0.625 n ns."""
    gathers, scatters = 2 * 0.01 + 3, 2 * 0.01 + 3.75
    assert 1e3 * _plan(1.0).sharded(2) == pytest.approx(10 + gathers + 20 + gathers + scatters + 0.5)
    first, last, scatter = 0.01 + 1, 0.01 + 2, 0.01 + 1.25
    assert 1e3 * _plan(0.0).sharded(2) == pytest.approx(10 + first + 20 + last + scatter + 0.5)


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_more_ranks_are_never_more_efficient(share: float) -> None:
    """Weak scaling falls with ranks, latency and share of the core, and is 1 for a network that costs nothing."""
    plan = _plan(share)
    for way in (plan.data_parallel, plan.sharded):
        times = [way(ranks) for ranks in COUNTS[1:]]
        assert times == sorted(times) and times[0] >= STEP.seconds - STEP.update
    slow = replace(plan, machine=replace(plan.machine, between=NETWORK._replace(latency=1e-4)))
    assert slow.data_parallel(2) == plan.data_parallel(2) and slow.data_parallel(8) > plan.data_parallel(8)
    assert plan.data_parallel(64) <= _plan(1.0).data_parallel(64) + 1e-12
    free = Network(0.0, 1e30, 1e30)
    ideal = replace(plan, machine=Machine(4, free, free, share))
    assert ideal.data_parallel(4096) == pytest.approx(STEP.seconds, rel=1e-12)


def test_files_of_constants(tmp_path: Path) -> None:
    """What was written is read; other files are refused by name."""
    machine = Machine(2, NETWORK, NETWORK._replace(bandwidth=2e9), 0.75)
    write(tmp_path / "machine.json", machine)
    assert read(tmp_path / "machine.json") == machine
    (tmp_path / "other.json").write_text("[1]")
    for name in ("other.json", "none.json"):
        with pytest.raises(ValueError, match=rf"{name} is no file that --measure --save has written"):
            read(tmp_path / name)
