"""Random programs of views, in-place writes and arithmetic do what PyTorch's rules say, and what PyTorch does.

`tests/programs/` holds the language, a model of the rules in NumPy, and the strategy that builds programs. Left out are
programs whose meaning PyTorch leaves open (sources that overlap what is written, layouts of results), writes that
nobody can notice, kinks, large numbers, and where PyTorch fails by mistake: a view older than its base's history cannot
be written to until somebody has looked at its `grad_fn`, and one number written to an expanded view has no backward.
docs/pytorch-details.md lists these. `tests/attack/beside_pytorch/test_programs.py` runs many more, but does not shorten
them.

SPECGRAD_PROGRAMS is the number of programs, SPECGRAD_PROGRAMS_SEED (a number) gives others than the usual ones.
"""

import os
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

import specgrad as sg

from .building import programs
from .comparing import differences, same
from .program import Program
from .running import expected, run, second_derivatives

COUNT = int(os.environ.get("SPECGRAD_PROGRAMS", "400"))
SEED = os.environ.get("SPECGRAD_PROGRAMS_SEED")
SETTINGS = settings(
    max_examples=COUNT,
    derandomize=SEED is None,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)


def with_seed(test: Any) -> Any:
    """The test with the seed that the environment asks for."""
    return test if SEED is None else seed(int(SEED))(test)


@with_seed
@SETTINGS
@given(programs())
def test_programs_do_what_the_model_says(program: Program) -> None:
    """Values, versions, bases, what requires grad, errors and gradients are those of an independent model in NumPy."""
    assert differences(run(program, sg), expected(program)) == [], f"in the program\n{program}"


@with_seed
@SETTINGS
@given(programs())
def test_programs_do_what_pytorch_does(program: Program) -> None:
    """The same in PyTorch, where it is installed, and second derivatives; PyTorch does what the model says too."""
    torch = pytest.importorskip("torch")
    theirs = run(program, torch)
    assert differences(run(program, sg), theirs) == [], f"in the program\n{program}"
    assert differences(theirs, expected(program)) == [], f"the model is wrong on the program\n{program}"
    if program.ends:
        assert same(second_derivatives(program, sg), second_derivatives(program, torch))
