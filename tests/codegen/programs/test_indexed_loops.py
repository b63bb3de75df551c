"""Indexed programs whose loops take each way there is: beside NumPy written by hand, and beside what programs mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

import specgrad as sg
from specgrad.codegen.programs.indexed_reference import outputs_of
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.verify.checks.kernels import row_namespace
from specgrad.runtime.errors import DtypeError

Array = np.ndarray
Outputs = Sequence[Array]
ENTRY = """
- name: {schema}
  dtypes: [float]
  dtype: match
  indexed: |
{program}
{keys}
  verify: off, because this is a test of values
  doc: "A test of values."
"""


class Program:
    """An op of the tests: its program, sample arguments, and its meaning in NumPy."""

    def __init__(self, schema: str, program: str, right: Callable[..., Any], *constants: str, keys: str = "") -> None:
        self.name = schema.partition("(")[0]
        tensors = [part.split()[-1].rstrip(")") for part in schema.partition(" ->")[0].split(",") if "Tensor " in part]
        lines = [f"{n}: non_differentiable" if n in constants else f'{n}: not_implemented("a test")' for n in tensors]
        body = "\n".join(f"    {line.strip()}" for line in program.strip().splitlines())
        keys = "\n".join(f"  {line}" for line in (*lines, *keys.splitlines()))
        self.entry = ENTRY.format(schema=schema, program=body, keys=keys)
        self.right = right


def moved(x: Array, step: int, fill: float) -> Array:
    """x[i + step] along the last dimension."""
    places = np.arange(x.shape[-1]) + step
    inside = (places >= 0) & (places < x.shape[-1])
    return np.where(inside, x[..., places.clip(0, x.shape[-1] - 1)], fill) if x.shape[-1] else x


def at(x: Array, places: Array) -> Array:
    inside = (places >= 0) & (places < len(x))
    return np.where(inside, x[places * inside], np.nan) if len(x) else np.full(len(places), np.nan)


def scattered(function: Any, start: float, values: Array, index: Array, size: int) -> Array:
    result = np.full(size, start)
    function.at(result, index, values)
    return result


def running(self: Array, decay: Array) -> Array:
    result, before = np.zeros(np.broadcast_shapes(self.shape, decay.shape)), np.array(0.0)
    for t in range(self.shape[-2]):
        before = decay[..., t, :] * before + self[..., t, :]
        result[..., t, :] = before
    return result


def paths(self: Array) -> Array:
    result = np.full((self.shape[0] + 1, self.shape[1] + 1), np.inf)
    for i, j in np.ndindex(self.shape):
        low = min(result[i, j + 1], result[i + 1, j], result[i, j])
        result[i + 1, j + 1] = self[i, j] + (low if i + j else 0)
    return result[1:, 1:]


def cell(self: Array, weight: Array) -> Outputs:
    state, hidden = np.zeros(self.shape), np.zeros(self.shape)
    for t in range(len(self)):
        before = hidden[t - 1] if t else np.zeros(self.shape[1])
        state[t] = 0.5 * (state[t - 1] if t else 1) + weight @ before
        hidden[t] = np.tanh(state[t]) * self[t]
    return hidden, state


def windows(self: Array, weight: Array, stride: int, pad: int) -> Array:
    x = np.pad(self, ((0, 0), (pad, pad)))
    count = (x.shape[1] - weight.shape[2]) // stride + 1
    parts = [x[:, at * stride : at * stride + weight.shape[2]] for at in range(count)]
    return np.stack([np.einsum("cq,ocq->o", part, weight) for part in parts], 1)


PROGRAMS = [
    Program(
        "pairs(Tensor self, Tensor other, float gamma=1.0) -> Tensor",
        "result[i, j] = exp(-gamma * sum[k]((self[i, k] - other[j, k]) ** 2))",
        lambda self, other, gamma: np.exp(-gamma * ((self[..., :, None, :] - other[..., None, :, :]) ** 2).sum(-1)),
    ),
    Program(
        "row_product(Tensor self, Tensor other) -> Tensor",  # by rows
        "result[i, j] = sum[k](self[i, k] * other[k, j])",
        np.matmul,
    ),
    Program(
        "running(Tensor self, Tensor decay) -> Tensor",
        "result[t, d] = decay[t, d] * padded(result[t - 1, d], 0) + self[t, d]",
        running,
    ),
    Program(
        "backwards(Tensor self) -> Tensor",
        "result[t] = self[t] + padded(result[t + 1], 0)",
        lambda self: self[..., ::-1].cumsum(-1)[..., ::-1],
    ),
    Program(
        "paths(Tensor self) -> Tensor",
        """
        low = minimum(padded(result[i - 1, j], inf), padded(result[i, j - 1], inf))
        result[i, j] = self[i, j] + (0 if i + j == 0 else minimum(low, padded(result[i - 1, j - 1], inf)))
        """,
        paths,
    ),
    Program(
        "cell(Tensor self, Tensor weight) -> (Tensor hidden, Tensor state)",
        """
        self: (n, d)
        t: range(n)
        state[t, j] = 0.5 * padded(state[t - 1, j], 1) + sum[e](weight[j, e] * padded(hidden[t - 1, e], 0))
        hidden[t, j] = tanh(state[t, j]) * self[t, j]
        """,
        cell,
    ),
    Program(
        "totals(Tensor self, Tensor index, int size=4) -> (Tensor total, Tensor most, Tensor least)",
        """
        total: (size,)
        most: (size,)
        least: (size,)
        total[index[e]] += self[e] ** 2
        total[index[e]] += 1
        most[index[e]] = max[e](self[e])
        least[index[e]] = min[e](self[e])
        """,
        lambda self, index, size: (
            scattered(np.add, 0.0, self**2 + 1, index, size),
            scattered(np.maximum, -np.inf, self, index, size),
            scattered(np.minimum, np.inf, self, index, size),
        ),
        "index",
    ),
    Program(
        "places(Tensor self) -> (Tensor first, Tensor second, Tensor above)",
        """
        first[i] = argmax[j](self[i, j])
        second[i] = argmin[j](self[i, j])
        above[i] = any[j](self[i, j] > 1)
        """,
        lambda self: (self.argmax(-1), self.argmin(-1), (self > 1).any(-1)),
        keys="result_dtype: [int64, int64, bool]\noutput_differentiability: [False, False, False]",
    ),
    Program(
        "folds(Tensor self) -> Tensor",
        """
        under = 2 + min[j](self[i, j]) ** 2
        result[i] = mean[j](self[i, j]) + prod[j](self[i, j]) - logsumexp[j](self[i, j]) / under
        """,
        lambda self: self.mean(-1) + self.prod(-1) - logsumexp(self, -1) / (2 + self.min(-1) ** 2),
    ),
    Program(
        "softmax_of(Tensor self) -> Tensor",  # a fold over an index that the result has
        """
        raised = exp(self[i] - max[i](self[i]))
        result[i] = raised / sum[i](raised)
        """,
        lambda self: np.exp(self - logsumexp(self, -1, keepdims=True)),
    ),
    Program(
        "diagonals(Tensor self, Tensor other) -> Tensor",  # two sizes, and a place that only they tell
        """
        self: (n, m)
        j: range(m)
        result[j] = self[j + 1, j] * other[j]
        """,
        lambda self, other: (
            np.array([self[j + 1, j] if j + 1 < len(self) else np.nan for j in range(len(other))]) * other
        ),
    ),
    Program(
        "divided(Tensor self, int step=1) -> (Tensor rest, Tensor whole)",  # places of both signs
        """
        self: (n,)
        i: range(4)
        rest[i] = self[i % step]
        whole[i] = self[i // step]
        """,
        lambda self, step: (at(self, np.arange(4) % step), at(self, np.arange(4) // step)),
    ),
    Program(
        "windows(Tensor self, Tensor weight, int stride=1, int pad=0) -> Tensor",
        """
        self: (c, n)
        weight: (d, c, k)
        x: range((n + 2 * pad - k) // stride + 1)
        result[o, x] = sum[c1, q](padded(self[c1, x * stride + q - pad], 0) * weight[o, c1, q])
        """,
        windows,
    ),
    Program(
        "shifted(Tensor self, int step=1) -> (Tensor one, Tensor other)",  # tested, and not where sizes tell
        """
        self: (n,)
        one[i] = padded(self[i], 0) - padded(self[i - step], 2)
        other[i] = self[i] + self[i + 1]
        """,
        lambda self, step: (self - moved(self, -step, 2), self + moved(self, 1, np.nan)),
    ),
    Program(
        "chosen(Tensor self, Tensor index, Tensor mask, bool doubled=False) -> Tensor",
        "result[i] = sum[j](self[index[i], j] if mask[i, j] else 0) * (2 if doubled else 1)",
        lambda self, index, mask, doubled: np.where(mask, self[index], 0).sum(-1) * (1 + doubled),
        "index",
        "mask",
    ),
    Program(
        "number(Tensor self, Tensor other) -> Tensor",
        "result = self * sum[i](other[i])",
        lambda self, other: self * other.sum(-1),
    ),
]
BY_NAME = {program.name: program for program in PROGRAMS}


def drawn(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).normal(size=shape)


INDEX, MASK = np.array([0, 3, 1, 1, 0]), np.random.default_rng(1).random((5, 3)) < 0.5
CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("pairs", (drawn(3, 4), drawn(2, 4, seed=1), 0.5)),
    ("pairs", (drawn(2, 1, 3, 4), drawn(3, 2, 4, seed=1), 1.0)),
    ("pairs", (drawn(0, 4), drawn(2, 4, seed=1), 1.0)),
    ("pairs", (drawn(3, 0), drawn(2, 0), 1.0)),
    ("pairs", (drawn(0, 3, 4), drawn(2, 4), 1.0)),
    ("row_product", (drawn(3, 4), drawn(4, 5, seed=1))),
    ("row_product", (drawn(2, 3, 4), drawn(4, 1, seed=1))),
    ("row_product", (drawn(3, 0), drawn(0, 2))),
    ("running", (drawn(5, 3), drawn(5, 3, seed=1))),
    ("running", (drawn(2, 4, 3), drawn(4, 3, seed=1))),
    ("running", (drawn(1, 1), drawn(1, 1, seed=1))),
    ("running", (drawn(0, 3), drawn(0, 3))),
    ("backwards", (drawn(5),)),
    ("backwards", (drawn(2, 4),)),
    ("backwards", (drawn(0),)),
    ("paths", (drawn(4, 3),)),
    ("paths", (drawn(1, 1),)),
    ("cell", (drawn(4, 3), drawn(3, 3, seed=1))),
    ("cell", (drawn(1, 2), drawn(2, 2, seed=1))),
    ("totals", (drawn(5), INDEX, 4)),
    ("totals", (drawn(5), INDEX.astype(np.int32), 6)),
    ("totals", (drawn(0), INDEX[:0], 2)),
    ("places", (drawn(4, 3),)),
    ("places", (np.array([[1.0, 2.0, 2.0], [np.nan, 0.0, np.nan], [-np.inf, -np.inf, -np.inf]]),)),
    ("folds", (drawn(4, 3),)),
    ("folds", (drawn(2, 1, 5),)),
    ("softmax_of", (drawn(5),)),
    ("softmax_of", (drawn(2, 3),)),
    ("diagonals", (drawn(3, 4), drawn(4, seed=1))),
    ("diagonals", (drawn(4, 2), drawn(2, seed=1))),
    ("divided", (drawn(5), 2)),
    ("divided", (drawn(5), -3)),
    ("divided", (drawn(5), -1)),
    ("divided", (drawn(0), 2)),
    ("windows", (drawn(2, 7), drawn(3, 2, 3, seed=1), 2, 1)),
    ("windows", (drawn(1, 5), drawn(2, 1, 5, seed=1), 1, 0)),
    ("shifted", (drawn(5), 2)),
    ("shifted", (drawn(2, 5), -1)),
    ("shifted", (drawn(1), 0)),
    ("chosen", (drawn(4, 3), INDEX, MASK, False)),
    ("chosen", (drawn(4, 3), INDEX, MASK, True)),
    ("number", (drawn(), drawn(4))),
    ("number", (drawn(3), drawn(3, 4))),
]
FIRST = dict(reversed(CALLS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("indexed")
    (folder / "loops.yaml").write_text("".join(program.entry for program in PROGRAMS), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def ops(folder: Path, build: Callable[..., Any]) -> Any:
    return build(folder / "loops.yaml", "indexed_loop_ops", "--no-verify")


@cache
def entries(path: Path) -> dict[str, Any]:
    spec, problems = load_spec(path)
    assert not problems
    return {entry.name: entry for entry in spec.entries}


def tensor(value: Any) -> Any:
    return sg.tensor(value) if isinstance(value, np.ndarray) else value


def listed(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def found(ops: Any, name: str, args: Sequence[Any]) -> list[Array]:
    return [each.numpy() for each in listed(getattr(ops, name)(*map(tensor, args)))]


def meant(path: Path, name: str, args: Sequence[Any]) -> list[Array]:
    """What a program means."""
    entry = entries(path)[name]
    given = dict(zip((argument.name for argument in entry.schema.arguments), args, strict=True))
    outputs = outputs_of(entry.indexed, given, row_namespace())
    return [outputs[output.name] for output in entry.schema.returns]


def compare(one: Sequence[Array], other: Sequence[Array]) -> None:
    for result, right in zip(one, other, strict=True):
        np.testing.assert_allclose(result, right, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(("name", "args"), CALLS)
def test_values_are_those_of_numpy(ops: Any, name: str, args: tuple[Any, ...]) -> None:
    """Also of empty arrays, batches, numbers, integers and bools."""
    with np.errstate(all="ignore"):
        right = BY_NAME[name].right(*args)
    compare(found(ops, name, args), listed(right))


@pytest.mark.parametrize(("name", "args"), CALLS)
def test_values_are_what_programs_mean(ops: Any, folder: Path, name: str, args: tuple[Any, ...]) -> None:
    """Elements by demand, which share nothing with the loops."""
    compare(found(ops, name, args), meant(folder / "loops.yaml", name, args))


@pytest.mark.parametrize(("dtype", "tolerance"), [(sg.float32, 1e-5), (sg.bfloat16, 0.1), (sg.float16, 0.02)])
@pytest.mark.parametrize("name", ["row_product", "totals", "places"])
def test_other_dtypes(ops: Any, name: str, dtype: Any, tolerance: float) -> None:
    """Results are of the dtype of what is given, indices are integers."""
    args = [each if isinstance(each, int) else sg.tensor(each) for each in FIRST[name]]
    given = [each.to(dtype) if isinstance(each, sg.Tensor) and each.dtype == sg.float64 else each for each in args]
    results = getattr(ops, name)(*given)
    rounded = [each.double().numpy() if isinstance(each, sg.Tensor) and each.dtype == dtype else each for each in given]
    right = BY_NAME[name].right(*[each.numpy() if isinstance(each, sg.Tensor) else each for each in rounded])
    for one, other in zip(listed(results), listed(right), strict=True):
        assert one.dtype == {"f": dtype, "i": sg.int64, "b": sg.bool}[other.dtype.kind]
        np.testing.assert_allclose(one.double().numpy(), other, rtol=tolerance, atol=tolerance)


def test_layouts_and_threads_change_nothing(ops: Any) -> None:
    """Transposed, expanded and strided arrays, and rows that two threads share."""
    x, y = drawn(300, 70), drawn(70, 40, seed=1)
    right = ops.row_product(sg.tensor(x), sg.tensor(y)).numpy()
    threads = sg.get_num_threads()
    try:
        for count in (1, 2):
            sg.set_num_threads(count)
            transposed = sg.tensor(np.ascontiguousarray(x.T)).t()
            doubled = sg.tensor(np.repeat(y, 2, axis=1))[:, ::2]
            assert ops.row_product(transposed, doubled).numpy().tobytes() == right.tobytes()
            batch = ops.row_product(sg.tensor(x).expand(2, 300, 70), sg.tensor(y)).numpy()
            assert batch[0].tobytes() == batch[1].tobytes() == right.tobytes()
    finally:
        sg.set_num_threads(threads)


REFUSED: list[tuple[str, tuple[Any, ...], type[Exception], str]] = [
    ("pairs", (drawn(3, 4), drawn(2, 5), 1.0), RuntimeError, "expected dimension 1 of other to have the size 4"),
    ("pairs", (drawn(4), drawn(2, 4), 1.0), RuntimeError, "expected self to have 2 dimensions at least"),
    ("pairs", (drawn(2, 3, 4), drawn(3, 3, 4), 1.0), RuntimeError, "do not broadcast"),
    ("totals", (drawn(5), INDEX, 3), IndexError, "index has the index 3, which is out of range for the size 3"),
    ("totals", (drawn(5), INDEX - 1, 4), IndexError, "index has the index -1, which is out of range"),
    ("totals", (drawn(5), INDEX + 0.5, 4), DtypeError, "expected index to have integers, .* but got float64"),
    ("totals", (drawn(5), INDEX > 0, 4), DtypeError, "expected index to have integers, .* but got bool"),
    ("totals", (drawn(4), INDEX, 4), RuntimeError, "size"),
    ("totals", (drawn(5), INDEX, -1), RuntimeError, "size"),
    ("windows", (drawn(1, 2), drawn(1, 1, 5), 1, 0), RuntimeError, "size"),
]


@pytest.mark.parametrize(("name", "args", "error", "text"), REFUSED)
def test_calls_that_are_refused(ops: Any, name: str, args: tuple[Any, ...], error: type[Exception], text: str) -> None:
    """Shapes that do not agree, and places that an array does not have."""
    with pytest.raises(error, match=text):
        found(ops, name, args)
