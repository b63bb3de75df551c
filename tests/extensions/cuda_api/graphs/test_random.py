"""Draws in graphs: each replay goes on in the streams of numbers that eager calls draw from."""

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from tests.extensions.cuda_api.graphs.programs import recorded

RATES = [0.5, 3.0, 40.0, 7.0, 0.0]

DRAWS: dict[str, Callable[[], Any]] = {
    "rand": lambda: sg.rand(7, device="cuda"),
    "rand in float64": lambda: sg.rand(7, device="cuda", dtype=sg.float64),
    "randn": lambda: sg.randn(9, device="cuda"),
    "randn in bfloat16": lambda: sg.randn(9, device="cuda", dtype=sg.bfloat16),
    "randint": lambda: sg.randint(-5, 90, (11,), device="cuda"),
    "exponential_": lambda: sg.empty(6, device="cuda").exponential_(2.0),
    "bernoulli": lambda: sg.bernoulli(sg.full((13,), 0.4, device="cuda")),
    "dropout": lambda: sg.nn.functional.dropout(sg.ones(21, device="cuda"), 0.5),
    "complex": lambda: sg.randn(3, device="cuda", dtype=sg.complex64),
}


@pytest.mark.parametrize("name", DRAWS)
def test_replays_draw_as_calls_do(name: str) -> None:
    """Behind any number of words that were drawn before, which need not be whole blocks."""
    draw = DRAWS[name]
    graph, found = recorded(lambda: (draw(), sg.rand(3, device="cuda"), draw()))
    sg.manual_seed(11)
    sg.rand(5)
    seen = []
    for _ in range(3):
        graph.replay()
        seen.append([t.cpu() for t in found])
        sg.rand(1)
    sg.manual_seed(11)
    sg.rand(5)
    for each in seen:
        assert all(sg.equal(t.cpu(), w) for t, w in zip((draw(), sg.rand(3, device="cuda"), draw()), each, strict=True))
        sg.rand(1)


@pytest.mark.parametrize("name", ["poisson", "binomial"])
def test_counts(name: str) -> None:
    """Likewise, where an element may take several words."""
    rates = sg.tensor(RATES).cuda()
    chances = sg.full((5,), 0.3, device="cuda")

    def draw() -> Any:
        return sg.poisson(rates) if name == "poisson" else sg.binomial(rates.round(), chances)

    graph, found = recorded(draw)
    sg.manual_seed(2)
    seen = []
    for _ in range(2):
        graph.replay()
        seen.append(found.tolist())
    sg.manual_seed(2)
    assert seen == [draw().tolist() for _ in range(2)]


def test_generators() -> None:
    """Each generator goes on in its own stream; none moves while a graph is captured."""
    one, other = sg.Generator().manual_seed(1), sg.Generator().manual_seed(1)
    states = [g.get_state() for g in (one, other)]

    def draw() -> Any:
        return [sg.rand(3, device="cuda", generator=g) for g in (one, other, one)]

    graph = sg.cuda.CUDAGraph()
    graph.register_generator_state(one)
    with sg.cuda.graph(graph):
        found = draw()
    assert all(sg.equal(g.get_state(), s) for g, s in zip((one, other), states, strict=True))
    seen = []
    for _ in range(2):
        graph.replay()
        seen.append([t.tolist() for t in found])
    one.manual_seed(1)
    other.manual_seed(1)
    assert seen == [[t.tolist() for t in draw()] for _ in range(2)]
    assert seen[0][0] == seen[0][1] != seen[0][2]


def test_a_seed_between_replays() -> None:
    """Who seeds again gets the same numbers again."""
    graph, found = recorded(lambda: sg.rand(4, device="cuda"))
    seen = []
    for _ in range(2):
        sg.manual_seed(9)
        graph.replay()
        seen.append(found.tolist())
    sg.manual_seed(9)
    assert seen[0] == seen[1] == sg.rand(4).tolist()
