"""Programs of users whose loops take each way there is: values beside NumPy in float64, along every dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

Array = np.ndarray
SPEC = """
- name: shares(Tensor self, int dim=-1) -> (Tensor share, Tensor raised)
  dtypes: [float]
  dtype: same
  rows: |
    raised = exp(self - max(self))
    share = raised / sum(raised)
  samples: ["self=T(3, 4)", "self=T(3, 4, 2), dim=1"]
  doc: "What takes long is an output itself."

- name: masked_shares(Tensor self, Tensor mask, int dim=-1) -> Tensor
  dtypes: [float]
  dtype: same
  rows: |
    kept = where(mask, self, -1e30)
    raised = exp(kept - max(kept))
    result = raised * (1 / sum(raised))
  mask: non_differentiable
  samples: ["self=T(3, 4), mask=B(3, 4)", "self=T(3, 4, 2), mask=B(3, 4, 2), dim=1"]
  doc: "The extreme of an expression bounds the exponential."

- name: entropy(Tensor self, Tensor scale, int dim=-1) -> (Tensor value, Tensor share)
  dtypes: [float]
  dtype: match
  rows: |
    scaled = self * exp(scale_row)
    top = max(scaled)
    total = log(sum(exp(scaled - top)))
    share = exp(scaled - top - total)
    value = total - sum(share * (scaled - top)) + log(1 + total * total)
  samples: ["self=T(3, 4), scale=T(3)", "self=T(3, 4, 2), scale=T(3, 2), dim=1"]
  doc: "Numbers that take long, twice, and one number a row from outside."

- name: spread(Tensor self, int dim=-1, float width=2.0) -> Tensor
  dtypes: [float]
  dtype: same
  rows: |
    low = min(self)
    raised = exp(low - self)
    wide = sqrt(raised + 1)
    inner = exp(self - low - width)
    result = (raised * wide + inner) / (max(wide * raised) + sum(inner) / sum(wide))
  self: not_implemented("a test of values")
  samples: ["self=T(3, 4)", "self=T(3, 4, 2), dim=1"]
  doc: "Two statements that take long, of which the output's place holds one."

- name: unit_rows(Tensor self, Tensor? gain, int[1]? dim=None, bool keepdim=False) -> (Tensor unit, Tensor length)
  dtypes: [float]
  dtype: match
  rows: |
    total = sum(self * self)
    far = not 1e-30 <= total <= 1e30
    top = octave(max(abs(self)))
    ratio = self / top
    length = sqrt(sum(ratio * ratio)) * top if far else sqrt(total)
    unit = self / length * (gain_ or 2.0)
  output_differentiability: [False, False]
  samples: ["self=T(3, 4), gain=T(4), dim=[1]", "self=T(3, 4, 2), gain=None"]
  doc: "What few rows need is computed for these; an array that may be None, several dimensions."

- name: sums_of_rows(bool[] output_mask, Tensor self, Tensor share, int[] dim) -> (Tensor product, Tensor total)
  dtypes: [float]
  dtype: match
  rows: |
    product = self * share_row
    total = sum_rows(product * product)
  output_differentiability: [False, False]
  samples: ["output_mask=[True, True], self=T(3, 4), share=T(3), dim=[1]"]
  doc: "A sum over rows, beside rows."

- name: root_mean_square(Tensor self, int[1]? dim=None, bool keepdim=False) -> Tensor
  dtypes: [int, float, complex]
  dtype: float
  result_dtype: real
  rows: "result = sqrt(mean(self * self))"
  other_dtypes: (abs(self) ** 2).mean(dim, keepdim) ** 0.5
  output_differentiability: [False]
  samples: ["self=T(3, 4), dim=[1]"]
  doc: "Complex numbers are left to an expression."
"""
LAYOUTS = [((5, 7), 1), ((7, 5), 0), ((3, 300, 40), 1), ((2, 3000), 1), ((40, 3), 0), ((6, 20, 3), 1), ((2, 8, 300), 1)]


@pytest.fixture(scope="module")
def ops(tmp_path_factory: pytest.TempPathFactory, build: Callable[..., Any]) -> Any:
    folder = tmp_path_factory.mktemp("programs")
    (folder / "loops.yaml").write_text(SPEC, encoding="utf-8")
    return build(folder / "loops.yaml", "loop_ops", "--no-verify")


def softmax(x: Array, dim: int) -> Array:
    raised = np.exp(x - x.max(dim, keepdims=True))
    share: Array = raised / raised.sum(dim, keepdims=True)
    return share


@pytest.mark.parametrize(("dtype", "tolerance"), [(sg.float64, 1e-11), (sg.float32, 2e-5), (sg.bfloat16, 5e-2)])
@pytest.mark.parametrize(("shape", "dim"), LAYOUTS)
def test_values(ops: Any, shape: tuple[int, ...], dim: int, dtype: Any, tolerance: float) -> None:
    """Outputs that hold what rows retain, masks, logarithms of several rows, bounds of exponentials."""
    rng = np.random.default_rng(0)
    given, scale = sg.tensor(rng.normal(size=shape)).to(dtype), rng.normal(size=np.delete(shape, dim)) * 0.3
    scale_row, mask = sg.tensor(scale).to(dtype), rng.random(shape) < 0.8
    x = given.double().numpy()
    factor = np.exp(np.expand_dims(scale_row.double().numpy(), dim))
    top, low = (x * factor).max(dim, keepdims=True), x.min(dim, keepdims=True)
    total = np.log(np.exp(x * factor - top).sum(dim, keepdims=True))
    share = softmax(x * factor, dim)
    value = total - (share * (x * factor - top)).sum(dim, keepdims=True) + np.log(1 + total * total)
    raised, inner = np.exp(low - x), np.exp(x - low - 2)
    wide = np.sqrt(raised + 1)
    most, part = (wide * raised).max(dim, keepdims=True), inner.sum(dim, keepdims=True) / wide.sum(dim, keepdims=True)
    found = [*ops.shares(given, dim), ops.masked_shares(given, sg.tensor(mask), dim)]
    found += [*ops.entropy(given, scale_row, dim), ops.spread(given, dim)]
    right = [softmax(x, dim), np.exp(x - x.max(dim, keepdims=True)), softmax(np.where(mask, x, -1e30), dim)]
    right += [value.squeeze(dim), share, (raised * wide + inner) / (most + part)]
    for one, other in zip(found, right, strict=True):
        np.testing.assert_allclose(one.double().numpy(), other, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("scale", [1.0, 1e25, 1e-25, 0.0])
@pytest.mark.parametrize(("shape", "dim"), [*LAYOUTS, ((3, 4, 20, 5), (1, 2)), ((4, 3, 5), (0, 2)), ((30, 20), None)])
def test_few_rows_need_more(ops: Any, shape: tuple[int, ...], dim: Any, scale: float) -> None:
    """Every second row has squares beyond float32; what stands for a gain that is None."""
    x = np.random.default_rng(0).normal(size=shape).astype("f")
    dims = tuple(range(len(shape))) if dim is None else (dim,) if isinstance(dim, int) else dim
    rows = tuple(1 if d in dims else n for d, n in enumerate(shape))
    x *= np.where(np.arange(np.prod(rows)).reshape(rows) % 2, 1, np.float32(scale))
    length = np.sqrt((x.astype("d") ** 2).sum(dims, keepdims=True))
    gain = np.arange(1.0, 1 + np.prod([shape[d] for d in dims])).reshape([shape[d] for d in dims])
    seen = gain.reshape([n if d in dims else 1 for d, n in enumerate(shape)])
    for given, factor in ((None, 2), (sg.tensor(gain.astype("f")), seen)):
        unit, found = ops.unit_rows(sg.tensor(x), given, dim, True)
        with np.errstate(all="ignore"):
            np.testing.assert_allclose(unit.double().numpy(), x / length * factor, rtol=1e-5)
        np.testing.assert_allclose(found.double().numpy(), length, rtol=1e-5)


@pytest.mark.parametrize("dtype", [sg.int64, sg.float32, sg.float16, sg.complex128])
@pytest.mark.parametrize("dim", [(0,), (2,), (0, 1), (0, 2), (1, 3), (0, 2, 3), (0, 1, 2, 3)])
def test_any_dims_of_any_layout(ops: Any, dim: tuple[int, ...], dtype: Any) -> None:
    """Rows, columns and pieces, of contiguous and of transposed tensors; complex numbers are left to an expression."""
    x = np.random.default_rng(0).integers(-9, 9, (2, 3, 4, 5)) * (1 + 1j * (dtype is sg.complex128))
    for order in ((0, 1, 2, 3), (3, 1, 0, 2), (2, 3, 1, 0)):
        stored = sg.tensor(x.transpose(order) if dtype is sg.complex128 else x.real.transpose(order)).to(dtype)
        for given in (stored, stored[..., ::2], stored.permute(2, 0, 3, 1)):
            array = np.abs(given.to(sg.complex128).numpy())
            for keepdim in (False, True):
                found = ops.root_mean_square(given, dim, keepdim)
                assert not found.is_complex() and found.is_floating_point()
                right = np.sqrt((array**2).mean(dim, keepdims=keepdim))
                np.testing.assert_allclose(found.double().numpy(), right, 1e-3 if dtype is sg.float16 else 1e-6)


@pytest.mark.parametrize("dtype", [sg.float64, sg.float32, sg.float16])
@pytest.mark.parametrize(
    ("shape", "dim"), [((5, 7), [1]), ((300, 33), [1]), ((4, 3, 5), [1, 2]), ((4, 3, 5), [0, 2]), ((4, 5), [0])]
)
def test_sums_over_rows(ops: Any, shape: tuple[int, ...], dim: list[int], dtype: Any) -> None:
    """All outputs, and those that are wanted alone."""
    x = sg.tensor(np.random.default_rng(0).normal(size=shape)).to(dtype)
    rows = tuple(d for d in range(len(shape)) if d not in dim)
    share = sg.tensor(np.random.default_rng(1).normal(size=[shape[d] for d in rows])).to(dtype)
    factor = share.double().numpy().reshape([n if d in rows else 1 for d, n in enumerate(shape)])
    product = x.double().numpy() * factor
    tolerance = 1e-12 if dtype is sg.float64 else 1e-2
    for wanted in ([True, True], [True, False], [False, True]):
        found = ops.sums_of_rows(wanted, x, share, dim)
        for one, right, yes in zip(found, (product, (product**2).sum(rows)), wanted, strict=True):
            if yes:
                np.testing.assert_allclose(one.double().numpy(), right, rtol=tolerance, atol=tolerance)
