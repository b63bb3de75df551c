"""checkpoint saves memory: what is held between forward and backward, what backward needs at most, what is left."""

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import specgrad as sg
from specgrad.utils.checkpoint import checkpoint, checkpoint_sequential

pytestmark = pytest.mark.cpu("counts bytes of the host")

SIZE = 10_000  # numbers in each intermediate result
RESULT = SIZE * 8  # its bytes
STEPS = 20


@pytest.fixture(autouse=True)
def _traced() -> Iterator[None]:
    tracemalloc.start()
    yield
    tracemalloc.stop()


def chain(x: Any, steps: int = STEPS) -> Any:
    """tanh as often as that: each saves its result."""
    for _ in range(steps):
        x = x.tanh()
    return x


def leaf(size: int) -> Any:
    """With a gradient, so that backward passes add to it."""
    x = sg.ones(size, dtype=sg.float64, requires_grad=True)
    x.grad = sg.zeros_like(x)
    return x


def results_held(call: Callable[[Any], Any]) -> tuple[float, float, float]:
    """In units of one result: what the graph holds after forward, the most in backward, and what stays afterwards."""
    call(leaf(2)).sum().backward()  # whatever it needs is compiled and kept from now on
    x = leaf(SIZE)
    before = tracemalloc.get_traced_memory()[0]
    loss = call(x).sum()
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    loss.backward()
    left, peak = tracemalloc.get_traced_memory()
    del loss
    return (held - before) / RESULT, (peak - before) / RESULT, (left - before) / RESULT


def test_plain_call() -> None:
    """The measure: without a checkpoint every result is held until its node has run."""
    held, peak, left = results_held(chain)
    assert STEPS <= held < STEPS + 1
    assert STEPS < peak < STEPS + 3
    assert left < 1


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpointed(reentrant: bool) -> None:
    """With one, only the result of the whole is held; backward has all of them again for a while, and frees them."""
    held, peak, left = results_held(lambda x: checkpoint(chain, x, use_reentrant=reentrant))
    assert held < 1.5
    assert peak < STEPS + 4
    assert left < 1


@pytest.mark.parametrize("reentrant", [False, True])
def test_in_segments(reentrant: bool) -> None:
    """In segments, at most the inputs of all segments and the results of one exist at any time."""
    functions = [lambda x: chain(x, 4)] * 5
    held, peak, left = results_held(lambda x: checkpoint_sequential(functions, 5, x, use_reentrant=reentrant))
    assert held < 4 + 4 + 1.5  # the last segment is not checkpointed
    assert peak < 4 + 4 + 5
    assert left < 1


def test_nested() -> None:
    """An inner checkpoint's argument is not held either, the outer one forgets it."""

    def outer(x: Any) -> Any:
        for _ in range(4):
            x = checkpoint(chain, x, 5, use_reentrant=False)
        return x

    held, peak, left = results_held(lambda x: checkpoint(outer, x, use_reentrant=False))
    assert held < 1.5
    assert peak < 4 + 5 + 5
    assert left < 1


def test_values_are_freed_as_they_are_used() -> None:
    """Of the recomputed values those that backward has used are gone, though the graph is retained."""
    checkpoint(chain, leaf(2), use_reentrant=False).sum().backward()
    x = leaf(SIZE)
    loss = checkpoint(chain, x, use_reentrant=False).sum()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(3):
        loss.backward(retain_graph=True)
    assert (tracemalloc.get_traced_memory()[0] - before) / RESULT < 1
