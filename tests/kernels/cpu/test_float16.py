"""16-bit floats in kernels: bits as NumPy converts them, by instructions or without; what kernels say of themselves."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from specgrad.runtime.compiler.passes import float16
from specgrad.runtime.compiler.passes.loading import load_compiler
from specgrad.runtime.kernels.cpu import casting
from specgrad.runtime.kernels.cpu.float16_plans import WRITTEN, for_halves
from specgrad.runtime.kernels.cpu.plan import Step
from specgrad.runtime.kernels.llvm.float16_rows import as_half, as_single

DTYPES = {"bfloat16": np.dtype(ml_dtypes.bfloat16), "float16": np.dtype(np.float16)}


def converters(half: str) -> tuple[Any, Any]:
    """Loops over arrays of NumPy: to float32, and from it."""
    load_compiler()
    from numba import njit
    from numba.extending import intrinsic

    widen, narrow = intrinsic(prefer_literal=True)(as_single), intrinsic(prefer_literal=True)(as_half)

    def to_single(x: Any, out: Any) -> None:
        for i in range(out.size):
            out[i] = widen(x[i], half)

    def to_half(x: Any, out: Any) -> None:
        for i in range(out.size):
            out[i] = narrow(x[i], half)

    return njit(to_single), njit(to_half)


@pytest.mark.parametrize("instructions", [True, False])
@pytest.mark.parametrize("half", DTYPES)
def test_bits_are_those_of_numpy(half: str, instructions: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All numbers, their neighbours as float32, the middle between two, and any bits; every nan is a nan."""
    if not instructions:
        monkeypatch.setattr(float16, "converts_halves", lambda: False)
    to_single, to_half = converters(half)
    numbers = np.arange(1 << 16, dtype=np.uint16)
    wide = np.empty(numbers.size, np.float32)
    to_single(numbers, wide)
    expected = numbers.view(DTYPES[half]).astype(np.float32)
    there = ~np.isnan(expected)
    np.testing.assert_array_equal(wide[there].view(np.uint32), expected[there].view(np.uint32))
    assert np.isnan(wide[~there]).all()

    last = 16 if half == "bfloat16" else 13  # bits that are lost of a normal number
    small = [0, 1, (1 << last - 1) - 1, 1 << last - 1, (1 << last - 1) + 1, (1 << last) - 1]
    patterns = (expected.view(np.uint32)[:, None] + np.array(small, np.uint32)).ravel()
    any_bits = np.random.default_rng(0).integers(0, 1 << 32, 1 << 18, np.uint64).astype(np.uint32)
    given = np.concatenate([patterns, any_bits]).view(np.float32)
    rounded = np.empty(given.size, np.uint16)
    to_half(given, rounded)
    with np.errstate(all="ignore"):
        answer = given.astype(DTYPES[half])
    there = ~np.isnan(given)
    np.testing.assert_array_equal(rounded[there], answer.view(np.uint16)[there])
    assert np.isnan(rounded.view(DTYPES[half])[~there].astype(np.float32)).all()


@pytest.mark.parametrize("half", DTYPES)
def test_casts_of_arrays(half: str) -> None:
    """Long contiguous arrays go by compiled loops, others do not."""
    x = np.random.default_rng(1).standard_normal((64, 128)).astype(np.float32)
    to = np.empty(x.shape, DTYPES[half])
    assert casting.copied(to, x)
    np.testing.assert_array_equal(to, x.astype(DTYPES[half]))
    back = np.empty(x.shape, np.float32)
    assert casting.copied(back, to)
    np.testing.assert_array_equal(back, x.astype(DTYPES[half]).astype(np.float32))
    assert not casting.copied(to[:, ::2], x[:, ::2]) and not casting.copied(to[0], x[0])
    assert not casting.copied(to, x.astype(np.float64))


def test_plans_widen_what_kernels_do_not_read_and_round_once() -> None:
    """Two calls on one result, the second of which reads it: both in float32, and a copy that rounds."""

    def adds(x: Any, y: Any, out: Any) -> None: ...

    def goes_on(out: Any) -> None: ...

    plan = (Step(adds, (0, 1), ((0, (3,)),)), Step(goes_on, (), ((0, (3,)),)))
    made, arg_kinds = for_halves(plan, "TCn", (5, 3, 0), 1, 0)
    widened, first, second, rounded = made
    assert [step.kernel.__name__ for step in made] == ["copied", "adds", "goes_on", "copied"]
    assert widened.operands == (0,) and widened.results[0][1] == (5,)
    assert first.operands == (~widened.results[0][0], 1) and first.results == second.results
    assert rounded.operands == (~first.results[0][0],) and rounded.results == ((0, (3,)),)
    assert arg_kinds == ("TC", "CCC", "C", "CT")


def test_kernels_that_write_once_are_called_as_they_are() -> None:
    """Their operands and results are stored in 16 bits; a result in float32 is said to be."""

    def both(x: Any, out: Any, statistics: Any) -> None: ...

    both.halves = WRITTEN  # type: ignore[attr-defined]
    plan = (Step(both, (0,), ((0, (3,)), (1, (1,)))),)
    assert for_halves(plan, "T", (3,), 2, 0b10) == (plan, ("TTC",))
