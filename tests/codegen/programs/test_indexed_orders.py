"""Orders of the loops of indexed programs: tables along diagonals, folds that are unrolled or added up in rows, packed
arrays, and indices that are looked at before. Values are those of NumPy by hand, and what programs mean."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import specgrad as sg
from tests.codegen.programs.test_indexed_loops import Outputs, Program, compare, drawn, found, listed, meant

Array = np.ndarray


def read(x: Array, i: int, j: int, border: float) -> float:
    """An element, or what stands for one outside."""
    return x[i, j] if 0 <= i < x.shape[0] and 0 <= j < x.shape[1] else border


def of_examples(function: Any) -> Any:
    """The function of each example of a batch, of arrays with two dimensions."""

    def batched(*args: Array) -> Any:
        ahead = np.broadcast_shapes(*(arg.shape[:-2] for arg in args))
        wide = [np.broadcast_to(arg, (*ahead, *arg.shape[-2:])) for arg in args]
        each = [listed(function(*(arg[at] for arg in wide))) for at in np.ndindex(ahead)]
        return tuple(np.array(parts).reshape((*ahead, *parts[0].shape)) for parts in zip(*each, strict=True))

    return batched


def tables(self: Array) -> Outputs:
    first = np.zeros(self.shape)
    for i, j in np.ndindex(self.shape):
        first[i, j] = self[i, j] + min(0.5 * read(first, i - 1, j, 0), read(first, i, j - 1, 1))
    most, total = first.max(1, initial=-np.inf), (first**2).sum()
    return most, total, first.sum(0)


def scan(self: Array) -> Array:
    total = np.zeros(self.shape)
    for i, k in np.ndindex(self.shape):
        total[i, k] = self[i, k] + 0.5 * read(total, i, k - 1, 1)
    return total


def from_the_end(self: Array) -> Array:
    one, other, below = (np.zeros(self.shape) for _ in range(3))
    for i in reversed(range(self.shape[0])):
        for j in reversed(range(self.shape[1])):
            one[i, j] = self[i, j] + max(read(one, i + 1, j, 1), read(other, i, j + 1, 0))
            other[i, j] = 0.5 * one[i, j] - read(other, i + 1, j + 1, 0.25)
            below[i, j] = one[i, j] + 0.5 * read(below, i + 1, j, 0)
    return (below - other).T


def few(self: Array) -> Outputs:
    x = self[:, :3]
    raised = logsumexp(x * np.arange(3), 1) + x.max(1) * x.prod(1) + (x > 0).mean(1)
    return raised, (x > 0).sum(1), (x[:, :1] > 0).sum(1)


def log_partition(self: Array, transition: Array) -> Array:
    score = self[0]
    for row in self[1:]:
        score = row + logsumexp(score[:, None] + transition, 0)
    return logsumexp(score)


def sums(self: Array, other: Array) -> Outputs:
    one, before = (self * other).sum(1), np.pad(other, ((0, 0), (1, 0)), constant_values=0.5)[:, :-1]
    return one, 1 + self.mean(1), 2 * (1 + self * before[:, : self.shape[1]]).prod(1), one - other.sum(1)


def beside_diagonal(self: Array) -> Array:
    return np.array([read(self, i, i + 1, 1) + read(self, i - 1, 0, 2) for i in range(len(self))])


def standardized(self: Array, weight: Array) -> Array:
    away = self - self.mean(-1, keepdims=True)
    return away * weight / np.sqrt(1 + (away**2).mean(-1, keepdims=True))


def turned(self: Array) -> Outputs:
    twice = 2 * np.roll(self, -1, -1)
    other = np.roll(twice, -1, -1) - self
    result = other[..., ::-1] * twice
    return result, np.minimum(result[..., 0], other[..., 1])


def few_of_a_row(self: Array) -> Array:
    part = np.pad(self, [(0, 0)] * (self.ndim - 1) + [(0, 3)], constant_values=0.5)[..., :3] ** 2
    return part[..., 0] * part.sum(-1)


PROGRAMS = [
    Program(
        "tables(Tensor self) -> (Tensor most, Tensor total, Tensor columns)",  # along diagonals; its rows are not rows
        """
        table[i, j] = self[i, j] + minimum(0.5 * padded(table[i - 1, j], 0), padded(table[i, j - 1], 1))
        most[i] = max[j](table[i, j])
        total = sum[i, j](table[i, j] ** 2)
        columns[j] = sum[i](table[i, j])
        """,
        of_examples(tables),
    ),
    Program(
        "from_the_end(Tensor self) -> Tensor",  # two tables in one recurrence, and one of columns that reads them
        """
        one[i, j] = self[i, j] + maximum(padded(one[i + 1, j], 1), padded(other[i, j + 1], 0))
        other[i, j] = 0.5 * one[i, j] - padded(other[i + 1, j + 1], 0.25)
        below[i, j] = one[i, j] + 0.5 * padded(below[i + 1, j], 0)
        result[j, i] = below[i, j] - other[i, j]
        """,
        of_examples(from_the_end),
    ),
    Program(
        "sizes_of_all(Tensor self) -> (Tensor one, Tensor other)",  # sums of all elements, and of some
        """
        self: (n, m)
        i: range(1, n)
        one = sum[i, k](abs(self[i, k]) * k)
        other = mean[i, j](abs(self[i - 1, j]))
        """,
        of_examples(lambda self: ((abs(self[1:]) * np.arange(self.shape[1])).sum(), abs(self[:-1]).mean())),
    ),
    Program(
        "fading(Tensor self) -> Tensor",  # a recurrence of one direction: row by row
        """
        total[i, k] = 0.5 * padded(total[i, k - 1], 1) + self[i, k]
        result[i] = sum[k](total[i, k] ** 2)
        """,
        of_examples(lambda self: (scan(self) ** 2).sum(1)),
    ),
    Program(
        "few(Tensor self) -> (Tensor result, Tensor count, Tensor one)",  # unrolled
        """
        self: (n, m)
        k: range(3)
        l: range(1)
        raised = logsumexp[k](self[i, k] * k) + max[k](self[i, k]) * prod[k](self[i, k])
        result[i] = raised + mean[k](self[i, k] > 0)
        count[i] = sum[k](self[i, k] > 0)
        one[i] = sum[l](self[i, l] > 0)
        """,
        few,
        keys="result_dtype: [same, int64, int64]\noutput_differentiability: [True, False, False]",
    ),
    Program(
        "scaled_product(Tensor self, Tensor other) -> Tensor",  # in rows; with an element that no loop goes along
        "result[i, j] = 0.5 + sum[k](self[i, k] * other[k, j] * self[0, 0])",
        lambda self, other: 0.5 + self @ other * self[..., :1, :1],
    ),
    Program(
        "columns_product(Tensor self, Tensor other) -> Tensor",  # packed
        "result[i, j] = sum[k](self[k, i] * other[j, k])",
        lambda self, other: self.swapaxes(-1, -2) @ other.swapaxes(-1, -2),
    ),
    Program(
        "rows_product(Tensor self, Tensor other) -> Tensor",  # side by side, or packed
        "result[i, j] = sum[k](self[i, k] * other[j, k])",
        lambda self, other: self @ other.swapaxes(-1, -2),
    ),
    Program(
        "nested(Tensor self, Tensor other) -> Tensor",  # a fold inside of one that is packed
        "result[i, j] = sum[k](self[k, i] * max[l](other[k, l] * other[l, j]))",
        lambda self, other: np.einsum("ki,kj->ij", self, (other[:, :, None] * other).max(1)),
    ),
    Program(
        "most_of_sums(Tensor self, Tensor other) -> Tensor",
        """
        self: (n, p)
        k: range(1, p)
        result[i, j] = max[k](self[i, k] + other[k, j])
        """,
        lambda self, other: (self[:, 1:, None] + other[None, 1:]).max(1, initial=-np.inf),
    ),
    Program(
        "means(Tensor self, Tensor other) -> (Tensor one, Tensor both)",  # in a register, and in rows
        """
        self: (n, p)
        k: range(1, p)
        one[i] = mean[k](self[i, k])
        both[i, j] = mean[k](self[i, k] * other[k, j])
        """,
        lambda self, other: (self[:, 1:].mean(1), (self[:, 1:, None] * other[None, 1:]).mean(1)),
    ),
    Program(
        "log_partition(Tensor self, Tensor transition) -> Tensor",  # folds in a step of several statements
        """
        self: (n, m)
        i: range(m)
        t: range(n)
        weight[i, j] = exp(transition[i, j])
        reached[t, j] = log(sum[i](padded(part[t - 1, i], 1) * weight[i, j])) + padded(top[t - 1], 0)
        score[t, j] = self[t, j] + (0 if t == 0 else reached[t, j])
        top[t] = max[i](score[t, i])
        part[t, i] = exp(score[t, i] - top[t])
        result = logsumexp[j](score[n - 1, j])
        """,
        of_examples(log_partition),
    ),
    Program(
        "sums(Tensor self, Tensor other) -> (Tensor one, Tensor two, Tensor three, Tensor four)",  # three in one loop
        """
        one[i] = sum[j](self[i, j] * other[i, j])
        two[i] = 1 + mean[j](self[i, j])
        three[i] = 2 * prod[j](1 + self[i, j] * padded(other[i, j - 1], 0.5))
        four[i] = one[i] - sum[j](other[i, j])
        """,
        of_examples(sums),
    ),
    Program(
        "totals(Tensor self, Tensor other) -> (Tensor one, Tensor two, Tensor three)",  # as memory lies
        """
        one = sum[i, j](self[i, j] ** 2)
        two = mean[i, j](self[i, j] - other[i, j])
        three = sum[j, i](self[i, j])
        """,
        of_examples(lambda self, other: ((self**2).sum(), (self - other).mean(), self.sum())),
    ),
    Program(
        "standardized(Tensor self, Tensor weight) -> Tensor",  # row by row, and what nobody else reads is one row
        """
        self: (n, m)
        k: range(m)
        centre[i] = mean[j](self[i, j])
        away[i, j] = self[i, j] - centre[i]
        spread[i] = 1 + mean[k](away[i, k] ** 2)
        result[i, j] = away[i, j] * weight[j] / sqrt(spread[i])
        """,
        standardized,
    ),
    Program(
        "turned(Tensor self) -> (Tensor result, Tensor least)",  # in registers
        """
        self: (n, 3)
        k: range(3)
        twice[p, k] = 2 * self[p, (k + 1) % 3]
        other[p, k] = twice[p, (k + 1) % 3] - self[p, k]
        result[p, k] = other[p, 2 - k] * twice[p, k]
        least[p] = minimum(result[p, 0], other[p, 1])
        """,
        turned,
    ),
    Program(
        "few_of_a_row(Tensor self) -> Tensor",  # more than a row has, or fewer
        """
        self: (n, m)
        a: range(3)
        part[i, a] = padded(self[i, a], 0.5) ** 2
        result[i] = part[i, 0] * sum[a](part[i, a])
        """,
        few_of_a_row,
    ),
    Program(
        "beside_diagonal(Tensor self) -> Tensor",  # one read tests both of its subscripts near both ends
        """
        self: (n, n)
        result[i] = padded(self[i, i + 1], 1) + padded(self[i - 1, 0], 2)
        """,
        of_examples(beside_diagonal),
    ),
    Program(
        "picked(Tensor self, Tensor index) -> Tensor",
        "result[e] = sum[j](self[index[e], j])",
        lambda self, index: self[..., index, :].sum(-1),
        "index",
    ),
]
BY_NAME = {program.name: program for program in PROGRAMS}
INDEX = np.array([0, 3, 1, 1, 0])
CALLS: list[tuple[str, tuple[Any, ...]]] = [
    *(("tables", (drawn(*shape),)) for shape in ((5, 3), (3, 5), (1, 4), (4, 1), (9, 2, 3), (0, 3), (3, 0), (0, 0))),
    *(("from_the_end", (drawn(*shape),)) for shape in ((5, 3), (2, 4), (1, 1), (9, 2, 3), (0, 0))),
    *(("sizes_of_all", (drawn(*shape),)) for shape in ((5, 3), (2, 1), (9, 2, 3))),
    *(("fading", (drawn(*shape),)) for shape in ((5, 3), (3, 5), (9, 2, 3), (0, 3), (3, 0))),
    ("few", (drawn(5, 3),)),
    *(("scaled_product", (drawn(n, k), drawn(k, 3, seed=1))) for n, k in ((9, 300), (6, 5), (1, 1), (3, 129))),
    ("scaled_product", (drawn(9, 2, 3), drawn(3, 2, seed=1))),
    *(("columns_product", (drawn(k, n), drawn(3, k, seed=1))) for n, k in ((9, 300), (6, 5), (1, 1), (3, 128))),
    ("columns_product", (drawn(2, 3, 5), drawn(2, 4, 3, seed=1))),
    *(("rows_product", (drawn(3, k), drawn(m, k, seed=1))) for k, m in ((20, 5), (16, 70), (3, 9), (300, 1))),
    ("nested", (drawn(4, 7), drawn(4, 4, seed=1))),
    *(("most_of_sums", (drawn(n, k), drawn(k, 6, seed=1))) for n, k in ((5, 8), (9, 1), (4, 2), (5, 0))),
    *(("means", (drawn(n, k), drawn(k, 6, seed=1))) for n, k in ((5, 8), (4, 1), (5, 0))),
    ("log_partition", (drawn(4, 3), drawn(3, 3, seed=1))),
    ("log_partition", (drawn(9, 2, 5), drawn(5, 5, seed=1))),
    *(("sums", (drawn(*shape), drawn(*shape, seed=1))) for shape in ((5, 3), (1, 9), (9, 2, 3), (0, 3), (3, 0))),
    *(("totals", (drawn(*shape), drawn(*shape, seed=1))) for shape in ((5, 3), (1, 9), (9, 2, 3), (3, 0))),
    *(("beside_diagonal", (drawn(*shape),)) for shape in ((2, 2), (1, 1), (7, 7), (9, 3, 3), (0, 0))),
    *(
        ("standardized", (drawn(*shape), drawn(shape[-1], seed=1)))
        for shape in ((5, 3), (1, 1), (9, 2, 3), (0, 3), (3, 0))
    ),
    *(("turned", (drawn(*shape),)) for shape in ((5, 3), (1, 3), (9, 2, 3), (0, 3))),
    *(("few_of_a_row", (drawn(*shape),)) for shape in ((5, 3), (2, 4), (2, 1), (9, 2, 2), (3, 0))),
    ("picked", (drawn(4, 3), INDEX)),
    ("picked", (drawn(2, 4, 3), INDEX)),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("orders")
    (folder / "orders.yaml").write_text("".join(program.entry for program in PROGRAMS), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def ops(folder: Path, build: Callable[..., Any]) -> Any:
    return build(folder / "orders.yaml", "indexed_order_ops", "--no-verify")


@pytest.mark.filterwarnings("ignore:Mean of empty slice")
@pytest.mark.parametrize(("name", "args"), CALLS)
def test_values_are_those_of_numpy(ops: Any, folder: Path, name: str, args: tuple[Any, ...]) -> None:
    """Also of empty arrays and of batches, whose programs are one function."""
    results = found(ops, name, args)
    with np.errstate(all="ignore"):
        compare(results, listed(BY_NAME[name].right(*args)))
    compare(results, meant(folder / "orders.yaml", name, args))


def test_sums_over_one_range_share_a_loop(ops: Any, folder: Path) -> None:
    """Those that read nothing of each other: memory is read once."""
    kernels = folder / "indexed_order_ops" / "kernels" / "programs"
    text = (kernels / "cpu_sums.py").read_text(encoding="utf-8").partition("def fused")[0]
    assert [text.count(part) for part in ("for i in", "for j in", " += ", " *= ")] == [1, 2, 3, 1]
    text = (kernels / "cpu_totals.py").read_text(encoding="utf-8").partition("def fused")[0]
    assert [text.count(part) for part in ("for element_1 in", "for j in", "def stage_2")] == [1, 0, 0]


def test_sums_of_all_elements_go_in_blocks(ops: Any) -> None:
    """Of millions of equal numbers, to within what a block loses: one after the other they lose a thousandth."""
    x = np.full((1 << 10, 1 << 12), 0.1, np.float32)
    _, mean = ops.sizes_of_all(sg.tensor(x))
    np.testing.assert_allclose(mean.item(), np.float64(x[0, 0]), rtol=3e-6)


def test_a_recurrence_of_one_direction_has_the_room_of_its_table(folder: Path) -> None:
    """Along diagonals that of n x n elements would be taken, for n rows of few columns."""
    text = (folder / "indexed_order_ops" / "kernels" / "programs" / "cpu_fading.py").read_text(encoding="utf-8")
    assert '"total": ((self_size_0, self_size_1), "")' in text


def test_rows_of_few_elements_stay_in_registers(folder: Path) -> None:
    """And of longer ones that nobody else reads there is one at a time."""
    kernels = folder / "indexed_order_ops" / "kernels" / "programs"
    text = (kernels / "cpu_turned.py").read_text(encoding="utf-8")
    assert "twice[np" not in text and "other[np" not in text and "for k in" not in text
    text = (kernels / "cpu_standardized.py").read_text(encoding="utf-8").partition("def fused")[0]
    assert text.count("for i in") == 1 and "away = empty_row(T(0), m)" in text


@pytest.mark.parametrize("name", ["scaled_product", "columns_product", "rows_product"])
def test_sums_of_float32_are_accurate_and_threads_change_no_bits(ops: Any, name: str) -> None:
    """`ROWS` rows are computed together, whichever thread has them."""
    args = [each.astype(np.float32) for each in {"scaled_product": (drawn(103, 700), drawn(700, 90, seed=1)),
            "columns_product": (drawn(700, 103), drawn(90, 700, seed=1)),
            "rows_product": (drawn(103, 700), drawn(90, 700, seed=1))}[name]]  # fmt: skip
    threads = sg.get_num_threads()
    try:
        results = []
        for count in (1, 2):
            sg.set_num_threads(count)
            results += found(ops, name, args)
        assert results[0].tobytes() == results[1].tobytes()
        right = BY_NAME[name].right(*(each.astype(np.float64) for each in args))
        np.testing.assert_allclose(results[0], right, rtol=1e-5, atol=3e-5)
    finally:
        sg.set_num_threads(threads)


@pytest.mark.parametrize("wrong", [-1, 4, 1 << 40])
@pytest.mark.parametrize("batch", [(), (9,)])
def test_indices_are_looked_at_before(ops: Any, wrong: int, batch: tuple[int, ...]) -> None:
    index = INDEX.copy()
    index[2] = wrong
    with pytest.raises(IndexError, match="index has the index"):
        found(ops, "picked", (drawn(*batch, 4, 3), index))
