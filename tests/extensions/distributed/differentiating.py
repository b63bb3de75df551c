"""Checks of collectives that gradients pass through, for every rank: results and gradients as NumPy has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad import distributed as dist
from specgrad.distributed.nn import functional as F
from tests.extensions.distributed.checks import check


def _numbers(rank: int, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    """What a rank has: all ranks can tell what the others have."""
    return np.random.default_rng([seed, rank]).uniform(0.5, 2.0, shape)


def _compare(
    rank: int, size: int, shape: tuple[int, ...], call: Callable[[Any], Any], expected: Callable[[np.ndarray], Any]
) -> None:
    """A call's result on this rank, and the gradient of this rank's tensor by the sum of all ranks' weighted results.

    `expected` gives the results of all ranks, of what all have, as NumPy computes them: its slope is by differences.
    """
    every = np.stack([_numbers(one, shape) for one in range(size)])
    results = expected(every)
    weights = [np.random.default_rng([1, one]).standard_normal(np.shape(results[one])) for one in range(size)]
    own = sg.tensor(every[rank], requires_grad=True)
    found = call(own)
    np.testing.assert_allclose(found.detach().numpy(), results[rank], rtol=1e-12, atol=1e-12)
    (found * sg.tensor(weights[rank])).sum().backward()
    np.testing.assert_allclose(own.grad.numpy(), _leaky_param(every, rank, expected, weights), rtol=1e-7, atol=1e-7)


def _leaky_param(every: np.ndarray, rank: int, expected: Callable[[np.ndarray], Any], weights: list[np.ndarray]) -> Any:
    """The derivative of the sum of all weighted results by what one rank has, by central differences."""
    found = np.zeros(every.shape[1:])
    for index in np.ndindex(*found.shape):
        sides = []
        for step in (1e-5, -1e-5):
            moved = every.copy()
            moved[(rank, *index)] += step
            sides.append(sum((np.asarray(y) * w).sum() for y, w in zip(expected(moved), weights, strict=True)))
        found[index] = (sides[0] - sides[1]) / 2e-5
    return found


@check
def gradients_of_reductions(rank: int, size: int) -> None:
    """all_reduce, reduce and reduce_scatter by every way of joining that has a gradient."""
    ways = {"SUM": np.sum, "AVG": np.mean, "PRODUCT": np.prod, "MIN": np.min, "MAX": np.max}
    for name, concatenated in ways.items():
        op: Any = getattr(dist.ReduceOp, name)

        def all_alike(every: np.ndarray, concatenated: Any = concatenated) -> list[np.ndarray]:
            return [concatenated(every, 0)] * size

        def in_parts(every: np.ndarray, concatenated: Any = concatenated) -> Any:
            return concatenated(every, 0)

        _compare(rank, size, (2, 3), lambda x, op=op: F.all_reduce(x, op), all_alike)
        _compare(rank, size, (size, 2), lambda x, op=op: F.reduce_scatter(x[0], list(x.unbind(0)), op), in_parts)
    last = size - 1
    _compare(
        rank,
        size,
        (2,),
        lambda x: F.reduce(x, last),
        lambda every: [every.sum(0) * (one == last) for one in range(size)],
    )


@check
def gradients_of_moves(rank: int, size: int) -> None:
    """all_gather, gather, scatter, broadcast and all_to_all."""
    _compare(rank, size, (2,), lambda x: sg.stack(F.all_gather(x)), lambda every: [every] * size)
    _compare(
        rank, size, (2,), lambda x: sg.stack(F.gather(x, 1)), lambda every: [every * (r == 1) for r in range(size)]
    )
    _compare(rank, size, (size, 2), lambda x: F.scatter(list(x.unbind(0)), 1), lambda every: every[1])
    _compare(rank, size, (3,), lambda x: F.broadcast(x, 1), lambda every: [every[1]] * size)
    _compare(rank, size, (size, 2), lambda x: F.all_to_all_single(x, x), lambda every: np.swapaxes(every, 0, 1))


@check
def gradients_of_messages(rank: int, size: int) -> None:
    """Around a ring, and along a line of ranks whose last has the loss: y = x + 1 on each."""
    back, on = (rank - 1) % size, (rank + 1) % size
    _compare(rank, size, (2,), lambda x: F.send_recv(x, on, back), lambda every: np.roll(every, 1, 0))
    x = sg.full((2,), 3.0, dtype=sg.float64, requires_grad=True)
    found = x if rank == 0 else F.send_recv(x, src=rank - 1)
    found = found + 1
    loss = found.square().sum() if rank == size - 1 else F.send_recv(found, dst=rank + 1).sum()
    loss.backward()
    if rank == size - 1:
        assert loss.item() == 2 * (3 + size) ** 2
    assert x.grad.tolist() == ([2.0 * (3 + size)] * 2 if rank == 0 else [0.0, 0.0])


@check
def gradients_of_uneven_exchanges(rank: int, size: int) -> None:
    """all_to_all of parts of several sizes: rank r sends s + 1 rows to rank s."""
    out = [other + 1 for other in range(size)]
    into = [rank + 1] * size
    x = sg.tensor(_numbers(rank, (sum(out), 2)), requires_grad=True)
    found = F.all_to_all_single(x, x, into, out)
    starts = np.cumsum([0, *out])
    every = [_numbers(other, (sum(out), 2)) for other in range(size)]
    expected = np.concatenate([one[starts[rank] : starts[rank + 1]] for one in every])
    np.testing.assert_array_equal(found.detach().numpy(), expected)
    (found * (rank + 1)).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), np.repeat(out, out)[:, None] * np.ones((1, 2)))
    parts = F.all_to_all([sg.empty(rank + 1, 2)] * size, list(x.split(out)))
    np.testing.assert_array_equal(sg.cat(parts).detach().numpy(), expected)


@check
def gradients_twice_and_forward(rank: int, size: int) -> None:
    """Differentiated twice, and by tangents: y = (sum of all x)^3 on all ranks."""
    x = sg.tensor(float(rank + 1), dtype=sg.float64, requires_grad=True)
    total = size * (size + 1) / 2
    (first,) = sg.autograd.grad(F.all_reduce(x) ** 3, x, create_graph=True)
    assert first.item() == pytest.approx(3 * size * total**2)
    (second,) = sg.autograd.grad(first, x)
    assert second.item() == pytest.approx(6 * size**2 * total)
    _, tangent = sg.func.jvp(lambda t: F.all_reduce(t) ** 3, (x.detach(),), (sg.tensor(1.0, dtype=sg.float64),))
    assert tangent.item() == pytest.approx(3 * size * total**2)


@check
def wrong_calls_are_refused(rank: int, size: int) -> None:
    """Ways without a gradient, parts that do not fit, and groups that this rank is not in."""
    assert F.all_reduce(sg.ones(2, dtype=sg.int64)).tolist() == [size, size]
    with pytest.raises(ValueError, match=r"all_reduce\(\): ReduceOp\.BAND has no gradient"):
        F.all_reduce(sg.ones(2), dist.ReduceOp.BAND)
    with pytest.raises(RuntimeError, match=r"all_to_all\(\): expected dimension 0 .* multiple of"):
        F.all_to_all_single(sg.ones(1), sg.ones(size + 1))
    group = dist.new_group([0])
    if rank:
        with pytest.raises(ValueError, match="is not in the group"):
            F.all_reduce(sg.ones(2), group=group)
