"""Derivatives of indexed programs: gradients, their own gradients and tangents beside central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.autograd import gradcheck, gradgradcheck

Array = np.ndarray
SPEC = """
- section: Indexed
  about: Tests.
  defaults: {dtypes: [float], dtype: match}

- name: pairs(Tensor self, Tensor other, float gamma=1.0) -> Tensor
  indexed: result[i, j] = exp(-gamma * sum[k]((self[i, k] - other[j, k]) ** 2))
  verify: off, because this is a test of derivatives
  doc: "A fold inside of an expression."

- name: nearest(Tensor self, Tensor other) -> Tensor
  indexed: result[i] = min[j](sum[k]((self[i, k] - other[j, k]) ** 2))
  verify: off, because this is a test of derivatives
  doc: "An extreme of folds."

- name: most(Tensor self) -> Tensor
  indexed: |
    self: (n, m)
    j: range(1, m)
    result[i] = max[j](self[i, j])
  verify: off, because this is a test of derivatives
  doc: "A range that does not begin at 0."

- name: largest(Tensor self) -> Tensor
  indexed: result = max[i, j](self[i, j]) * 2
  verify: off, because this is a test of derivatives
  doc: "An extreme over two indices."

- name: few_of_a_row(Tensor self) -> Tensor
  indexed: |
    self: (n, m)
    a: range(3)
    part[i, a] = padded(self[i, a], 0.5) ** 2
    result[i] = part[i, 0] * sum[a](part[i, a])
  verify: off, because this is a test of derivatives
  doc: "A range that is no size: more than a row has, or fewer."

- name: most_raised(Tensor self) -> Tensor
  indexed: result = max[i](self[i] * exp(self[i]))
  verify: off, because this is a test of derivatives
  doc: "One element takes a gradient that is not cheap, outside of all loops."

- name: running(Tensor self, Tensor decay) -> Tensor
  indexed: result[t, d] = decay[t, d] * padded(result[t - 1, d], 0) + self[t, d] ** 2
  verify: off, because this is a test of derivatives
  doc: "A recurrence from the front."

- name: backwards(Tensor self) -> Tensor
  indexed: result[t] = sin(padded(result[t + 1], 0.5)) * self[t] + padded(result[t + 2], 1)
  verify: off, because this is a test of derivatives
  doc: "A recurrence from the end."

- name: paths(Tensor self) -> Tensor
  indexed: |
    up = exp(-padded(table[i - 1, j], inf)) + exp(-padded(table[i, j - 1], inf))
    table[i, j] = self[i, j] + (0 if i + j == 0 else -log(up + exp(-padded(table[i - 1, j - 1], inf))))
    self: (n, m)
    result = table[n - 1, m - 1]
  verify: off, because this is a test of derivatives
  doc: "A table."

- name: cell(Tensor self, Tensor weight) -> (Tensor hidden, Tensor state)
  indexed: |
    self: (n, d)
    t: range(n)
    state[t, j] = 0.5 * padded(state[t - 1, j], 1) + sum[e](weight[j, e] * padded(hidden[t - 1, e], 0))
    hidden[t, j] = tanh(state[t, j]) * self[t, j]
  verify: off, because this is a test of derivatives
  doc: "A recurrence of two arrays."

- name: totals(Tensor self, Tensor index, int size=4) -> (Tensor total, Tensor most)
  indexed: |
    total: (size,)
    most: (size,)
    total[index[e]] += self[e] ** 3
    most[index[e]] = max[e](self[e])
  index: non_differentiable
  verify: off, because this is a test of derivatives
  doc: "Scatters."

- name: softmaxes(Tensor self, Tensor index, int size=4) -> Tensor
  indexed: |
    top: (size,)
    top[index[e]] = max[e](self[e])
    part[e] = exp(self[e] - top[index[e]])
    total: (size,)
    total[index[e]] += part[e]
    result[e] = part[e] / total[index[e]]
  index: non_differentiable
  verify: off, because this is a test of derivatives
  doc: "Scatters, and what is read of them."

- name: windows(Tensor self, Tensor weight, int stride=1, int pad=0) -> Tensor
  indexed: |
    self: (c, n)
    weight: (d, c, k)
    x: range((n + 2 * pad - k) // stride + 1)
    result[o, x] = sum[c1, q](padded(self[c1, x * stride + q - pad], 0) * weight[o, c1, q])
  verify: off, because this is a test of derivatives
  doc: "Strides and padding."

- name: sampled(Tensor self, Tensor place) -> Tensor
  indexed: |
    low = int(floor(place[i]))
    part = place[i] - floor(place[i])
    result[i] = padded(self[low], 0) * (1 - part) + padded(self[low + 1], 0) * part
  verify: off, because this is a test of derivatives
  doc: "Places that are computed."

- name: chosen(Tensor self, Tensor mask, bool doubled=False) -> Tensor
  indexed: |
    total = logsumexp[j](self[i, j] if mask[i, j] else -inf) * (2 if doubled else 1)
    result[i] = total + mean[j](self[i, j] ** 2)
  mask: non_differentiable
  verify: off, because this is a test of derivatives
  doc: "Conditions."

- name: bordered(Tensor self) -> Tensor
  indexed: |
    self: (n,)
    i: range(n)
    result[i] = padded(self[i + 1], self[0] ** 2)
  verify: off, because this is a test of derivatives
  doc: "What stands for an element outside has a derivative too."

- name: bordered_twice(Tensor self, Tensor other) -> Tensor
  indexed: |
    result[i] = self[i] + 0.5 * minimum(padded(result[i + 1], other[i]), padded(result[i + 1], other[0]))
  verify: off, because this is a test of derivatives
  doc: "Two things that stand for one element outside."

- name: repeated(Tensor self, Tensor other, Tensor index) -> Tensor
  indexed: result[e] = sum[j](self[index[e]] + other[j])
  index: non_differentiable
  verify: off, because this is a test of derivatives
  doc: "A fold of what lacks its index."

- name: paired(Tensor self, Tensor other) -> Tensor
  indexed: |
    self: (n, m)
    i: range(n)
    i2: range(n)
    table[i, i2] = tanh(self[i, 0] + i2)
    result = other[0] * logsumexp[i, i2](table[i, i2])
  verify: off, because this is a test of derivatives
  doc: "Two indices of one range, and an array of another size."

- name: from_the_end(Tensor self, Tensor other) -> Tensor
  indexed: |
    one[i, j] = self[i, j] * tanh(padded(one[i + 1, j], 1)) + padded(two[i, j + 1], 0.5)
    two[i, j] = 0.5 * one[i, j] - padded(two[i + 1, j + 1], 0.25)
    below[i, j] = one[i, j] * other[i] + 0.5 * padded(below[i + 1, j], 0)
    result = max[i](sum[j](below[i, j] * two[i, j]))
  verify: off, because this is a test of derivatives
  doc: "Two tables from the end, and one of columns."

- name: on_diagonals(Tensor self, Tensor other) -> Tensor
  indexed: |
    self: (n, m)
    i: range(n)
    i2: range(n)
    one[i, i2] = self[i, 0] * tanh(padded(one[i + 1, i2], 1)) + padded(two[i, i2 + 1], 0.5)
    two[i, i2] = 0.5 * one[i, i2] - padded(two[i + 1, i2 + 1], 0.25)
    result[i] = sum[j](two[i, i] * one[i, i] * other[j])
  verify: off, because this is a test of derivatives
  doc: "The diagonals of two tables of one recurrence."

- name: log_partition(Tensor self, Tensor other) -> Tensor
  indexed: |
    self: (n, m); i: range(m); t: range(n)
    weight[i, j] = exp(other[i, j])
    reached[t, j] = log(sum[i](padded(part[t - 1, i], 1) * weight[i, j])) + padded(top[t - 1], 0)
    score[t, j] = self[t, j] + (0 if t == 0 else reached[t, j])
    top[t] = max[i](score[t, i])
    part[t, i] = exp(score[t, i] - top[t])
    result = logsumexp[j](score[n - 1, j])
  verify: off, because this is a test of derivatives
  doc: "Folds in a step of several statements."

- name: few(Tensor self, Tensor other) -> Tensor
  indexed: |
    self: (n, 3)
    k: range(3)
    result[i, j] = 0.5 * sum[k](self[i, k] * other[j, k]) + max[k](self[i, k]) * logsumexp[k](other[j, k])
  verify: off, because this is a test of derivatives
  doc: "Folds that are unrolled."

- name: number(Tensor self, Tensor other) -> Tensor
  indexed: result = self * sum[i](other[i] ** 2)
  verify: off, because this is a test of derivatives
  doc: "No dimensions."
"""


def drawn(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


INDEX = np.array([0, 3, 1, 1, 0])
MASK = np.array([[True, False, True], [False, True, True], [True, True, True]])
CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("pairs", (drawn(3, 4), drawn(2, 4, seed=1), 0.5)),
    ("pairs", (drawn(2, 1, 3, 2), drawn(2, 2, 2, seed=1), 0.5)),
    ("nearest", (drawn(3, 4), drawn(5, 4, seed=1))),
    ("most", (drawn(3, 4),)),
    ("largest", (drawn(3, 4),)),
    ("most_raised", (drawn(4),)),
    *(("few_of_a_row", (drawn(2, columns),)) for columns in (4, 3, 1)),
    ("running", (drawn(4, 3), drawn(4, 3, seed=1))),
    ("running", (drawn(2, 3, 2), drawn(3, 2, seed=1))),
    ("backwards", (drawn(5),)),
    ("paths", (drawn(3, 4),)),
    ("cell", (drawn(3, 2), drawn(2, 2, seed=1))),
    ("softmaxes", (drawn(5), INDEX, 4)),
    ("softmaxes", (drawn(2, 5), INDEX, 4)),
    ("windows", (drawn(2, 6), drawn(2, 2, 3, seed=1), 2, 1)),
    ("sampled", (drawn(5), np.array([-0.3, 2.7, 4.2, -3.5, 7.1, 0.5]))),
    ("chosen", (drawn(3, 3), MASK, True)),
    ("bordered", (drawn(3),)),
    ("bordered_twice", (drawn(4), drawn(4, seed=1))),
    ("repeated", (drawn(4), drawn(3, seed=1), INDEX)),
    ("paired", (drawn(3, 2), drawn(2, seed=1))),
    ("from_the_end", (drawn(3, 2), drawn(3, seed=1))),
    ("on_diagonals", (drawn(3, 2), drawn(2, seed=1))),
    ("log_partition", (drawn(3, 2), drawn(2, 2, seed=1))),
    ("few", (drawn(5, 3), drawn(2, 3, seed=1))),
    ("number", (drawn(), drawn(3))),
    ("number", (drawn(2), drawn(2, 3))),
]


@pytest.fixture(scope="module")
def ops(tmp_path_factory: pytest.TempPathFactory, build: Callable[..., Any]) -> Any:
    folder = tmp_path_factory.mktemp("indexed")
    (folder / "derivatives.yaml").write_text(SPEC, encoding="utf-8")
    return build(folder / "derivatives.yaml", "indexed_ops", "--no-verify")


def split(function: Any, args: tuple[Any, ...]) -> tuple[Any, list[Any]]:
    """A function of the tensors that are differentiated, and these."""
    tensors = [sg.tensor(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
    places = [k for k, each in enumerate(tensors) if isinstance(each, sg.Tensor) and each.dtype == sg.float64]

    def of(*own: Any) -> Any:
        given = dict(zip(places, own, strict=True))
        result = function(*(given.get(k, each) for k, each in enumerate(tensors)))
        results = result if isinstance(result, tuple) else (result,)
        return sum((where_finite(each) * (k + 1)).sum() for k, each in enumerate(results))

    return of, [tensors[k] for k in places]


def where_finite(x: Any) -> Any:
    return sg.where(sg.isfinite(x), x * weights(x), 0.0)


def weights(x: Any) -> Any:
    return sg.linspace(0.5, 1.5, max(x.numel(), 1), dtype=sg.float64)[: x.numel()].reshape(x.shape)


@pytest.mark.parametrize(("name", "args"), CALLS)
def test_gradients(ops: Any, name: str, args: tuple[Any, ...]) -> None:
    """In reverse and forward mode."""
    function, tensors = split(getattr(ops, name), args)
    leaves = [each.clone().requires_grad_() for each in tensors]
    assert gradcheck(function, leaves, check_forward_ad=True)


SECOND = ("pairs", "most", "few_of_a_row", "running", "softmaxes")  # each is compiled for seconds


@pytest.mark.parametrize(("name", "args"), [(name, args) for name, args in CALLS if name in SECOND])
def test_gradients_of_gradients(ops: Any, name: str, args: tuple[Any, ...]) -> None:
    """Backward of backward, and forward mode over it."""
    function, tensors = split(getattr(ops, name), args)
    leaves = [each.clone().requires_grad_() for each in tensors]
    assert gradgradcheck(function, leaves, check_fwd_over_rev=True)


@pytest.mark.parametrize(("name", "args"), CALLS)
def test_gradients_of_a_batch(ops: Any, name: str, args: tuple[Any, ...]) -> None:
    """vmap of grad is grad of each."""
    function, tensors = split(getattr(ops, name), args)
    many = [sg.stack([each, each * 0.5 + 0.1, -each]) for each in tensors]
    grad = sg.func.grad(function, argnums=tuple(range(len(tensors))))
    found = sg.func.vmap(grad)(*many)
    for k in range(3):
        for one, other in zip(found, grad(*(each[k] for each in many)), strict=True):
            np.testing.assert_allclose(one[k].numpy(), other.numpy(), rtol=1e-12, atol=1e-12)


TIES = [
    ("largest", (np.array([[1.0, 3.0], [3.0, 3.0]]),), np.array([[0.0, 2.0], [0.0, 0.0]])),
    ("most", (np.array([[5.0, 2.0, 2.0], [0.0, 1.0, 4.0]]),), np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])),
    ("nearest", (np.zeros((1, 1)), np.array([[1.0], [-1.0]])), np.array([[-2.0]])),
]


@pytest.mark.parametrize(("name", "args", "right"), TIES)
def test_the_first_extreme_has_the_gradient(ops: Any, name: str, args: tuple[Array, ...], right: Array) -> None:
    """Where several elements are the greatest, as documented."""
    first, *rest = (sg.tensor(arg) for arg in args)
    first.requires_grad_()
    getattr(ops, name)(first, *rest).sum().backward()
    assert first.grad is not None
    assert first.grad.numpy().tolist() == right.tolist()


def test_the_first_of_one_place_has_the_gradient(ops: Any) -> None:
    """Also where a scatter folds."""
    x = sg.tensor([2.0, 2.0, 1.0, 1.0, 1.0], dtype=sg.float64, requires_grad=True)
    ops.totals(x, sg.tensor([1, 1, 0, 0, 0]), 2)[1].sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == [1.0, 0.0, 1.0, 0.0, 0.0]


def test_of_nothing_there_is_no_gradient(ops: Any) -> None:
    """Empty arrays have empty gradients, and reach no other array."""
    x, y = sg.zeros(0, 4, requires_grad=True), sg.zeros(3, 4, requires_grad=True)
    ops.pairs(x, y).sum().backward()
    assert x.grad is not None and y.grad is not None
    assert x.grad.shape == (0, 4)
    assert y.grad.tolist() == [[0.0] * 4] * 3
