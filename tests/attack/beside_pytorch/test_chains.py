"""Random chains of ops, forward and backward, give what PyTorch gives: values, dtypes, shapes, errors and gradients.

See tests/generated/chains.py. Where PyTorch is not installed there is nothing to compare with.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from random import Random

import pytest

from tests.attack.amount import SEED, amount
from tests.generated.chains import run

CHUNKS = amount(1, 40)
CHAINS = amount(60, 500)  # of a chunk
LENGTH = 8  # ops of a chain


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_chains(chunk: int, figures: Callable[..., None]) -> None:
    """Each op answers as PyTorch's, on what earlier ops have given, and so does the way back."""
    pytest.importorskip("torch")
    ops = refused = 0
    for number in range(CHAINS):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # each library has its own
            chain, what = run(Random(f"{SEED} {chunk} {number}"), LENGTH)
        assert what == "", f"seed {SEED}, Random('{SEED} {chunk} {number}'):\n{chain}"
        ops, refused = ops + len(chain.lines), refused + chain.refused
    figures("chains beside PyTorch", chains=CHAINS, calls=ops, refused=refused)
