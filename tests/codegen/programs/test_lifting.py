"""Parts of expressions that programs keep in arrays, and folds in another order: values are those of NumPy by hand and
what programs mean, and nothing expensive is computed more often than it has elements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.codegen.programs.lifting import rearranged
from tests.codegen.programs.test_indexed_loops import Program, compare, drawn, entries, found, listed, meant

Array = np.ndarray


def weights(x: Array, y: Array) -> Array:
    return np.exp(-((x[..., :, None] - y[..., None, :]) ** 2))


def regressed(x: Array, y: Array, value: Array) -> Array:
    return weights(x, y) @ value / weights(x, y).sum(-1, keepdims=True)


def masked(score: Array, value: Array) -> Array:
    return np.tril(np.exp(score)) @ value


def chained(self: Array, change: Array) -> Array:
    result = np.zeros(self.shape)
    for t in range(len(self)):
        before = result[t - 1] if t else np.zeros(self.shape[1])
        result[t] = np.tanh(self[t] + before @ np.exp(change))
    return result


def between(self: Array) -> Array:
    result = np.zeros((*self.shape[:-1], self.shape[-1] - 1, 3))
    for i in range(1, self.shape[-1]):
        result[..., i - 1, :] = np.exp(self[..., i, None]) * np.array([0, 1, 2])
    return result.swapaxes(-1, -2)


def best(self: Array, change: Array) -> Any:
    sums = self[..., :, :, None] + change[..., None, :, :]
    place = sums.argmax(-2)  # the first nan where one is
    return place, np.where(np.arange(self.shape[-2])[:, None] == 0, -1, 2 * place)


def nearest(self: Array, code: Array) -> Array:
    return ((self[..., :, None, :] - code[..., None, :, :]) ** 2).sum(-1).argmin(-1)


PROGRAMS = [
    (
        Program(
            "turned(Tensor score, Tensor value) -> Tensor",
            "result[c, i] = sum[j](exp(score[i, j]) * value[j, c])",
            lambda score, value: (np.exp(score) @ value).swapaxes(-1, -2),
        ),
        ["part[i, j] = exp(score[i, j])", "result[c, i] = sum[j](part[i, j] * value[j, c])"],
    ),
    (
        Program(
            "regressed(Tensor x, Tensor y, Tensor value) -> Tensor",
            """
            weight = exp(-(x[i] - y[j]) ** 2)
            result[i, c] = sum[j](weight * value[j, c]) / sum[j](weight)
            """,
            regressed,
        ),
        [
            "part[i, j] = exp(-(x[i] - y[j]) ** 2)",
            "result[i, c] = sum[j](part[i, j] * value[j, c]) / sum[j](part[i, j])",
        ],
    ),
    (
        Program(
            "below_diagonal(Tensor score, Tensor value) -> Tensor",
            """
            score: (n, n)
            result[i, c] = sum[j](exp(score[i, j]) * value[c, j] if j <= i else 0)
            """,
            lambda score, value: masked(score, value.swapaxes(-1, -2)),
        ),
        [
            "part[i, j] = exp(score[i, j]) if j <= i else 0",
            "result[i, c] = sum[j](part[i, j] * value[c, j] if j <= i else 0)",
        ],
    ),
    (
        Program(
            "two_products(Tensor slope, Tensor x) -> Tensor",
            """
            slope: (n, n)
            result[i, k] = sum[j](slope[i, j] * x[j, k]) + sum[j](slope[j, i] * x[j, k])
            """,
            lambda g, x: (g + g.swapaxes(-1, -2)) @ x,
        ),
        [
            "part[i, k] = sum[j](slope[i, j] * x[j, k])",
            "part_2[i, k] = sum[j](slope[j, i] * x[j, k])",
            "result[i, k] = part[i, k] + part_2[i, k]",
        ],
    ),
    (
        Program(
            "ordered(Tensor x, Tensor y, Tensor value) -> Tensor",
            "result[i] = sum[c, j](exp(-(x[i] - y[j]) ** 2) * value[j, c])",
            lambda x, y, value: (weights(x, y) @ value).sum(-1),
        ),
        ["part[i, j] = exp(-(x[i] - y[j]) ** 2)", "result[i] = sum[j, c](part[i, j] * value[j, c])"],
    ),
    (
        Program(
            "chained(Tensor self, Tensor change) -> Tensor",
            "result[t, j] = tanh(self[t, j] + sum[i](exp(change[i, j]) * padded(result[t - 1, i], 0)))",
            chained,
        ),
        [
            "part[i, j] = exp(change[i, j])",
            "result[t, j] = tanh(self[t, j] + sum[i](part[i, j] * padded(result[t - 1, i], 0)))",
        ],
    ),
    (
        Program(
            "between(Tensor self) -> Tensor",  # few values of an index are no reason for an array
            """
            self: (n,); k: range(3); i: range(n - 1)
            result[k, i] = exp(self[i + 1]) * k
            """,
            between,
        ),
        ["result[k, i] = exp(self[i + 1]) * k"],
    ),
    (
        Program(
            "best(Tensor self, Tensor change) -> (Tensor at, Tensor other)",
            """
            at[t, j] = argmax[i](self[t, i] + change[i, j])
            other[t, j] = -1 if t == 0 else 2 * argmax[i](self[t, i] + change[i, j])
            """,
            best,
            keys="result_dtype: [int64, int64]",
        ),
        [
            "at[t, j] = argmax[i](self[t, i] + change[i, j])",
            "other[t, j] = -1 if t == 0 else 2 * argmax[i](self[t, i] + change[i, j])",
        ],
    ),
    (
        Program(
            "nearest(Tensor self, Tensor code) -> Tensor",
            "result[i] = argmin[j](sum[k]((self[i, k] - code[j, k]) ** 2))",
            nearest,
            keys="result_dtype: int64",
        ),
        ["part[i, j] = sum[k]((self[i, k] - code[j, k]) ** 2)", "result[i] = argmin[j](part[i, j])"],
    ),
    (
        Program(
            "greatest_label(Tensor self, Tensor label) -> Tensor",
            "result[i] = argmax[j](label[i, j]) + 0 * argmax[j](self[i, j])",
            lambda self, label: label.argmax(-1),
            "label",
            keys="result_dtype: int64",
        ),
        ["result[i] = argmax[j](label[i, j]) + 0 * argmax[j](self[i, j])"],
    ),
]
BY_NAME = {program.name: program for program, _ in PROGRAMS}
WITH_NAN = np.where(np.arange(12).reshape(3, 4) % 5 == 2, np.nan, drawn(3, 4))
LABELS = np.random.default_rng(1).integers(0, 5, (6, 7))
CALLS = [
    *(("turned", (drawn(*b, 3, 4), drawn(*b, 4, k, seed=1))) for b in ((), (2,)) for k in (5, 1, 40)),
    ("turned", (drawn(0, 4), drawn(4, 2))),
    *(("regressed", (drawn(*b, 3), drawn(4, seed=1), drawn(*b, 4, k, seed=2))) for b in ((), (2,)) for k in (5, 40)),
    ("regressed", (drawn(9), drawn(300, seed=1), drawn(300, 3, seed=2))),
    *(("below_diagonal", (drawn(n, n), drawn(k, n, seed=1))) for n, k in ((4, 3), (30, 5), (5, 30), (0, 2))),
    ("below_diagonal", (drawn(2, 5, 5), drawn(2, 3, 5, seed=1))),
    *(("two_products", (drawn(*b, n, n), drawn(*b, n, 3, seed=1))) for b in ((), (2,)) for n in (4, 9)),
    *(("ordered", (drawn(3), drawn(n, seed=1), drawn(n, 5, seed=2))) for n in (4, 0, 200)),
    ("chained", (drawn(5, 3), 0.1 * drawn(3, 3, seed=1))),
    ("between", (drawn(5),)),
    ("between", (drawn(2, 5),)),
    *(("best", (drawn(*b, 3, 4), drawn(4, k, seed=1))) for b in ((), (2,)) for k in (5, 1, 40)),
    ("best", (WITH_NAN, drawn(4, 5))),
    ("best", (np.full((2, 4), -np.inf), drawn(4, 5))),
    ("nearest", (drawn(6, 3), drawn(5, 3, seed=1))),
    ("nearest", (drawn(2, 6, 3), drawn(70, 3, seed=1))),
    ("nearest", (WITH_NAN, drawn(5, 4))),
    ("greatest_label", (drawn(6, 7), LABELS)),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lifting")
    (folder / "lifting.yaml").write_text("".join(program.entry for program, _ in PROGRAMS), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def ops(folder: Path, build: Callable[..., Any]) -> Any:
    return build(folder / "lifting.yaml", "lifted_ops", "--no-verify")


@pytest.mark.parametrize(("name", "args"), CALLS)
def test_values_are_those_of_numpy(ops: Any, folder: Path, name: str, args: tuple[Any, ...]) -> None:
    results = found(ops, name, args)
    with np.errstate(all="ignore"):
        compare(results, listed(BY_NAME[name].right(*args)))
    compare(results, meant(folder / "lifting.yaml", name, args))


def test_nothing_expensive_is_computed_again_and_again(folder: Path) -> None:
    """An array takes no more memory than one that there is, or a row of it is enough at a time."""
    programs = entries(folder / "lifting.yaml")
    for program, right in PROGRAMS:
        assert [*rearranged(programs[program.name].indexed).lines] == right


def test_threads_change_no_bits(ops: Any) -> None:
    args = [sg.tensor(drawn(*shape, seed=k)) for k, shape in enumerate(((500,), (300,), (300, 8)))]
    one = ops.regressed(*args)
    threads = sg.get_num_threads()
    sg.set_num_threads(4)
    try:
        assert sg.equal(ops.regressed(*args), one)
    finally:
        sg.set_num_threads(threads)
