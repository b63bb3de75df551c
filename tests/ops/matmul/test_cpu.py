"""Matrix product kernels against einsum, over dtypes and layouts."""

import numpy as np
import pytest

from specgrad.runtime.ops.matmul import cpu as linalg

rng = np.random.default_rng(0)
DTYPES = (np.float32, np.float64, np.complex64, np.complex128, np.int64)


def sample(shape, dtype):
    values = rng.uniform(-2, 2, shape)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.uniform(-2, 2, shape)
    return np.asarray(values * (9 if dtype == np.int64 else 1)).astype(dtype)


def layouts(shape, dtype):
    """Contiguous, with the last two dimensions transposed in memory, and strided."""
    yield sample(shape, dtype)
    if len(shape) > 1:
        yield sample((*shape[:-2], shape[-1], shape[-2]), dtype).swapaxes(-1, -2)
    yield sample((*shape[:-1], 2 * shape[-1]), dtype)[..., ::2]


def close(found, expected):
    single = np.asarray(expected).dtype in (np.float32, np.complex64)
    np.testing.assert_allclose(found, expected, rtol=1e-4 if single else 1e-12, atol=1e-5 if single else 1e-12)


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_for_all_layouts_of_both_operands(dtype):
    """mm, mv, dot and bmm do not depend on how their operands lie in memory."""
    for a in layouts((3, 4), dtype):
        for b in layouts((4, 2), dtype):
            close(linalg.mm(a, b), np.einsum("ij,jk->ik", a, b))
        for x in layouts((4,), dtype):
            close(linalg.mv(a, x), np.einsum("ij,j->i", a, x))
            close(linalg.dot(a[1], x), np.einsum("i,i->", a[1], x))
    for a in layouts((2, 3, 4), dtype):
        for b in layouts((2, 4, 3), dtype):
            close(linalg.bmm(a, b), np.einsum("bij,bjk->bik", a, b))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("beta, alpha", [(1, 1), (0, 1), (2, -3)])
def test_products_that_add(dtype, beta, alpha):
    """addmm, addmv, baddbmm and addbmm are beta c + alpha times the product, with c broadcast."""
    a, b = sample((2, 3, 4), dtype), sample((2, 4, 5), dtype)
    c, y = sample((5,), dtype), sample((3,), dtype)
    retained = a.copy()
    product = np.einsum("bij,bjk->bik", a, b)
    close(linalg.addmm(c, a[0], b[0], beta, alpha), beta * c + alpha * product[0])
    close(linalg.addmv(y, a[0], b[0, :, 1], beta, alpha), beta * y + alpha * product[0, :, 1])
    close(linalg.baddbmm(c, a, b, beta, alpha), beta * c + alpha * product)
    close(linalg.addbmm(c, a, b, beta, alpha), beta * c + alpha * product.sum(0))
    np.testing.assert_array_equal(a, retained)


def test_beta_zero_does_not_read_what_is_added():
    """nan in the first argument does not come through when beta is 0."""
    found = linalg.addmm(np.full(2, np.nan), np.eye(2), np.eye(2), 0, 1)
    np.testing.assert_array_equal(found, np.eye(2))


def test_products_over_nothing():
    """An empty inner dimension gives zeros, an empty outer one an empty result."""
    np.testing.assert_array_equal(linalg.mm(np.ones((2, 0)), np.ones((0, 3))), np.zeros((2, 3)))
    assert linalg.mm(np.ones((0, 2)), np.ones((2, 3))).shape == (0, 3)
    assert linalg.bmm(np.ones((0, 3, 4)), np.ones((0, 4, 2))).shape == (0, 3, 2)
    np.testing.assert_array_equal(linalg.addbmm(np.ones(2), np.ones((0, 3, 4)), np.ones((0, 4, 2)), 1, 1), 1)
    assert linalg.dot(np.ones(0), np.ones(0)) == 0


@pytest.mark.parametrize("rows, depth, columns", [(4, 3, 5), (40, 64, 60), (1, 3, 4), (4, 3, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_linear_with_a_bias_in_any_layout(rows, depth, columns, dtype):
    """One that lies in steps, or is one number for all, is read as such."""
    x, weight = sample((rows, depth), dtype), sample((columns, depth), dtype)
    for bias in (sample((2 * columns,), dtype)[::2], np.broadcast_to(sample((1,), dtype), (columns,))):
        close(linalg.linear(x, weight, bias), x @ weight.T + bias)
