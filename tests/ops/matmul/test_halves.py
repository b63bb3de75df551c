"""Products of bfloat16 matrices, in float32 and rounded once: by each kind of instruction that this processor has."""

import itertools
import os
import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest

import specgrad as sg
from specgrad.nn import functional as F
from specgrad.runtime.compiler.passes.target import host, pair_products
from tests.patience import PATIENCE
from tests.repository import ROOT

# Rows, depth, columns: of squares, of what is left of them, of several parts of the depth, and of nothing.
SIZES = [(5, 7, 3), (2, 1, 2), (32, 32, 32), (33, 31, 17), (70, 513, 100), (40, 1060, 48), (3, 0, 5), (0, 4, 2)]
SIZES += [(1, 40, 33), (33, 40, 1), (20, 30, 600)]
Array = np.ndarray


def sampled(*shape: int) -> sg.Tensor:
    """bfloat16 numbers, which are the same each time."""
    numbers = np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)
    return sg.tensor(numbers).to(sg.bfloat16)


def wide(t: sg.Tensor) -> Array:
    """The numbers as float64."""
    return t.detach().double().numpy()


def check(found: sg.Tensor, a: Array, b: Array, added: Array | float = 0.0) -> None:
    """found = a b + added: half a unit of bfloat16 from rounding, and one of float32 for each of the sums."""
    assert found.dtype is sg.bfloat16
    exact, size = a @ b + added, np.abs(a) @ np.abs(b) + np.abs(added)
    off = np.abs(wide(found) - exact)
    assert found.shape == exact.shape and (off <= 2.0**-8 * np.abs(exact) + (a.shape[-1] + 1) * 2.0**-23 * size).all()


def with_layout(a: sg.Tensor) -> Iterator[sg.Tensor]:
    """As it is, and as the transpose of what lies so."""
    yield a
    yield a.mT.contiguous().mT


def check_all() -> None:
    """Products in all sizes and layouts, and gradients of those that have some."""
    for rows, depth, columns in SIZES:
        for a, b in itertools.product(with_layout(sampled(rows, depth)), with_layout(sampled(depth, columns))):
            check(a @ b, wide(a), wide(b))
        check_linear(sampled(rows, depth), sampled(columns, depth), sampled(columns), sampled(rows, columns))
    for batch, rows, depth, columns in [(3, 5, 7, 4), (9, 33, 40, 34), (2, 40, 70, 33)]:
        for a, b in itertools.product(
            with_layout(sampled(batch, rows, depth)), with_layout(sampled(batch, depth, columns))
        ):
            check_products(a, b)


def check_linear(x: sg.Tensor, weight: sg.Tensor, bias: sg.Tensor, grad: sg.Tensor) -> None:
    """A linear layer with its gradients."""
    x, weight, bias = (t.clone().requires_grad_() for t in (x, weight, bias))
    result = F.linear(x, weight, bias)
    check(result, wide(x), wide(weight).T, wide(bias))
    check(F.linear(x, weight), wide(x), wide(weight).T)
    result.backward(grad)
    check(x.grad, wide(grad), wide(weight))
    check(weight.grad, wide(grad).T, wide(x))


def check_products(a: sg.Tensor, b: sg.Tensor) -> None:
    """Products of two batches with their gradients."""
    a, b = a.detach().requires_grad_(), b.detach().requires_grad_()
    result = a @ b
    check(result, wide(a), wide(b))
    grad = sampled(*result.shape)
    result.backward(grad)
    check(a.grad, wide(grad), wide(b).swapaxes(1, 2))
    check(b.grad, wide(a).swapaxes(1, 2), wide(grad))


def test_products_and_their_gradients() -> None:
    """By the best instructions that there are."""
    check_all()


@pytest.mark.parametrize("without, way", [(("amx-tile",), "dots"), (("amx-tile", "avx512bf16"), "")])
def test_processors_with_fewer_instructions(without: tuple[str, ...], way: str) -> None:
    """In a process that knows of fewer: what it compiles is kept apart."""
    if not all(f"+{name}" in host().features for name in without):
        pytest.skip("this processor has none of these")
    features = ",".join(each for each in host().features.split(",") if each[1:] not in without)
    environment = {**os.environ, "NUMBA_CPU_FEATURES": features, "NUMBA_CPU_NAME": host().name, "PYTHONPATH": str(ROOT)}
    program = "from tests.ops.matmul import test_halves as t; t.check_all(); print(t.pair_products())"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == way == ("" if len(without) > 1 else "dots")


@pytest.mark.parametrize("batch, rows, depth, columns", [(1, 300, 600, 170), (1, 80, 300, 900), (9, 130, 200, 90)])
def test_any_number_of_threads_gives_the_same_bits(batch: int, rows: int, depth: int, columns: int) -> None:
    """They share rows or columns."""
    a, b = sampled(batch, rows, depth).squeeze(0), sampled(batch, depth, columns).squeeze(0)
    given, found = sg.get_num_threads(), []
    try:
        for threads in (1, 2, 4):
            sg.set_num_threads(threads)
            found.append(wide(a @ b).tobytes())
    finally:
        sg.set_num_threads(given)
    assert found[0] == found[1] == found[2]


def test_infinity_and_nan_stay_in_their_rows() -> None:
    """Rows and columns that fill up a square are zeros, which meet no number of another row."""
    a, b = sampled(5, 40), sampled(40, 3)
    a[1, 3], a[2, 0] = float("inf"), float("nan")
    found = (a @ b).double().numpy()
    assert np.isinf(found[1]).all() and np.isnan(found[2]).all() and np.isfinite(found[[0, 3, 4]]).all()
    assert pair_products() in ("tiles", "dots", "")
