"""Reductions of tensors that are read as they lie in memory: transposed, in rows that lie apart, and expanded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.ops.reduction import AMAX, STD_CORRECTION, SUM_DEFAULT, SUM_DIM_INTLIST
from specgrad.runtime.kernels.cpu.plan import Layout
from specgrad.runtime.kernels.cpu.reduce_layout import folding_of
from tests.generated.calls import watched

Views = dict[str, tuple[tuple[int, ...], Callable[[Any], Any]]]
VIEWS: Views = {
    "cut": ((70, 131), lambda x: x[:, 1:]),
    "cut, narrow": ((301, 10), lambda x: x[1:, 2:]),
    "cut, long": ((5, 9001), lambda x: x[:, 1:]),
    "every other row": ((41, 33), lambda x: x[::2]),
    "every other column": ((150, 12), lambda x: x[:, ::2]),
    "one column": ((700, 5), lambda x: x[:, 3]),
    "transposed": ((67, 71), lambda x: x.t()),
    "cut and transposed": ((40, 31), lambda x: x[1:, 1:].t()),
    "all turned": ((5, 9, 11), lambda x: x.permute(2, 1, 0)),
    "channels last": ((3, 5, 6, 7), lambda x: x.permute(0, 2, 3, 1)),
    "image cut": ((2, 3, 12, 13), lambda x: x[:, :, 1:-1, 1:-1]),
    "heads": ((4, 6, 30), lambda x: x[:, :, :20].view(4, 6, 2, 10).transpose(1, 2)),
    "row expanded": ((1, 9), lambda x: x.expand(140, 9)),
    "column expanded": ((9, 1), lambda x: x.expand(9, 40)),
    "windows": ((60,), lambda x: x.unfold(0, 7, 1)),
}
REDUCED: dict[str, Callable[[Any, Any, bool], Any]] = {
    "sum": lambda x, dim, keep: x.sum(dim, keep),
    "amax": lambda x, dim, keep: x.amax(dim, keep),
    "amin": lambda x, dim, keep: x.amin(dim, keep),
    "count": lambda x, dim, keep: (x > 2).sum(dim, keep),
    "any": lambda x, dim, keep: (x > 2).any(dim, keep),
    "all": lambda x, dim, keep: x.all(dim, keep),
}
OF_FLOATS: dict[str, Callable[[Any, Any, bool], Any]] = {
    "mean": lambda x, dim, keep: x.mean(dim, keep),
    "var": lambda x, dim, keep: x.var(dim, correction=0, keepdim=keep),
    "std": lambda x, dim, keep: x.std(dim, correction=0, keepdim=keep),
    "norm": lambda x, dim, keep: sg.linalg.vector_norm(x, 2, dim, keep),
    "logsumexp": lambda x, dim, keep: sg.logsumexp(x, dim, keep),
}
EXPECTED: dict[str, Callable[..., Any]] = {
    "sum": np.sum,
    "mean": np.mean,
    "var": np.var,
    "std": np.std,
    "all": np.all,
    "amax": np.max,
    "amin": np.min,
    "count": lambda a, **of: (a > 2).sum(**of),
    "any": lambda a, **of: (a > 2).any(**of),
    "norm": lambda a, **of: np.sqrt((a * a).sum(**of)),
    "logsumexp": lambda a, **of: np.log(np.exp(a).sum(**of)),
}


def view_of(name: str, dtype: Any) -> Any:
    shape, view = VIEWS[name]
    values = np.random.default_rng(len(name)).integers(-40, 40, shape) / 8
    return view(sg.tensor(values).to(dtype))


def bits(tensor: Any) -> bytes:
    return tensor.contiguous().view(sg.uint8).numpy().tobytes() if tensor.ndim else tensor.double().numpy().tobytes()


def dims_of(tensor: Any) -> Iterator[tuple[int, ...]]:
    for count in range(1, tensor.ndim + 1):
        yield from combinations(range(tensor.ndim), count)


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16, sg.int64], ids=str)
@pytest.mark.parametrize("name", VIEWS)
def test_values_are_numpys_and_both_paths_give_the_same_bits(name: str, dtype: Any) -> None:
    """Along all dimensions: the first call, that of native code, and the general path."""
    x = view_of(name, dtype)
    array = x.double().numpy() if dtype.is_floating_point else np.array(x.tolist())
    tolerance = {sg.float64: 1e-12, sg.bfloat16: 1e-2}.get(dtype, 1e-5)
    for key, reduce in (REDUCED | (OF_FLOATS if dtype.is_floating_point else {})).items():
        for number, dim in enumerate(dims_of(x)):
            keep = bool(number % 2)
            found = [reduce(x, dim, keep) for _ in range(2)]
            with watched(True):
                found.append(reduce(x, dim, keep))
            assert len({bits(each) for each in found}) == 1, (key, dim)
            expected = EXPECTED[key](array, axis=dim, keepdims=keep)
            assert found[0].shape == expected.shape
            np.testing.assert_allclose(
                found[0].double().numpy(), expected, tolerance, tolerance, err_msg=f"{key} {dim}"
            )


@pytest.mark.parametrize("name", VIEWS)
def test_of_all_and_where_extremes_are(name: str) -> None:
    """Elements are numbered in the order of dimensions, wherever they lie; the first of equal ones counts."""
    x = view_of(name, sg.float32)
    array = x.double().numpy()
    for _ in range(2):
        np.testing.assert_allclose(x.sum().item(), array.sum(), 1e-5, 1e-3)
        np.testing.assert_allclose(x.mean().item(), array.mean(), 1e-5, 1e-5)
        assert x.max().item() == array.max() and x.min().item() == array.min()
        assert x.argmax().item() == array.argmax() and x.argmin().item() == array.argmin()
        for dim in range(x.ndim):
            values, indices = x.max(dim)
            np.testing.assert_array_equal(indices.numpy(), array.argmax(dim))
            np.testing.assert_array_equal(values.numpy(), array.max(dim))


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64], ids=str)
def test_nan_and_infinity_stay_where_they_are(dtype: Any) -> None:
    """What lies between rows is no part of a result; nan is extreme in each row and column that has one."""
    base = sg.zeros(200, 10).to(dtype)
    base[:, 0] = float("nan")
    base[7, 4], base[150, 6], base[151, 6] = float("nan"), float("inf"), -float("inf")
    x, array = base[:, 1:], base[:, 1:].double().numpy()
    for _ in range(2):
        for dim in (0, 1):
            with np.errstate(invalid="ignore"):
                np.testing.assert_array_equal(x.sum(dim).double().numpy(), array.sum(dim))
            np.testing.assert_array_equal(x.amax(dim).double().numpy(), array.max(dim))
            np.testing.assert_array_equal(x.amin(dim).double().numpy(), array.min(dim))
        assert x[8:150].sum().item() == 0 and np.isnan(x.max().item()) and np.isnan(x.sum().item())


def test_long_columns_that_lie_apart_lose_no_digits() -> None:
    x = sg.rand(100_003, 5)[:, 1:4]
    exact = x.double().numpy()
    np.testing.assert_allclose(x.sum(0).numpy(), exact.sum(0), 3e-7)
    np.testing.assert_allclose(x.sum().item(), exact.sum(), 3e-7)
    np.testing.assert_allclose(x.mean().item(), exact.mean(), 3e-7)


def test_nothing_is_copied() -> None:
    """Native code has plans of large tensors that lie apart, also where the result lies in another order."""
    cut, transposed = sg.randn(300, 101)[:, 1:], sg.randn(9, 30, 40).permute(2, 1, 0)
    for x, dim in ((cut, (0,)), (cut, (1,)), (cut.t(), (1,)), (transposed, (1,)), (transposed, (0, 2))):
        for op, arguments in (SUM_DIM_INTLIST, (False,)), (AMAX, (False,)):
            getattr(x, op.name)(dim)
            assert op.launch(x, dim, *arguments) is not None
    cut.sum(), cut.std(0)
    assert SUM_DEFAULT.launch(cut) is not None
    assert STD_CORRECTION.launch(cut, (0,), 1, False) is not None


def test_what_takes_more_loops_has_no_folding() -> None:
    """One loop over elements that become one, two before it and one behind, whatever dimensions they are."""

    def sizes(shape: tuple[int, ...], strides: tuple[int, ...], dim: Any, halves: bool = False) -> Any:
        found = folding_of(Layout(shape, strides, halves=halves), dim)
        return found and found.folded

    assert sizes((4, 5), (6, 1), 0) == (1, 4, 5)
    assert sizes((4, 5), (1, 4), 0) == (5, 4, 1)
    assert sizes((2, 3, 4), (36, 12, 1), (0, 1)) == (1, 6, 4)
    assert sizes((2, 3, 4), (40, 12, 1), (0, 1)) is None
    assert sizes((2, 3, 4), (40, 12, 1), 2) == (6, 4, 1)
    assert sizes((2, 2, 3, 4), (99, 40, 12, 1), 3) is None
    assert sizes((0, 4), (6, 1), 0) is None
    assert sizes((4,), (-1,), 0) is None
    assert sizes((4, 5), (6, 1), 0, halves=True) is None


@pytest.mark.parametrize("p", [0, 1, 2, 3, 0.5, np.inf, -np.inf])
@pytest.mark.parametrize("shape", [(3, 4, 5), (2, 3, 2, 4), (40, 30, 70), (70, 40, 30, 3)])
def test_norms_along_dimensions_apart(shape: tuple[int, ...], p: float) -> None:
    """One group of dimensions after the other, as sums are: beside NumPy, for operands as they lie and transposed."""
    rng = np.random.default_rng(0)
    for dtype, tolerance in ((sg.float32, 1e-5), (sg.float64, 1e-12)):
        x = sg.tensor(rng.integers(1, 9, shape) / 4).to(dtype)
        for given in (x, x.mT.contiguous().mT, x.movedim(0, -1).contiguous().movedim(-1, 0)):
            for dim in ((0, 2), (0, -1)):
                sizes = np.abs(given.double().numpy())
                if np.isinf(p):
                    expected = (np.max if p > 0 else np.min)(sizes, dim)
                else:
                    expected = np.sum(sizes**p, dim) ** (1 / p if p else 1)
                for keepdim in (False, True):
                    requested = np.expand_dims(expected, [d % len(shape) for d in dim]) if keepdim else expected
                    for _ in range(2):
                        found = sg.linalg.vector_norm(given, p, dim, keepdim)
                        assert found.shape == requested.shape
                        np.testing.assert_allclose(found.numpy(), requested, rtol=tolerance)


@pytest.mark.parametrize("shape", [(3, 4, 5), (2, 3, 2, 4), (1, 5, 7), (40, 3, 70), (70, 40, 30)])
def test_dimensions_brought_together(shape: tuple[int, ...]) -> None:
    """Variances and sums of exponentials along dimensions with others between them, beside NumPy; a nan is one."""
    rng = np.random.default_rng(0)
    for dtype, tolerance in ((sg.float32, 1e-4), (sg.float64, 1e-11), (sg.bfloat16, 2e-2)):
        x = sg.tensor(rng.integers(-9, 9, shape) / 4).to(dtype)
        x[(0,) * len(shape)] = np.nan
        for given in (x, x.mT.contiguous().mT):
            a = given.double().numpy()
            for keepdim in (False, True):
                exponentials = np.log(np.sum(np.exp(a), (0, 2), keepdims=keepdim))
                for _ in range(2):
                    for correction in (0, 1):
                        found = sg.var(given, (0, 2), correction=correction, keepdim=keepdim)
                        expected = np.var(a, (0, 2), ddof=correction, keepdims=keepdim)
                        np.testing.assert_allclose(found.double().numpy(), expected, rtol=tolerance)
                        std_of = sg.std(given, (0, 2), correction=correction, keepdim=keepdim)
                        np.testing.assert_allclose(std_of.double().numpy(), np.sqrt(expected), rtol=tolerance)
                    total = sg.logsumexp(given, (0, 2), keepdim)
                    np.testing.assert_allclose(total.double().numpy(), exponentials, rtol=tolerance, atol=tolerance)
    x = sg.tensor(rng.standard_normal((3, 4, 5)), requires_grad=True)
    for op in (sg.var, sg.std, sg.logsumexp):
        assert sg.autograd.gradcheck(lambda x, op=op: op(x, (0, 2)), (x,))
