"""Samples of images at the points of a grid: values and gradients beside a reference, layouts, and what is outside."""

from itertools import product
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.autograd import gradcheck, gradgradcheck
from specgrad.nn.functional import grid_sample
from tests.ops.image.references import grid_sampler

Array = Any
MODES, PADDINGS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
KINDS = list(product(MODES, PADDINGS, (False, True)))
SIZES = [((2, 3, 4, 5), (2, 9, 17, 2)), ((1, 2, 1, 3), (1, 2, 3, 2)), ((2, 2, 2, 3, 4), (2, 3, 7, 7, 3))]
CASES = [(*kind, *sizes) for kind in KINDS for sizes in SIZES if kind[0] != "bicubic" or len(sizes[0]) == 4]
TOLERANCE = {"float32": 2e-5, "float64": 1e-12}


def sampled(*shape: int, seed: int = 0, read_extent: float = 1.0) -> Array:
    """Numbers of float64 that are exact in float32."""
    return np.random.default_rng(seed).uniform(-read_extent, read_extent, shape).astype(np.float32).astype(np.float64)


def reference(x: Array, grid: Array, mode: str, padding: str, align: bool) -> Array:
    """Each place by itself, in float64."""
    return grid_sampler(x, grid, MODES.index(mode), PADDINGS.index(padding), align)


def gradients(x: Array, grid: Array, grad: Array, *kind: Any) -> tuple[Array, Array]:
    """Those of the image by the weights of its pixels, which samples of single ones are; of the grid by differences."""
    area, step = int(np.prod(x.shape[2:])), 1e-6
    ones = np.broadcast_to(np.eye(area).reshape(area, *x.shape[2:]), (len(x), area, *x.shape[2:]))
    weights = reference(ones, grid, *kind).reshape(len(x), area, -1)
    image = np.einsum("ncp,nip->nci", grad.reshape(*x.shape[:2], -1), weights).reshape(x.shape)
    moves = np.eye(grid.shape[-1]) * step
    derivatives = [reference(x, grid + move, *kind) - reference(x, grid - move, *kind) for move in moves]
    return image, np.stack([(derivative * grad).sum(1) for derivative in derivatives], -1) / (2 * step)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("mode", "padding", "align", "shape", "points"), CASES)
def test_values_and_gradients(
    mode: str, padding: str, align: bool, shape: tuple[int, ...], points: tuple[int, ...], dtype: str
) -> None:
    """Of more points than a block has, some far outside; of images of one row; of both gradients, and of each alone."""
    x, grid = sampled(*shape), sampled(*points, seed=1, read_extent=2.3)
    grad = sampled(*shape[:2], *points[1:-1], seed=2)
    given = [sg.tensor(a, dtype=getattr(sg, dtype)) for a in (x, grid)]
    right, small = reference(x, grid, mode, padding, align), TOLERANCE[dtype]
    derivatives = gradients(x, grid, grad, mode, padding, align)
    for requested in ((True, True), (True, False), (False, True), (True, True)):  # the last by what has been found
        leaves = [a.clone().requires_grad_(yes) for a, yes in zip(given, requested, strict=True)]
        found = grid_sample(*leaves, mode, padding, align)
        assert found.shape == right.shape and np.allclose(found.detach().numpy(), right, small, small)
        found.backward(sg.tensor(grad, dtype=found.dtype))
        for leaf, derivative, yes in zip(leaves, derivatives, requested, strict=True):
            assert (leaf.grad is not None) == yes
            assert not yes or np.allclose(leaf.grad.numpy(), derivative, 20 * small, 20 * small + 1e-8)


@pytest.mark.parametrize(("mode", "padding", "align"), KINDS)
def test_formulas(mode: str, padding: str, align: bool) -> None:
    """The kernel's gradients are those that are differentiated again, in either mode."""
    x, grid = sg.tensor(sampled(1, 2, 3, 4), requires_grad=True), sg.tensor(sampled(1, 2, 3, 2, seed=4) * 1.5)
    grid.requires_grad_()

    def function(x: Any, grid: Any) -> Any:
        return grid_sample(x, grid, mode, padding, align)

    assert gradcheck(function, (x, grid), check_forward_ad=True)
    assert gradgradcheck(function, (x, grid))
    by_kernel = sg.autograd.grad(function(x, grid).square().sum(), (x, grid))
    recorded = sg.autograd.grad(function(x, grid).square().sum(), (x, grid), create_graph=True)
    for a, b in zip(by_kernel, recorded, strict=True):
        assert np.allclose(a.numpy(), b.detach().numpy(), 1e-13, 1e-13)


@pytest.mark.parametrize("mode", MODES)
def test_any_layout(mode: str) -> None:
    """Images and grids that are transposed, cut or expanded give the bits of copies, and so do their gradients."""
    x, grid = sg.tensor(sampled(2, 4, 5, 3), dtype=sg.float32), sg.tensor(sampled(2, 2, 6, 4), dtype=sg.float32)
    views = [
        (x.permute(0, 3, 1, 2), grid.permute(0, 2, 3, 1)),
        (x[:, 1:, ::2], grid[:, :, ::3, 1:3]),
        (x[:1].expand(2, 4, 5, 3), grid[:, :1, :1, :2].expand(2, 4, 3, 2)),
    ]
    for x, grid in views:
        for grad_of in (lambda y: y, lambda y: y.transpose(2, 3)):
            results = []
            for pair in ((x, grid), (x.contiguous(), grid.contiguous())):
                leaves = [a.detach().requires_grad_() for a in pair]
                y = grid_sample(*leaves, mode, "reflection", False)
                grad_of(y).backward(sg.ones_like(grad_of(y)) * 0.3)
                results.append([y.detach(), *[leaf.grad for leaf in leaves]])
            assert all(sg.equal(a, b) for a, b in zip(*results, strict=True))


@pytest.mark.parametrize(
    ("mode", "padding", "align", "lead"),
    [(*kind, lead) for kind in KINDS for lead in ((), (1,)) if not lead or kind[0] != "bicubic"],
)
def test_no_numbers(mode: str, padding: str, align: bool, lead: tuple[int, ...]) -> None:
    """Points at nan read nothing and get no gradient, nor do those at infinity; the others are as without them."""
    x = sg.tensor(sampled(1, 2, *lead, 3, 4), requires_grad=True)
    rest = [0.1] * len(lead)
    common = [[0.2, -0.3, *rest], [0.5, 0.5, *rest]]
    odd = [[nan, 0.0, *rest], [0.0, nan, *rest]] + (
        [[inf, 0.0, *rest], [1e30, -3e9, *rest]] if padding == "zeros" else []
    )
    shape = (1, *(1,) * len(lead), 1, -1, 2 + len(lead))
    grid = sg.tensor(odd + common, dtype=sg.float64).reshape(shape).requires_grad_()
    alone = sg.tensor(common, dtype=sg.float64).reshape(shape).requires_grad_()
    y, same = (grid_sample(x, points, mode, padding, align) for points in (grid, alone))
    assert (y[..., : len(odd)] == 0).all() and sg.equal(y[..., len(odd) :], same)
    image, points = sg.autograd.grad(y.sum(), (x, grid))
    for found, right in zip((image, points[..., len(odd) :, :]), sg.autograd.grad(same.sum(), (x, alone)), strict=True):
        assert sg.equal(found, right)
    assert (points[..., : len(odd), :] == 0).all()


@pytest.mark.parametrize("mode", MODES)
def test_pixels_without_numbers(mode: str) -> None:
    """What lies outside is not read: an infinite pixel counts for the points around it alone."""
    x = sg.ones(1, 1, 3, 4)
    x[0, 0, 0, 0] = inf
    grid = sg.tensor([[[[-5.0, -5.0], [0.9, 0.9], [5.0, 0.0], [-0.75, -2 / 3]]]])
    found = grid_sample(x, grid, mode, align_corners=False).flatten().tolist()
    assert found[0] == found[2] == 0 and np.isfinite(found[1]) and not np.isfinite(found[3])


def test_slopes_at_the_border() -> None:
    """A point on the border, or beyond it, has none along that dimension."""
    x = sg.arange(12.0).reshape(1, 1, 3, 4)
    grid = sg.tensor([[[[-1.0, 0.5], [1.0, 0.5], [3.0, 0.5], [0.1, 1.0]]]], requires_grad=True)
    grid_sample(x, grid, "bilinear", "border", True).sum().backward()
    assert grid.grad[0, 0].tolist() == [[0, 4], [0, 4], [0, 4], [1.5, 0]]


@pytest.mark.parametrize(
    ("shape", "points"),
    [
        ((0, 2, 3, 4), (0, 5, 2, 2)),
        ((2, 0, 3, 4), (2, 5, 2, 2)),
        ((2, 2, 3, 4), (2, 0, 2, 2)),
        ((1, 2, 2, 3, 4), (1, 2, 0, 2, 3)),
    ],
)
def test_nothing_to_sample(shape: tuple[int, ...], points: tuple[int, ...]) -> None:
    """Of no samples, channels or points there is no number, and gradients of what there is are zeros."""
    x, grid = sg.ones(shape, requires_grad=True), sg.zeros(points, requires_grad=True)
    for create_graph in (False, True):
        y = grid_sample(x, grid, align_corners=False)
        assert y.shape == (*shape[:2], *points[1:-1])
        found = sg.autograd.grad(y.sum(), (x, grid), create_graph=create_graph)
        assert [a.shape for a in found] == [shape, points] and not any(a.any() for a in found)


@pytest.mark.parametrize("mode", MODES)
def test_threads(mode: str) -> None:
    """Any number of them gives the same bits."""
    x, grid = sg.tensor(sampled(3, 5, 40, 30), dtype=sg.float32), sg.tensor(sampled(3, 90, 70, 2), dtype=sg.float32)
    before, results = sg.get_num_threads(), []
    try:
        for threads in (1, 2, 5):
            sg.set_num_threads(threads)
            leaves = [a.clone().requires_grad_() for a in (x, grid)]
            y = grid_sample(*leaves, mode, align_corners=False)
            y.square().sum().backward()
            results.append([y.detach(), *[leaf.grad for leaf in leaves]])
    finally:
        sg.set_num_threads(before)
    assert all(sg.equal(a, b) for others in results[1:] for a, b in zip(results[0], others, strict=True))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("mode", MODES)
def test_halves(mode: str, dtype: str) -> None:
    """16-bit floats are widened, and what comes out is rounded once; so are their gradients."""
    short = getattr(sg, dtype)
    given = [sg.tensor(sampled(*shape), dtype=short) for shape in ((1, 2, 3, 4), (1, 5, 5, 2))]
    for _ in range(3):
        halves, wide = ([a.to(kind).detach().requires_grad_() for a in given] for kind in (short, sg.float32))
        y, right = (grid_sample(*pair, mode, "border", False) for pair in (halves, wide))
        assert y.dtype == short and sg.equal(y, right.to(short))
        y.backward(sg.ones_like(y))
        right.backward(sg.ones_like(right))
        assert all(sg.equal(a.grad, b.grad.to(short)) for a, b in zip(halves, wide, strict=True))


def test_out() -> None:
    """What `out` names gets the samples."""
    x, grid, out = (
        sg.tensor(sampled(1, 2, 3, 4)),
        sg.tensor(sampled(1, 3, 3, 2)),
        sg.empty(1, 2, 3, 3, dtype=sg.float64),
    )
    assert sg.grid_sampler(x, grid, 0, 0, False, out=out) is out
    assert sg.equal(out, sg.grid_sampler(x, grid, 0, 0, False))
