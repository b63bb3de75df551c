"""histogramdd against NumPy's, and what it refuses."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg

POINTS = np.random.default_rng(3).normal(size=(40, 3))
X = sg.tensor(POINTS)
EDGES = [np.array([-1.0, 0.0, 0.25, 2.0]), np.array([-0.5, 0.5]), np.array([-3.0, 0.0, 3.0])]


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("bins", "bounds"),
    [(3, None), ([2, 3, 1], None), ((2, 2, 2), [-1.0, 1.0, 0.0, 2.0, -0.5, 0.5]), (EDGES, None)],
)
def test_counts(bins: Any, bounds: Any, weighted: bool, density: bool) -> None:
    """Bins of equal parts, of a range, of edges; weights and densities."""
    weight = np.linspace(0, 1, 40) if weighted else None
    given = [sg.tensor(edges) for edges in bins] if bins is EDGES else bins
    found = sg.histogramdd(X, given, bounds, None if weight is None else sg.tensor(weight), density)
    pairs = None if bounds is None else list(zip(bounds[::2], bounds[1::2], strict=True))
    hist, edges = np.histogramdd(POINTS, bins, pairs, weights=weight, density=density)
    assert np.allclose(found.hist.numpy(), hist)
    assert all(np.allclose(a.numpy(), b) for a, b in zip(found.bin_edges, edges, strict=True))


def test_more_dimensions_and_none() -> None:
    """All dimensions but the last are one; without points the range is [0, 1]; one value has a range around it."""
    assert sg.histogramdd(X.view(8, 5, 3), 2).hist.equal(sg.histogramdd(X, 2).hist)
    assert sg.histogramdd(sg.zeros(0, 2), [1, 2]).bin_edges[1].tolist() == [0.0, 0.5, 1.0]
    assert sg.histogramdd(sg.ones(3, 1), 2).hist.tolist() == [0.0, 3.0]


def test_under_vmap() -> None:
    """Batches of points in the same cells."""
    edges = [sg.tensor(e) for e in EDGES]
    found = sg.func.vmap(lambda x: sg.histogramdd(x, edges).hist)(X.view(2, 20, 3))
    assert found.equal(sg.stack([sg.histogramdd(x, edges).hist for x in X.view(2, 20, 3)]))


@pytest.mark.parametrize(
    ("kind", "call", "message"),
    [
        (RuntimeError, lambda: sg.histogramdd(X[0], 2), "at least 2 dimensions"),
        (NotImplementedError, lambda: sg.histogramdd(X.long(), 2), "int64"),
        (RuntimeError, lambda: sg.histogramdd(X, [2, 2]), "expected 3 bins"),
        (RuntimeError, lambda: sg.histogramdd(X, 0), "bins must be > 0, but got 0 for dimension 0"),
        (RuntimeError, lambda: sg.histogramdd(X, 2, [0.0, 1.0]), "should have 6 elements, but got 2"),
        (RuntimeError, lambda: sg.histogramdd(X, 2, [1.0, 0.0] * 3), "min should not exceed max"),
        (RuntimeError, lambda: sg.histogramdd(X * float("nan"), 2), "not finite"),
        (RuntimeError, lambda: sg.histogramdd(X, 2, weight=sg.ones(40)), "expected a weight of shape"),
        (RuntimeError, lambda: sg.histogramdd(X, [sg.ones(2)] * 3), "at least two edges in a vector of"),
        (TypeError, lambda: sg.histogramdd(X, sg.ones(2)), "argument 'bins' must be int, ints or Tensors"),
        (TypeError, lambda: sg.histogramdd(X, [2, sg.ones(2), 2]), "bins"),
    ],
)
def test_what_is_refused(kind: type[Exception], call: Any, message: str) -> None:
    """By PyTorch's classes of errors."""
    with pytest.raises(kind, match=rf"histogramdd\(\).*{message}"):
        call()
