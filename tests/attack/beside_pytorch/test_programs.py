"""Random programs of views, writes, modes, leaves and hooks do what PyTorch does, or else what the model says.

The programs are those of tests/programs, drawn from a plain random generator, which is ten times as fast as a search
for short ones; `tests/programs/test_programs.py` searches. What is left out, and why, stands there and in
docs/pytorch-details.md.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

import specgrad as sg
from tests.attack.amount import SEED, amount
from tests.programs.building import build
from tests.programs.comparing import differences, same
from tests.programs.drawn import Drawing
from tests.programs.program import Program
from tests.programs.running import expected, run, second_derivatives

try:
    import torch
except ImportError:
    torch = None

CHUNKS = amount(2, 100)
PROGRAMS = amount(120, 1000)  # of a chunk


def sampled(chunk: int, number: int) -> Program:
    """A program of this seed."""
    return build(Drawing(Random(f"{SEED} {chunk} {number}").randint))


def mistakes(program: Program, library: Any) -> list[str]:
    """What a library does in another way than the model; of PyTorch, what specgrad does in another way."""
    ours, model = run(program, sg), expected(program)
    if library is None:
        return differences(ours, model)
    theirs = run(program, library)
    found = differences(ours, theirs) or [f"PyTorch, not the model: {text}" for text in differences(theirs, model)]
    if found or not program.ends:
        return found
    pair = second_derivatives(program, sg), second_derivatives(program, library)
    return [] if same(*pair) else [f"second derivatives: {pair[0]} instead of {pair[1]}"]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_programs(chunk: int, figures: Callable[..., None]) -> None:
    """Values, versions, bases, leaves, errors and gradients, and gradients of gradients, are PyTorch's."""
    passes = lines = 0
    for number in range(PROGRAMS):
        program = sampled(chunk, number)
        found = mistakes(program, torch)
        assert found == [], f"seed {SEED}, drawn({chunk}, {number}):\n{program}"
        passes, lines = passes + len(program.ends), lines + len(program.lines)
    beside = "PyTorch" if torch else "the model"
    figures(f"programs beside {beside}", programs=PROGRAMS, lines=lines, passes=passes)
