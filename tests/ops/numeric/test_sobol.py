"""SobolEngine: the points of SciPy's engine, in the same order."""

import numpy as np
import pytest
from scipy.stats import qmc

import specgrad as sg
from specgrad.quasirandom import SobolEngine


@pytest.mark.parametrize("dimension", [1, 2, 37, 1111])
def test_points(dimension: int) -> None:
    """Drawn in parts, after leaving some out, and again from the first."""
    engine, expected = SobolEngine(dimension), qmc.Sobol(dimension, scramble=False)
    for count in (1, 3, 12):
        np.testing.assert_array_equal(engine.draw(count, dtype=sg.float64).numpy(), expected.random(count))
    engine.fast_forward(9)
    expected.fast_forward(9)
    np.testing.assert_array_equal(engine.draw(7, dtype=sg.float64).numpy(), expected.random(7))
    assert engine.num_generated == 32
    first = engine.reset().draw_base2(4, dtype=sg.float64)
    np.testing.assert_array_equal(first.numpy(), expected.reset().random_base2(4))


def test_the_greatest_dimension() -> None:
    """There are numbers for 21201 dimensions, and no more."""
    numbers = SobolEngine(21201).sobolstate
    assert numbers.shape == (21201, 30) and int(numbers[-1, 0]) == 2**29
    for dimension in (0, 21202):
        with pytest.raises(ValueError, match="Supported range"):
            SobolEngine(dimension)


def test_scrambled_points_fill_each_interval_once() -> None:
    """2^m points have one in each of 2^m equal intervals of every coordinate, whatever the seed; seeds differ."""
    samples = [SobolEngine(6, scramble=True, seed=seed).draw(256, dtype=sg.float64).numpy() for seed in (1, 1, 2)]
    np.testing.assert_array_equal(samples[0], samples[1])
    assert (samples[0] != samples[2]).mean() > 0.99
    for points in samples:
        assert points.min() >= 0 and points.max() < 1
        assert all(len(np.unique((column * 256).astype(int))) == 256 for column in points.T)


def test_scrambling_is_random() -> None:
    """Over seeds the first point is uniform: its mean and variance are those of the cube."""
    first = np.concatenate([SobolEngine(50, True, seed).draw(dtype=sg.float64).numpy() for seed in range(40)])
    assert abs(first.mean() - 0.5) < 4 * np.sqrt(1 / 12 / first.size)
    assert abs(first.var() - 1 / 12) < 0.01


def test_the_default_generator_scrambles_without_a_seed() -> None:
    """`manual_seed` makes it the same again."""
    sg.manual_seed(5)
    first = SobolEngine(3, scramble=True).draw(4)
    sg.manual_seed(5)
    assert sg.equal(first, SobolEngine(3, scramble=True).draw(4))


def test_out_and_dtypes() -> None:
    """Points are written to `out` in its dtype, else they have the one that is asked for, or the default."""
    engine, out = SobolEngine(2), sg.empty(0, dtype=sg.float64)
    assert engine.draw(3, out=out) is out and out.shape == (3, 2)
    assert SobolEngine(2).draw().dtype is sg.float32
    assert repr(SobolEngine(2, True, 7)) == "SobolEngine(dimension=2, scramble=True, seed=7)"
    with pytest.raises(ValueError, match="power of 2"):
        engine.draw_base2(1)
