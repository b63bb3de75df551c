"""Products of large matrices with vectors against einsum in double precision, over dtypes, shapes and layouts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.ops.matmul import cpu as linalg
from specgrad.runtime.ops.matmul import cpu_products as products
from tests.generated.calls import watched

DTYPES = (np.float32, np.float64, np.complex64)
# Around the blocks of 4 and 8 rows, and of 1024 columns and products; short and thin ones; and those that BLAS gets.
SHAPES = (
    *((7, 1500), (1500, 7), (97, 100), (5, 2048), (2049, 5), (9001, 1), (1, 9001), (3, 4), (0, 5), (5, 0)),
    *((70, 10), (33, 16), (61, 17), (29, 32), (16, 33)),
)
rng = np.random.default_rng(0)


def sample(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    values = rng.uniform(-2, 2, shape)
    return np.asarray(values + 1j * rng.uniform(-2, 2, shape) if np.dtype(dtype).kind == "c" else values).astype(dtype)


def layouts(shape: tuple[int, ...], dtype: Any) -> Iterator[np.ndarray]:
    """Contiguous, transposed in memory, strided, and one row for all."""
    yield sample(shape, dtype)
    yield (
        sample((*shape[:-2], *shape[:-3:-1]), dtype).swapaxes(-1, -2) if len(shape) > 1 else sample(shape, dtype)[::-1]
    )
    yield sample((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]
    yield np.broadcast_to(sample(shape[-1:], dtype), shape)


def close(found: np.ndarray, subscripts: str, *operands: np.ndarray) -> None:
    wide = [operand.astype(np.result_type(operand.dtype, np.float64)) for operand in operands]
    expected = np.einsum(subscripts, *wide)
    assert found.shape == expected.shape and found.dtype == operands[0].dtype
    size = np.einsum(subscripts, *map(np.abs, wide)).max(initial=1)  # what the sum would be without cancellation
    np.testing.assert_allclose(found, expected, rtol=0, atol=size * 20 * np.finfo(found.dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", SHAPES)
def test_matrix_and_vector(dtype: Any, shape: tuple[int, int]) -> None:
    """A matrix times a vector, a vector times it, and both as products with a matrix of one column or row."""
    rows, columns = shape
    for a in layouts(shape, dtype):
        for x, y in zip(layouts((columns,), dtype), layouts((rows,), dtype), strict=True):
            close(linalg.mv(a, x), "ij,j->i", a, x)
            close(linalg.mv(a.T, y), "ij,i->j", a, y)
        close(linalg.mm(a, x[:, None]), "ij,jk->ik", a, x[:, None])
        close(linalg.mm(y[None], a), "ki,ij->kj", y[None], a)
        close(linalg.linear(a, x, None), "ij,j->i", a, x)
        close(linalg.linear(x, a, None), "ij,j->i", a, x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_vectors(dtype: Any) -> None:
    """The product of two vectors, which is a number."""
    for size in (0, 1, 9000, 9001, 10243):
        for x, y in zip(layouts((size,), dtype), layouts((size,), dtype), strict=True):
            close(np.asarray(linalg.dot(x, y)), "i,i->", x, y)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(3, 97, 101), (2, 7, 1500), (0, 97, 101), (2, 3, 4)])
def test_one_row_for_each_item_of_a_batch(dtype: Any, shape: tuple[int, int, int]) -> None:
    """bmm of rows with matrices of any layout."""
    batch, depth, columns = shape
    for b in layouts(shape, dtype):
        for a in layouts((batch, 1, depth), dtype):
            close(linalg.bmm(a, b), "bij,bjk->bik", a, b)
        close(products.row_by_matrices(a, b), "bij,bjk->bik", a, b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(9, 1), (70, 10), (7, 512), (5, 513), (1, 3), (4, 0)])
def test_one_row_and_one_column_for_each_item_of_a_batch(dtype: Any, shape: tuple[int, int]) -> None:
    """bmm of rows with columns, short ones side by side; einsum comes here too."""
    batch, depth = shape
    for a in layouts((batch, 1, depth), dtype):
        for b in layouts((batch, depth, 1), dtype):
            close(linalg.bmm(a, b), "bij,bjk->bik", a, b)
    x, y = sg.from_numpy(sample(shape, dtype)), sg.from_numpy(sample(shape, dtype))
    for _ in range(2):
        close(sg.einsum("ij,ij->i", x, y).numpy(), "ij,ij->i", x.numpy(), y.numpy())


def test_integers_are_left_to_numpy() -> None:
    """They are exact, in whatever order they are added."""
    a, x = rng.integers(-9, 9, (200, 100)), rng.integers(-9, 9, 100)
    np.testing.assert_array_equal(linalg.mv(a, x), a @ x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_bias_of_any_layout(dtype: Any) -> None:
    """The row that is added may be strided, or one number for all columns."""
    x, weight = sample((4, 3), dtype), sample((2, 3), dtype)
    for bias in layouts((2,), dtype):
        np.testing.assert_allclose(linalg.linear(x, weight, bias), x @ weight.T + bias, rtol=1e-5)


@pytest.mark.parametrize("depth", [1, 7, 300])
@pytest.mark.parametrize("biased", [True, False])
def test_a_linear_layer_of_a_vector(depth: int, biased: bool) -> None:
    """One example without a batch: NumPy's values with all gradients, and each time the same bits, planned or not."""
    rng = np.random.default_rng(3)
    x, weight, bias, grad = (rng.standard_normal(shape) for shape in ((depth,), (5, depth), (5,), (5,)))
    requested = weight @ x + bias * biased, grad @ weight, np.outer(grad, x), grad
    seen = []
    for general in (False, False, True):  # the first call finds the plans
        with watched(general):
            given = [sg.tensor(array, requires_grad=True) for array in (x, weight, bias)[: 2 + biased]]
            result = sg.nn.functional.linear(*given)
            grads = sg.autograd.grad(result, given, sg.tensor(grad))
            seen.append([tensor.detach().numpy() for tensor in (result, *grads)])
    for found in seen:
        for one, other, last in zip(found, requested, seen[-1], strict=False):
            np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)
            np.testing.assert_array_equal(one, last)
