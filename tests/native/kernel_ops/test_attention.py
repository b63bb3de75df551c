"""Attention by plans: in any order of batch, heads and rows, causal, with fewer heads of keys, in 16 bits."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.nn.functional import scaled_dot_product_attention as attend

OPS: Any = sys.modules["specgrad.generated.ops.attention"]
SIZES = {"square": (2, 4, 4, 16, 16, 8, 8), "apart": (1, 2, 2, 5, 9, 3, 4), "grouped": (2, 4, 2, 7, 7, 8, 8)}
rng = np.random.default_rng(0)


def by_hand(q: Any, k: Any, v: Any, causal: bool) -> Any:
    """softmax(Q K^T / sqrt(E)) V, op by op."""
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    scores = q @ k.transpose(2, 3) / q.shape[3] ** 0.5
    if causal:
        scores = scores.masked_fill(~sg.ones(scores.shape[2:], dtype=sg.bool).tril(), -float("inf"))
    return scores.softmax(3) @ v


def sampled(size: str, rows_first: bool, dtype: Any) -> list[Any]:
    batch, heads, key_heads, queries, keys, width, value_width = SIZES[size]
    shapes = [(batch, heads, queries, width), (batch, key_heads, keys, width), (batch, key_heads, keys, value_width)]
    if rows_first:
        shapes = [(b, rows, h, features) for b, h, rows, features in shapes]
    return [sg.tensor(rng.normal(size=shape)).to(dtype).requires_grad_() for shape in shapes]


@pytest.mark.parametrize("rows_first", [False, True])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("dtype", "tolerance"), [(sg.float32, 1e-5), (sg.float64, 1e-13), (sg.float16, 1e-2)])
def test_values_and_gradients(size: str, causal: bool, rows_first: bool, dtype: Any, tolerance: float) -> None:
    """Against the same in float64 by several ops; twice, as native code runs plans from the second call on."""
    given = sampled(size, rows_first, dtype)
    plain = [t.detach().double().requires_grad_() for t in given]
    seen = [[t.transpose(1, 2) if rows_first else t for t in ts] for ts in (given, plain)]
    expected = by_hand(*seen[1], causal)
    weights = sg.tensor(rng.normal(size=expected.shape))
    (expected * weights).sum().backward()
    for _ in range(2):
        found = attend(*seen[0], is_causal=causal, enable_gqa=True)
        gradients = sg.autograd.grad((found.double() * weights).sum(), given)
        close(found, expected, tolerance)
        for gradient, other in zip(gradients, plain, strict=True):
            close(gradient, other.grad, tolerance)
    table = OPS.ATTENTION.cached_float16 if dtype is sg.float16 else OPS.ATTENTION.cached
    assert any(plan is not None for plan in table.values())


def close(found: Any, expected: Any, tolerance: float) -> None:
    np.testing.assert_allclose(found.detach().double().numpy(), expected.detach().numpy(), rtol=0, atol=8 * tolerance)


def test_some_gradients_alone() -> None:
    """Those that nobody asks for are not computed, and the others are as before."""
    given = sampled("square", False, sg.float64)
    all_three = sg.autograd.grad(attend(*given).square().sum(), given)
    for i, expected in enumerate(all_three):
        fixed = [t if k == i else t.detach() for k, t in enumerate(given)]
        for _ in range(2):
            (found,) = sg.autograd.grad(attend(*fixed).square().sum(), [given[i]])
            assert np.array_equal(found.numpy(), expected.numpy())


MASKS = {"rows": (5, 9), "heads": (1, 3, 5, 9), "batches": (2, 1, 1, 9), "all": (2, 3, 5, 9), "keys": (9,)}


@pytest.mark.parametrize("shape", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("kind", ["bool", "float", "gradient"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(sg.float32, 1e-5), (sg.float64, 1e-13), (sg.float16, 1e-2)])
def test_masks(shape: tuple[int, ...], kind: str, dtype: Any, tolerance: float) -> None:
    """What may be looked at, or is added to scores, broadcasts; against the same in float64 by several ops."""
    sizes = (2, 3, 5, 4), (2, 3, 9, 4), (2, 3, 9, 6)
    q, k, v = (sg.tensor(rng.normal(size=size)).to(dtype).requires_grad_(kind == "gradient") for size in sizes)
    added = sg.tensor(rng.normal(size=shape)).to(dtype)
    if kind == "bool":
        added = sg.where(added > -0.5, 0.0, -float("inf")).to(dtype)
    mask = added == 0 if kind == "bool" else added.requires_grad_(kind == "gradient")
    wide = [t.detach().double() for t in (q, k, v)]
    weights = (wide[0] @ wide[1].transpose(2, 3) / 2 + added.detach().double()).softmax(3)
    expected = weights.nan_to_num(0.0) @ wide[2]  # a query that may look at nothing gets zeros
    for _ in range(3):
        close(attend(q, k, v, mask), expected, tolerance)
    table = OPS.ATTENTION.cached_float16 if dtype is sg.float16 else OPS.ATTENTION.cached
    used = (4 - len(shape)) * (1,) + shape
    assert any(plan is not None and used in key for key, plan in table.items())


@pytest.mark.parametrize("shape", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("kind", ["bool", "float", "learned", "dropped"])
@pytest.mark.parametrize(("dtype", "tolerance"), [(sg.float32, 1e-5), (sg.float64, 1e-13), (sg.float16, 2e-2)])
def test_gradients_with_masks(shape: tuple[int, ...], kind: str, dtype: Any, tolerance: float) -> None:
    """Of inputs and of a learned bias, by plans; against the same in float64 by several ops."""
    sizes = (2, 3, 5, 4), (2, 3, 9, 4), (2, 3, 9, 6)
    given = [sg.tensor(rng.normal(size=size)).to(dtype).requires_grad_() for size in sizes]
    added = sg.tensor(rng.normal(size=shape)).to(dtype)
    mask = added > -0.5 if kind == "bool" else added.requires_grad_(kind == "learned")
    given += [mask] if kind == "learned" else []
    loss, above = 0.5 if kind == "dropped" else 0.0, sg.tensor(rng.normal(size=(2, 3, 5, 6)))
    wide = [t.detach().double().requires_grad_() for t in given]
    scores = wide[0] @ wide[1].transpose(2, 3) / 2
    bias = sg.where(mask, 0.0, -float("inf")).double() if kind == "bool" else [*wide, added.detach().double()][3]
    for _ in range(3):
        sg.manual_seed(5)
        gradients = sg.autograd.grad((attend(*given[:3], mask, dropout_p=loss).double() * above).sum(), given)
        sg.manual_seed(5)
        retained = sg.nn.functional.dropout(sg.ones(2, 3, 5, 9), loss).double()
        expected = sg.autograd.grad(
            (((scores + bias).softmax(3).nan_to_num(0.0) * retained) @ wide[2] * above).sum(), wide, retain_graph=True
        )
        for found, other in zip(gradients, expected, strict=True):
            close(found, other.nan_to_num(0.0), tolerance)
    node = OPS.ATTENTION.node.plans
    table = node.cached_float16 if dtype is sg.float16 else node.cached
    assert any(plan is not None and (4 - len(shape)) * (1,) + shape in key for key, plan in table.items())


def test_a_mask_that_was_written_to() -> None:
    """What a mask was when attention was computed is what its gradients need: else an error, also of plans."""
    q, k, v = sampled("square", False, sg.float64)
    mask = sg.ones(16, 16, dtype=sg.bool).tril()
    for _ in range(3):
        attend(q, k, v, mask).sum().backward()
    found = attend(q, k, v, mask)
    mask.logical_not_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        found.sum().backward()


def test_masks_of_any_layout() -> None:
    """Masks whose elements lie apart, and repeated ones, beside others of their shape; a layout has its own plan."""
    q, k, v = (t.detach() for t in sampled("square", False, sg.float64))
    full = sg.ones(16, 16, dtype=sg.bool).tril()
    expected = by_hand(q, k, v, True)
    row = sg.tensor(rng.random(16) > 0.5)
    for _ in range(2):
        for mask in (full, full.T.contiguous().T, full.double().log(), full.T.contiguous().T.double().log()):
            close(attend(q, k, v, mask), expected, 1e-13)
        for mask in (row.expand(16, 16), row.expand(16, 16).contiguous()):
            close(attend(q, k, v, mask), attend(q, k, v, row.double().log()), 1e-13)
        close(attend(q, k, v), by_hand(q, k, v, False), 1e-13)
    with pytest.raises(RuntimeError, match="should not be set when is_causal"):
        attend(q, k, v, full, is_causal=True)


def test_dropout_keeps_some_weights() -> None:
    """With values of 1 outputs are sums of weights that were kept: those of the general path with the same draws."""
    q, k, v = (t.detach() for t in sampled("square", False, sg.float64))
    found = []
    for _ in range(3):
        sg.manual_seed(3)
        found.append(attend(q, k, sg.ones_like(v), dropout_p=0.5).numpy())
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[1], found[2])
    assert abs(found[0].mean() - 1) < 0.1
    assert found[0].std() > 0.05
