"""The CPU kernels of linear maps and of embedding."""

import numpy as np
import pytest

from specgrad.runtime.ops.embedding import cpu as embedding
from specgrad.runtime.ops.matmul import cpu_linear as linear

RNG = np.random.default_rng(0)


def randn(*shape):
    return np.asarray(RNG.standard_normal(shape))


def test_linear_and_its_weight_gradient():
    for lead in [(), (4,), (2, 3), (0,)]:
        x, w, b = randn(*lead, 5), randn(3, 5), randn(3)
        y = linear.linear(x, w, b)
        np.testing.assert_allclose(y, x @ w.T + b, rtol=1e-12)
        g = randn(*y.shape)
        expected = np.einsum("no,ni->oi", g.reshape(-1, 3), x.reshape(-1, 5))
        np.testing.assert_allclose(linear.linear_weight_grad(g, x), expected, rtol=1e-12, atol=1e-14)
        row = randn(5)
        y = linear.linear(x, row, None)
        np.testing.assert_allclose(y, x @ row, rtol=1e-12)
        expected = np.einsum("n,ni->i", y.reshape(-1), x.reshape(-1, 5))
        np.testing.assert_allclose(linear.linear_weight_grad(y, x), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("index_dtype", [np.int32, np.int64])
def test_embedding_and_its_gradient(index_dtype):
    table = randn(6, 3)
    indices = np.array([[1, 4, 1], [0, 5, 1]], index_dtype)
    np.testing.assert_array_equal(embedding.embedding(table, indices), table[indices])
    assert embedding.embedding(table, indices[:0]).shape == (0, 3, 3)
    assert embedding.embedding(table[:, :0], indices).shape == (2, 3, 0)
    g = randn(2, 3, 3)
    expected = np.zeros((6, 3))
    np.add.at(expected, indices, g)
    np.testing.assert_allclose(embedding.embedding_backward(g, indices, 6, -1, False), expected, rtol=1e-14)
    expected /= np.array([1, 3, 1, 1, 1, 1])[:, None]
    expected[4] = 0
    np.testing.assert_allclose(embedding.embedding_backward(g, indices, 6, 4, True), expected, rtol=1e-14)
    back = embedding.embedding_gather(table, indices, 4, True)
    assert (back * g).sum() == pytest.approx((table * expected).sum())


@pytest.mark.parametrize("bad", [-1, 6])
def test_embedding_refuses_indices_outside_the_table(bad):
    with pytest.raises(IndexError, match=rf"expected an index in \[0, 5\], got {bad}"):
        embedding.embedding(randn(6, 3), np.array([0, bad]))
    with pytest.raises(IndexError, match=f"got {bad}"):
        embedding.embedding_backward(randn(2, 3), np.array([0, bad]), 6, -1, False)
