"""Random programs of views, in-place writes and arithmetic do what PyTorch's rules say, and what PyTorch does."""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import specgrad as sg

from .programs.libraries import Run, differences, expected, run
from .programs.programs import Program, programs

COUNT = int(os.environ.get("SPECGRAD_PROGRAMS", "300"))
SEED = os.environ.get("SPECGRAD_PROGRAMS_SEED")
SETTINGS = settings(
    max_examples=COUNT,
    derandomize=SEED is None,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)


def seeded(test: Any) -> Any:
    """The test with the seed that the environment asks for."""
    return test if SEED is None else seed(int(SEED))(test)


@seeded
@SETTINGS
@given(programs())
def test_programs_do_what_the_model_says(program: Program) -> None:
    """Values, versions, bases, what requires grad, errors and gradients are those of an independent model in NumPy."""
    assert differences(run(program, sg), expected(program)) == []


@seeded
@SETTINGS
@given(programs())
def test_programs_do_what_pytorch_does(program: Program) -> None:
    """The same in PyTorch, where it is installed."""
    torch = pytest.importorskip("torch")
    theirs: Run = run(program, torch)
    assert differences(run(program, sg), theirs) == []
