"""Estimated slopes, histograms of points, and leading singular values."""

from typing import Any

import numpy as np
import pytest

from tests.examples import array, close, reals

SPACINGS: dict[str, tuple[Any, Any]] = {
    "equal": (1, 1),
    "a distance": (0.1, 0.1),
    "a distance for each": ([0.5, 2.0], [0.5, 2.0]),
    "coordinates": (([0.0, 1.0, 3.0, 3.5], [0.0, 0.5, 3.0]), None),
}


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", SPACINGS)
def test_gradient_is_that_of_numpy(lib: Any, name: str, order: int) -> None:
    """Along both dimensions, with lines and with parabolas at the ends."""
    x = reals(lib, 4, 3)
    ours, theirs = SPACINGS[name]
    given = tuple(lib.tensor(v, dtype=lib.float64) for v in ours) if theirs is None else ours
    steps = ours if theirs is None else theirs if isinstance(theirs, list) else [theirs]
    found = lib.gradient(x, spacing=given, edge_order=order)
    for one, other in zip(found, np.gradient(array(x), *steps, edge_order=order), strict=True):
        np.testing.assert_allclose(array(one), other, rtol=1e-6)


def test_gradient_along_some_dimensions(lib: Any) -> None:
    """In the order they are named; slopes are differentiated through."""
    x = reals(lib, 3, 4).requires_grad_()
    found = lib.gradient(x, dim=(-1, 0))
    close(found[1], np.gradient(array(x), axis=0))
    found[0][1, 2].backward()
    assert x.grad[1].tolist() == [0, -0.5, 0, 0.5]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"edge_order": 3}, RuntimeError),
        ({"edge_order": 2, "dim": 1}, RuntimeError),
        ({"dim": (0, 0)}, RuntimeError),
        ({"dim": 5}, IndexError),
        ({"spacing": [1.0, 2.0, 3.0]}, RuntimeError),
    ],
    ids=str,
)
def test_gradient_refuses(lib: Any, arguments: dict[str, Any], error: type[Exception]) -> None:
    """Dimensions that are too short or named twice, and numbers of distances that do not fit."""
    with pytest.raises(error):
        lib.gradient(reals(lib, 3, 2), **arguments)


@pytest.mark.parametrize("density", [False, True])
def test_histogram_of_points(lib: Any, density: bool) -> None:
    """NumPy's, by numbers of bins, ranges, edges and weights."""
    x, weights = reals(lib, 5, 4, 2), reals(lib, 5, 4, seed=1).abs()
    rows, flat = array(x).reshape(-1, 2), array(weights).reshape(-1)
    right, edges = np.histogramdd(rows, [3, 2], [(-1, 1), (-2, 0.5)], density, flat)
    found = lib.histogramdd(x, [3, 2], range=[-1.0, 1.0, -2.0, 0.5], weight=weights, density=density)
    np.testing.assert_allclose(array(found.hist), right, rtol=1e-12)
    for one, other in zip(found.bin_edges, edges, strict=True):
        np.testing.assert_allclose(array(one), other, rtol=1e-12)
    bounds = [lib.tensor([-1.0, 0.0, 2.0], dtype=lib.float64), lib.tensor([-1.0, 0.5], dtype=lib.float64)]
    close(lib.histogramdd(x, bounds)[0], np.histogramdd(rows, [array(b) for b in bounds])[0])


@pytest.mark.parametrize(
    "call",
    [
        lambda lib: lib.histogramdd(lib.zeros(3), 2),
        lambda lib: lib.histogramdd(lib.zeros(3, 2, dtype=lib.int64), 2),
        lambda lib: lib.histogramdd(lib.zeros(3, 2), [2]),
        lambda lib: lib.histogramdd(lib.zeros(3, 2), 0),
        lambda lib: lib.histogramdd(lib.zeros(3, 2), [lib.zeros(0), lib.zeros(0)]),
        lambda lib: lib.histogramdd(lib.zeros(3, 2), 2, range=[1.0, 0.0, 0.0, 1.0]),
        lambda lib: lib.histogramdd(lib.zeros(3, 2), 2, weight=lib.zeros(2)),
        lambda lib: lib.histogramdd(lib.full((3, 2), float("nan")), 2),
    ],
)
def test_histogram_of_points_refuses(lib: Any, call: Any) -> None:
    """Points without coordinates, integers, and bins, ranges and weights that do not fit."""
    with pytest.raises(RuntimeError):
        call(lib)


@pytest.mark.parametrize("shape", [(2, 8, 5), (5, 8)])
def test_leading_singular_values(lib: Any, shape: tuple[int, ...]) -> None:
    """Of matrices of rank 2 all is found, on whichever side they are longer."""
    x = reals(lib, *shape[:-1], 2) @ reals(lib, *shape[:-2], 2, shape[-1], seed=1)
    shift = reals(lib, shape[-1], seed=2)
    u, s, v = lib.svd_lowrank(x + shift, 3, M=shift.expand(x.shape))
    np.testing.assert_allclose(array(u @ lib.diag_embed(s) @ v.mH), array(x), atol=1e-9)
    np.testing.assert_allclose(array(s), np.linalg.svd(array(x), compute_uv=False)[..., :3], atol=1e-9)


def test_principal_components(lib: Any) -> None:
    """The singular values of the centred rows."""
    x = reals(lib, 7, 4) + 3
    _, s, v = lib.pca_lowrank(x)
    np.testing.assert_allclose(array(s), np.linalg.svd(array(x) - array(x).mean(0), compute_uv=False), rtol=1e-9)
    assert v.shape == (4, 4)
    np.testing.assert_allclose(array(lib.pca_lowrank(x, 4, center=False)[1]), np.linalg.svd(array(x))[1], rtol=1e-9)
    for arguments in ((5,), (2, True, -1)):
        with pytest.raises(ValueError, match="must be non-negative integer"):
            lib.pca_lowrank(x, *arguments)
