"""Element-wise ops at points that a seed draws, beside mpmath: values and derivatives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("mpmath")

from specgrad.codegen.proof.grid import FULL, SPARSE
from specgrad.codegen.proof.mpmath_functions import is_known
from specgrad.codegen.verify.calls.entries import meaning_of
from specgrad.codegen.verify.calls.interpreted import all_plain
from specgrad.codegen.verify.calls.special_values import settings
from specgrad.codegen.verify.calls.units import measured
from specgrad.generated.registry import BY_NAME, OPS

from .. import amount

OF_FLOATS = [op.name for op in OPS if op.kind == "elementwise" and "float" in op.dtypes and "(a!)" not in op.schema]
SAMPLE = np.random.default_rng(amount.SEED).permutation(OF_FLOATS)[: len(OF_FLOATS) if amount.FULL else 6]


@pytest.mark.parametrize("name", sorted(SAMPLE.tolist()))
def test_points_of_the_day(name: str, figures: Callable[..., None]) -> None:
    op = BY_NAME[name]
    meaning = meaning_of(op)
    if meaning is None or not meaning.entry.precise or op.result_dtype[0] != "same" or not is_known(meaning.expression):
        return
    setting = next(iter(settings(op, meaning)))
    with all_plain(op):
        for errors in measured(op, meaning, setting, str(amount.SEED), FULL if amount.FULL else SPARSE):
            figures("points beside mpmath", points=len(errors.units))
            assert not errors.is_beyond, f"{name}, {errors.kind} of {errors.argument}: {errors.shown(errors.worst)}"
