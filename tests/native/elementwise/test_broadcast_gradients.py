"""Gradients of operands that were broadcast, by native code: what is read is brought into the gradient's shape, and
what comes is added up for smaller inputs. Against the same with operands that were expanded before, in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

OPS: dict[str, Callable[[Any, Any], Any]] = {
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "atan2": sg.atan2,
    "hypot": sg.hypot,
    "where": lambda x, y: sg.where(x > 1.5, x, y),
}
SHAPES = [
    ((2, 4, 16, 8), (16, 8)),
    ((16, 8), (2, 4, 16, 8)),
    ((5, 1), (7,)),
    ((3, 4), ()),
    ((2, 3), (1, 1)),
    ((0, 3), (3,)),
]
rng = np.random.default_rng(0)


def sampled(shape: tuple[int, ...], dtype: Any, separate: bool) -> Any:
    """Numbers between 1 and 2; every second one of others, in dimensions that have changed places."""
    transposed = (*shape[:-1], 2 * shape[-1])[::-1] if separate and shape else shape
    leaf = sg.tensor(rng.uniform(1, 2, transposed)).to(dtype).requires_grad_()
    return leaf, leaf.permute(*range(leaf.ndim)[::-1])[..., ::2] if separate and shape else leaf


@pytest.mark.parametrize("separate", [False, True])
@pytest.mark.parametrize("requested", ["first", "second", "both"])
@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize(("dtype", "tolerance"), [(sg.float32, 2e-5), (sg.float64, 1e-13)])
@pytest.mark.parametrize("name", OPS)
def test_values(name: str, dtype: Any, tolerance: float, shapes: Any, requested: str, separate: bool) -> None:
    for above in ("rows", "one number", "transposed"):
        (a, x), (b, y) = (sampled(shape, dtype, separate) for shape in shapes)
        x, y = (x.detach() if requested == "second" else x), (y.detach() if requested == "first" else y)
        leaves = [leaf for leaf, side in ((a, "first"), (b, "second")) if requested in (side, "both")]
        found = OPS[name](x, y)
        given = sg.tensor(rng.uniform(1, 2, found.shape)).to(dtype)
        if above == "one number":
            given = sg.full((), 1.5, dtype=dtype).expand(found.shape)
        elif above == "transposed":
            given = given.permute(*range(given.ndim)[::-1]).contiguous().permute(*range(given.ndim)[::-1])
        gradients = sg.autograd.grad(found, leaves, given)
        wide = {leaf: leaf.detach().double().requires_grad_() for leaf in (a, b)}
        p, q = (
            wide[leaf].permute(*range(leaf.ndim)[::-1])[..., ::2] if separate and leaf.ndim else wide[leaf]
            for leaf in (a, b)
        )
        p, q = (t.expand(found.shape).contiguous() for t in (p, q))
        expected = sg.autograd.grad(OPS[name](p, q), [wide[leaf] for leaf in leaves], given.double())
        for gradient, other, leaf in zip(gradients, expected, leaves, strict=True):
            assert gradient.shape == leaf.shape and gradient.dtype is dtype
            np.testing.assert_allclose(gradient.numpy(), other.numpy(), rtol=tolerance, atol=tolerance)


def test_native_code_answers() -> None:
    """Of few elements; of many, and of 16 bits, Python does."""
    scale = sg.rand(16, 8)
    for shape, dtype, native in (((2, 4, 16, 8), sg.float32, True), ((300, 16, 8), sg.float32, False)):
        x = sg.rand(*shape, dtype=dtype, requires_grad=True)
        node = (x * scale).grad_fn
        assert (gradients_of(node, sg.ones(shape, dtype=dtype)) is not None) is native
    x = sg.rand(2, 16, 8).bfloat16().requires_grad_()
    node = (x * scale.bfloat16()).grad_fn
    assert gradients_of(node, sg.ones(2, 16, 8, dtype=sg.bfloat16)) is None


def gradients_of(node: Any, gradient: Any) -> Any:
    """What native code answers where no graph is recorded."""
    with sg.no_grad():
        return node.elementwise.gradients(node, gradient)


def test_what_was_written_to_since_is_refused() -> None:
    scale, x = sg.rand(8), sg.rand(4, 8, requires_grad=True)
    y = x * scale
    scale.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_products_of_what_lies_in_another_order() -> None:
    """A view of heads, every second number of it, times rows that all heads have: PyTorch's rotary positions."""
    rows, base = sg.rand(16, 8, dtype=sg.float64), sg.rand(2, 16, 4, 16, dtype=sg.float64)
    heads = base.transpose(1, 2)[..., ::2]
    expected = base.numpy().transpose(0, 2, 1, 3)[..., ::2] * rows.numpy()
    for _ in range(2):
        found = heads * rows
        assert np.array_equal(found.numpy(), expected)
        assert found.stride() == (512, 8, 32, 1)
        assert np.array_equal(sg.stack([found, found], -1).flatten(-2).numpy(), np.repeat(expected, 2, -1))
