"""Plans of ops that do to each dimension something of its own, and the copies of runs that they are made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba import njit

import specgrad as sg
from specgrad.runtime.compiler.jit import callees, jit
from specgrad.runtime.compiler.passes.scalar_library import rebuilt
from specgrad.runtime.kernels.cpu import index_map_plans
from specgrad.runtime.kernels.cpu.index_map_plans import (
    Run,
    bordered,
    full_run,
    lines,
    merged_dims,
    mirrored,
    rolled_run,
)
from specgrad.runtime.kernels.cpu.plan import Layout, Plan, layout_of, run
from specgrad.runtime.kernels.llvm import gather as runs
from specgrad.runtime.kernels.llvm.gather import copy_elements, reverse_elements

Array = np.ndarray
DTYPES = [np.float32, np.float64, np.int64, np.bool_]
SHAPES = [(), (1,), (33,), (5000,), (3, 4), (700, 10), (40, 300), (3, 1, 5), (7, 8, 9), (4, 5, 6, 7), (2, 3, 2, 2, 3)]
LAYOUTS: dict[str, Callable[[Array], Array]] = {
    "rows": lambda a: a,
    "transposed": lambda a: a.T,
    "every second": lambda a: a[..., ::2] if a.ndim else a,
    "without the first": lambda a: a[1:] if a.ndim and len(a) > 1 else a,
    "expanded": lambda a: np.broadcast_to(a, (3, *a.shape)),
    "each thrice": lambda a: np.broadcast_to(a[..., None], (*a.shape, 3)),
    "alike": lambda a: np.broadcast_to(a.reshape(-1)[0], a.shape),
}
Dims = Callable[[tuple[int, int]], index_map_plans.Runs]
MOVES: dict[str, tuple[Dims, Callable[[Array], Array]]] = {
    "as it is": (lambda line: full_run(*line), np.array),
    "mirrored": (lambda line: mirrored(*line), np.flip),
    "rolled_run": (
        lambda line: rolled_run(*line, 2),
        lambda a: np.roll(a, (2,) * a.ndim, tuple(range(a.ndim))) if a.ndim else a,
    ),
    "framed": (lambda line: bordered(*line, 1, 2), lambda a: np.pad(a, (1, 2), constant_values=1) if a.ndim else a),
    "cut": (lambda line: bordered(*line, 2, 1 - line[0]), lambda a: cut(a)),
}


def cut(a: Array) -> Array:
    """The first element of each dimension, behind as many of 1 as there is room for."""
    for dim in range(a.ndim):
        a = np.pad(np.take(a, [0], dim), [(2 * (d == dim), 0) for d in range(a.ndim)], constant_values=1)
    return a


@jit
def copied(to: Array, source: Array) -> None:
    """A copy of a run."""
    copy_elements(to, source)


@jit
def reversed_copy(to: Array, source: Array) -> None:
    """A copy of a run from its end on."""
    reverse_elements(to, source)


KERNELS = (copied, reversed_copy)


@pytest.mark.parametrize("dtype", [*DTYPES, np.complex128])
def test_runs_of_any_length_are_copied(dtype: Any) -> None:
    """Each length, from any place to any place; what lies around is left as it is."""
    check_copies(dtype, copied, reversed_copy)


@pytest.mark.parametrize("width", [16, 32, 64])
def test_runs_are_copied_by_vectors_of_any_width(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of other processors too; an element may fill one."""
    monkeypatch.setattr(runs, "vector_registers", lambda: (width, 2))
    kernels = [njit(rebuilt(kernel.function, callees(kernel.function))) for kernel in KERNELS]  # which nothing keeps
    for dtype in (np.float64, np.complex128):
        check_copies(dtype, *kernels)


def check_copies(dtype: Any, forward: Any, backward: Any) -> None:
    given = np.arange(300).astype(dtype)
    for count in range(140):
        for kernel, step in ((forward, 1), (backward, -1)):
            out, source = np.ones(count + 5, dtype), given[count % 7 + 1 :][:count]
            kernel(out[3 : 3 + count], source)
            assert np.array_equal(out[3 : 3 + count], source[::step])
            assert (out[:3] == 1).all()
            assert (out[3 + count :] == 1).all()


@pytest.mark.parametrize("name", MOVES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_elements_are_where_the_runs_say(name: str, layout: str) -> None:
    """In any layout and dtype, as NumPy moves them."""
    runs, expected = MOVES[name]

    def find(x: Layout) -> Plan | None:
        dims = [runs(line) for line in lines(x)]
        return index_map_plans.assembled(tuple(map(index_map_plans.length, dims)), dims, 1)

    for k, shape in enumerate(SHAPES):
        dtype = DTYPES[k % len(DTYPES)]
        array = LAYOUTS[layout](np.random.default_rng(0).integers(0, 9, shape).astype(dtype))
        assert np.array_equal(run(find, array)[0], expected(array))


def test_dimensions_that_go_on_are_one() -> None:
    """So a row is as long as may be."""
    x = Layout((4, 5, 6), None)
    assert merged_dims([full_run(*line) for line in lines(x)]) == [[Run(0, 1, 120)]]
    assert merged_dims([mirrored(*line) for line in lines(x)]) == [[Run(119, -1, 120)]]
    rolled = [rolled_run(*lines(x)[0], 1), *[full_run(*line) for line in lines(x)[1:]]]
    assert merged_dims([[run for run in runs if run.size] for runs in rolled]) == [[Run(90, 1, 30), Run(0, 1, 90)]]
    assert len(merged_dims([mirrored(4, 6), full_run(6, 1)])) == 2


def test_what_would_go_far_has_no_plan() -> None:
    """Columns that become rows are for kernels that go square by square; few elements are near each other."""
    for sizes, expected in (((50, 50), False), ((300, 300), True)):
        x = layout_of(np.zeros(sizes, np.float32).T)
        assert (index_map_plans.assembled(x.shape, [mirrored(*line) for line in lines(x)]) is None) == expected


def test_ranges_begin_anywhere() -> None:
    """A part that a thread does is what all of the call would have written there."""
    array = np.arange(60 * 100, dtype=np.float32).reshape(60, 100)
    for dims in ([rolled_run(60, 100, 7), bordered(100, 1, 2, 3)], [rolled_run(60, 100, 7), bordered(100, 1, 1, -95)]):
        (step,) = index_map_plans.assembled((60, index_map_plans.length(dims[1])), dims, 5) or ()
        extent, unit = step.rows or (0, 0)
        whole_result, parts = (np.zeros(step.results[0][1], np.float32).reshape(-1) for _ in range(2))
        step.kernel(array.reshape(-1), whole_result, *step.tables, *step.numbers, *step.ints, 0, extent)
        for first in range(0, extent, 3 * unit):
            last = min(extent, first + 3 * unit)
            step.kernel(array.reshape(-1), parts, *step.tables, *step.numbers, *step.ints, first, last)
        assert np.array_equal(whole_result, parts)


@pytest.mark.parametrize("kind", [sg.float32, sg.bfloat16, sg.float16, sg.int32, sg.int64, sg.bool])
def test_ops_move_special_values_of_all_dtypes(kind: sg.dtype) -> None:
    """nan, infinities and zeros with signs come through; halves of operands that lie apart are rounded once."""
    given = np.array([np.nan, np.inf, -np.inf, -0.0, 1.5, 0.0] * 60).reshape(18, 20)
    x = sg.tensor(given if kind.is_floating_point else np.nan_to_num(given).clip(-9, 9)).to(kind)
    for tensor in (x, x.t(), x[:, ::3], x.expand(2, 18, 20)):
        shown = tensor.double().numpy()
        for found, expected in (
            (tensor.flip((0, -1)), np.flip(shown, (0, -1))),
            (tensor.roll(5), np.roll(shown, 5)),
            (tensor.roll((1, 3), (0, 1)), np.roll(shown, (1, 3), (0, 1))),
            (tensor.repeat_interleave(3, -1), np.repeat(shown, 3, -1)),
            (sg.nn.functional.pad(tensor, (1, -2)), np.pad(shown, [(0, 0)] * (shown.ndim - 1) + [(1, 0)])[..., :-2]),
            (tensor.tril(1), np.tril(shown, 1)),
            (tensor.triu(-2), np.triu(shown, -2)),
        ):
            assert found.dtype is kind
            assert np.array_equal(found.double().numpy(), expected, equal_nan=True)
            assert np.array_equal(np.signbit(found.double().numpy()), np.signbit(expected))


@pytest.mark.parametrize("shape", [(400, 301), (30, 5000), (3, 200, 150)])
def test_large_triangles(shape: tuple[int, ...]) -> None:
    """Row by row, with diagonals inside and far away."""
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    for diagonal in (0, 3, -200, 10**6, -(10**6)):
        assert np.array_equal(sg.tensor(x).tril(diagonal).numpy(), np.tril(x, diagonal))
        assert np.array_equal(sg.tensor(x).triu(diagonal).numpy(), np.triu(x, diagonal))


def test_gradients_of_pieces_and_slices() -> None:
    """Of gradients in rows, transposed and expanded, small and large."""
    for rows in (6, 700):
        x = sg.tensor(np.random.default_rng(0).standard_normal((rows, 120)).astype(np.float32), requires_grad=True)
        weights = np.arange(rows * 240, dtype=np.float32).reshape(rows, 240)
        for grad in (weights, np.ascontiguousarray(weights.T).T, np.broadcast_to(weights[:, :1], weights.shape)):
            found = sg.autograd.grad(sg.cat((x, x[:, 1:], x[:, :1]), 1), x, sg.from_numpy(np.array(grad, order="K")))
            back = grad[:, :120].copy()
            back[:, 1:] += grad[:, 120:239]
            back[:, :1] += grad[:, 239:]
            assert np.array_equal(found[0].numpy(), back)


@pytest.mark.parametrize("ends", [(np.inf, 2.0), (1.0, -np.inf), (np.inf, np.inf), (1e30, 3e30)])
def test_areas_below_infinite_samples_are_infinite(ends: tuple[float, float]) -> None:
    """Nothing is taken off a sum of all: samples at the ends are added by halves."""
    y = np.array([ends[0], 1.0, -2.0, ends[1]], np.float32)
    assert sg.trapezoid(sg.tensor(y)).item() == np.float32(np.trapezoid(y.astype(np.float64)))
