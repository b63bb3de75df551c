"""Random numbers by native code: those of the general path, from the same words of a stream."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.native.objects.layout import supported
from specgrad.runtime.ops.creation import random
from tests.native.creation.creations import SOURCE, Call, general_outcome, is_native, native_outcome

pytestmark = pytest.mark.skipif(not supported(), reason="there is no native code here")


DRAWS: dict[str, Call] = {
    "rand": lambda: sg.rand(3, 5),
    "rand in float64": lambda: sg.rand((7,), dtype=sg.float64),
    "randn": lambda: sg.randn(size=(3, 3)),
    "randn in float64": lambda: sg.randn(9, dtype=sg.float64, requires_grad=True),
    "nothing": lambda: sg.rand(0),
    "many": lambda: sg.randn(4097),
    "very many": lambda: sg.rand(500, 1001),
    "rand_like": lambda: sg.rand_like(SOURCE),
    "randn_like": lambda: sg.randn_like(SOURCE, dtype=sg.float64),
    "randint": lambda: sg.randint(10, (3, 2)),
    "randint of a range": lambda: sg.randint(-5, 2**40, (11,)),
    "randperm of none": lambda: sg.randperm(0),
    "randperm of few": lambda: sg.randperm(20),
    "randperm of some": lambda: sg.randperm(1000),
    "normal": lambda: sg.normal(1.5, 2, (3, 5)),
    "normal in float64": lambda: sg.normal(-1, 0.0, [9], dtype=sg.float64, requires_grad=True),
    "survivors": lambda: random.survivors(3, 7, p=0.3),
    "survivors of few": lambda: random.survivors(64, p=1 - 2**-33),
    "survivors of all": lambda: random.survivors(5, p=0.0),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws_are_those_of_the_general_path(name: str) -> None:
    """The same numbers, and the stream goes on at the same place."""
    assert is_native(DRAWS[name])
    seeds = (0, 1, 2**63, 2**64 - 1, -1)
    for seed in seeds:
        own, other = (sg.Generator().manual_seed(seed) for _ in range(2))
        assert own.initial_seed() == seed % 2**64
        for size in (1, 2, 7, 64):
            native, found = native_outcome(sg.rand, size, generator=own)
            assert found and native == general_outcome(sg.rand, size, generator=other)
            assert own.get_state().tolist() == other.get_state().tolist()


BOUNDS = [(0.0, 1.0), (-1, 2), (0.0, 0.0), (-3.5, -1.25), (0.0, 1e-45), (-1e-40, 0.0), (0.1, 0.1000001), (1e30, 3e38)]
BOUNDS += [(-(2.0**-149), 0.0), (-1.0, 0.0), (16777217.0, 16777219.0), (2.0, 2.5)]


def zeros(*size: int, kind: Any = sg.float32) -> Any:
    """Zeros that NumPy has made."""
    return sg.from_numpy(np.zeros(size, kind.np))


@pytest.mark.parametrize("kind", [sg.float32, sg.float64], ids=str)
@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
def test_tensors_are_filled_as_by_the_general_path(kind: Any, bounds: Any) -> None:
    """With the same numbers, also at the ends of what the dtype has, and the write counts."""
    low, high = bounds
    for size in (0, 1, 50):
        assert is_native(lambda n: zeros(n, kind=kind).uniform_(low, high), size)
        assert is_native(lambda n: zeros(n + 1, 2, kind=kind)[1:].normal_(low, high), size) == (high >= 0)
    x = zeros(40, kind=kind).uniform_(low, high)
    min_value, max_count = np.array([low, high], kind.np)
    assert min_value <= x.min().item() and x.max().item() <= max(max_count, min_value) and x._version == 1


@pytest.mark.parametrize("kind", [sg.float32, sg.float64], ids=str)
def test_rates_and_chances_are_those_of_the_general_path(kind: Any) -> None:
    """The same numbers, from the same words, also at the ends of what may be asked for."""
    for size in (0, 1, 7, 50, 5001):
        for rate in (1, 0.5, 1e-300, 3e38):
            assert is_native(lambda n, rate: zeros(n, kind=kind).exponential_(rate), size, rate)
        for chance in (0, 1, 0.3, 2.0**-60, True):
            assert is_native(lambda n, chance: zeros(n + 1, kind=kind)[1:].bernoulli_(chance), size, chance)
    assert zeros(4000, kind=kind).exponential_(4.0).mean().item() == pytest.approx(0.25, abs=0.03)
    x = zeros(4000, kind=kind).bernoulli_(0.25)
    assert x.unique().tolist() == [0.0, 1.0] and x.mean().item() == pytest.approx(0.25, abs=0.03)


def test_fills_that_are_for_the_general_path() -> None:
    """Tensors that require grad, whose elements lie apart, or are saved, and numbers that are wrong."""
    leaf = sg.ones(3, requires_grad=True)
    assert not is_native(lambda: leaf.uniform_())
    with sg.no_grad():
        assert is_native(lambda: leaf.normal_())
    unusual: list[Call] = [
        lambda: zeros(3, 3).t().uniform_(),
        lambda: zeros(3, kind=sg.float16).uniform_(),
        lambda: zeros(3, kind=sg.int64).normal_(),
        lambda: zeros(3).uniform_(2, 1),
        lambda: zeros(3).uniform_("0", 1),
        lambda: zeros(3).uniform_(0, float("inf")),
        lambda: zeros(3).normal_(0, -1),
        lambda: zeros(3).normal_(0, float("nan")),
        lambda: zeros(3).normal_(generator=7),
        lambda: zeros(1).expand(3).normal_(),
        lambda: zeros(3).exponential_(0),
        lambda: zeros(3).exponential_(-1.0),
        lambda: zeros(3).exponential_(float("nan")),
        lambda: zeros(3).bernoulli_(1.5),
        lambda: zeros(3).bernoulli_(-0.1),
        lambda: zeros(3).bernoulli_(zeros(3)),
        lambda: zeros(3, kind=sg.int64).bernoulli_(0.5),
        lambda: sg.normal(0.0, -1.0, (3,)),
        lambda: sg.normal(zeros(3), 1.0),
    ]
    assert not any(is_native(call) for call in unusual)
    saved = sg.ones(3)
    y = (leaf.detach().requires_grad_() * saved).sum()
    saved.uniform_()
    with pytest.raises(RuntimeError, match="copy_"):
        y.backward()


def test_threads_draw_different_words() -> None:
    """Whichever path each draw takes, no word is drawn twice."""
    generator, found = sg.Generator().manual_seed(11), []

    def draw(size: int) -> None:
        found.extend(sg.rand(size, generator=generator, dtype=sg.float64).tolist()[0] for _ in range(300))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=draw, args=(size,)) for size in (1, 1, 5000, 5000)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(set(found)) == len(found) == 1200
    assert generator.get_state().view(sg.int64)[2] == 600 * (1 + 5000)
