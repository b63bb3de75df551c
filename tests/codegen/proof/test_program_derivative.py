"""Gradients and tangents that are derived from row programs: proved by `verify`, and beside closed forms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.codegen.proof.derive import load_spec, missing_derivative
from tests.examples import close

SPEC = """
- section: Rows
  about: Rows of one size.
  defaults: {dtypes: [float], dtype: match}

- name: normed(Tensor self, Tensor gain, int dim=-1, float eps=1e-5) -> (Tensor result, Tensor width)
  rows: |
    centre = mean(self)
    width = sqrt(mean((self - centre) ** 2) + eps)
    result = (self - centre) / width * gain_
  samples: ["self=T(3, 4), gain=T(4)", "self=T(3, 4, 2), gain=T(4), dim=1"]
  doc: "(x - mean) g / sqrt(variance + eps), and the root."

- name: soft_max(Tensor self, int dim=-1, bool keepdim=False) -> Tensor
  rows: |
    top = max(self)
    result = log(sum(exp(self - top))) + top
  samples: ["self=T(3, 4)", "self=T(3, 4, 2), dim=0, keepdim=True"]
  doc: "ln of the sum of e^x."

- name: apart(Tensor self, Tensor other, Tensor weight) -> Tensor
  rows: |
    far = (self - other) * weight_row
    result = sum(far * far / 2 if abs(far) < 1 else abs(far) - 0.5)
  samples: ["self=T(3, 4), other=T(3, 4), weight=T(3)"]
  doc: "Huber's distance of two rows with a weight for each."

- name: tilted(Tensor self, Tensor mask, float q=0.9) -> Tensor
  mask: non_differentiable
  rows: "result = self * (q if mask else q - 1)"
  samples: ["self=T(2, 3), mask=B(2, 3)"]
  doc: "x times one of two numbers, that of the pinball loss."
"""


@pytest.fixture(scope="module")
def derived_ops(tmp_path_factory: pytest.TempPathFactory, build: Callable[..., Any]) -> Any:
    """A package of ops without a formula: it is written only where `verify` has found nothing."""
    root = tmp_path_factory.mktemp("derived")
    (root / "rows.yaml").write_text(SPEC, encoding="utf-8")
    return build(root / "rows.yaml", "derived_ops")


X = np.random.default_rng(0).normal(size=(5, 4, 3))


def test_a_norm(derived_ops: Any) -> None:
    """Beside layer norm's closed form; along another dimension than the last."""
    gain, grad = np.arange(1.0, 5.0), np.cos(X)
    x, g = sg.tensor(X, requires_grad=True), sg.tensor(gain, requires_grad=True)
    result, _ = derived_ops.normed(x, g, 1, 0.1)
    result.backward(sg.tensor(grad))
    centred = X - X.mean(1, keepdims=True)
    width = np.sqrt((centred**2).mean(1, keepdims=True) + 0.1)
    unit, gained = centred / width, grad * gain[:, None]
    rest = gained.mean(1, keepdims=True) + unit * (gained * unit).mean(1, keepdims=True)
    close(x.grad, (gained - rest) / width)
    close(g.grad, (grad * unit).sum((0, 2)))


def test_logsumexp(derived_ops: Any) -> None:
    """Its gradient is softmax, its second derivative that of softmax; both modes."""
    x = sg.tensor(X[0])
    soft = np.exp(X[0]) / np.exp(X[0]).sum(-1, keepdims=True)
    close(sg.func.grad(lambda x: derived_ops.soft_max(x).sum())(x), soft)
    close(sg.func.jvp(derived_ops.soft_max, (x,), (x,))[1], (soft * X[0]).sum(-1))
    hessian = sg.func.hessian(lambda x: derived_ops.soft_max(x, keepdim=True).sum())(x[0])
    close(hessian, np.diag(soft[0]) - np.outer(soft[0], soft[0]))


def test_numbers_of_rows(derived_ops: Any) -> None:
    """Rows and numbers of rows take part in what is summed over them."""
    values = X[:3, :, 0], X[:3, :, 1], np.array([0.5, 1.0, 4.0])
    tensors = [sg.tensor(value, requires_grad=True) for value in values]
    derived_ops.apart(*tensors).sum().backward()
    far = (values[0] - values[1]) * values[2][:, None]
    slope = np.clip(far, -1, 1)
    close(tensors[0].grad, slope * values[2][:, None])
    close(tensors[1].grad, -slope * values[2][:, None])
    close(tensors[2].grad, (slope * (values[0] - values[1])).sum(1))


def test_numbers_that_a_mask_chooses_are_of_the_dtype_of_rows(derived_ops: Any) -> None:
    """Float64 stays exact; the mask may be of integers."""
    mask = sg.tensor([[True, False, True], [False, False, True]])
    for chosen in (mask, mask.long() * 2):
        x = sg.zeros(2, 3, dtype=sg.float64, requires_grad=True)
        derived_ops.tilted(x, chosen).sum().backward()
        close(x.grad, np.where(mask.numpy(), 0.9, 0.9 - 1))


UNKNOWN = {
    "result = sum(self) * prod(self)": "the derivative of prod",
    "result = self * i": "a program that reads i",
    "result = at(self, 0) * self": "the derivative of at",
}


@pytest.mark.parametrize("program", UNKNOWN)
def test_what_has_no_known_derivative_is_said(program: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(f"- name: shown(Tensor self) -> Tensor\n  dtypes: [float]\n  rows: {program}\n", encoding="utf-8")
    (entry,) = load_spec(path)[0].entries
    assert missing_derivative(entry) == UNKNOWN[program]
