"""Composites that are one call of a kernel under some condition: native code answers that, and nothing else.

Each call is made twice: what the first one found is what native code goes by in the second.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg

rng = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.complex64])
@pytest.mark.parametrize("keepdim", [False, True])
def test_norms(keepdim: bool, dtype: Any) -> None:
    """A norm without an order counts all elements as one vector, one of order 2 is that of a matrix."""
    given = sg.tensor(rng.standard_normal((4, 5))).to(dtype)
    for x in (given, given.T.contiguous().T, given[:, ::2], given[:0]):
        a = x.numpy()
        for dim in (None, 0, -1, (0, 1), [-1, 0], [1]):
            axis = tuple(dim) if isinstance(dim, list) else dim
            for _ in range(2):
                found = sg.linalg.norm(x, dim=dim, keepdim=keepdim)
                expected = np.sqrt(np.sum(np.abs(a) ** 2, axis, keepdims=keepdim))
                np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5)
                assert found.shape == expected.shape
        for dim in ((-2, -1), [1, 0]):
            for _ in range(2):
                found = sg.linalg.matrix_norm(x, "fro", dim, keepdim)
                np.testing.assert_allclose(found.numpy(), np.linalg.norm(a, "fro", tuple(dim), keepdim), rtol=1e-5)
        if x.numel():
            for _ in range(2):
                sg.linalg.vector_norm(x, 2)
                np.testing.assert_allclose(sg.linalg.norm(x, 2).numpy(), np.linalg.norm(a, 2), rtol=1e-5)
                np.testing.assert_allclose(sg.linalg.matrix_norm(x, "nuc").numpy(), np.linalg.norm(a, "nuc"), rtol=1e-5)


def test_norms_in_a_dtype() -> None:
    x = sg.tensor(rng.standard_normal((4, 5)), dtype=sg.float32)
    for _ in range(2):
        assert sg.linalg.norm(x).dtype is sg.float32 and sg.linalg.norm(x, dtype=sg.float64).dtype is sg.float64
        assert sg.linalg.matrix_norm(x, dtype=sg.float64).dtype is sg.float64


def test_gradients_of_norms() -> None:
    x = sg.tensor(rng.standard_normal((4, 5)), requires_grad=True)
    for call in (sg.linalg.norm, lambda x: sg.linalg.matrix_norm(x, "fro")):
        for _ in range(2):
            x.grad = None
            call(x).backward()
            np.testing.assert_allclose(x.grad.numpy(), x.detach().numpy() / np.linalg.norm(x.detach().numpy()))


def test_products_of_two() -> None:
    a, b, c = (sg.tensor(rng.standard_normal(shape)) for shape in ((2, 3), (3, 4), (3,)))
    for _ in range(2):
        for given in ([a, b], (a, b), [a, c], [c, b], [b.T, a.T]):
            expected = np.linalg.multi_dot([x.numpy() for x in given])
            np.testing.assert_allclose(sg.linalg.multi_dot(given).numpy(), expected)


def test_what_is_refused() -> None:
    """Also where the kernel has found the same layouts before."""
    x, line = sg.ones(3, 3), sg.ones(3)
    for _ in range(2):
        sg.linalg.norm(x), sg.linalg.matrix_norm(x), sg.linalg.vector_norm(line, 2, 0), sg.mm(x, x)
        sg.linalg.vector_norm(x, 2, (0,)), sg.linalg.vector_norm(line, 2, (-1,))
        for call in (
            lambda: sg.linalg.matrix_norm(line, "fro"),
            lambda: sg.linalg.matrix_norm(x, "fro", (0,)),
            lambda: sg.linalg.matrix_norm(x, "fro", (0, 0)),
            lambda: sg.linalg.matrix_norm(x, "fro", 0),
            lambda: sg.linalg.norm(x, dim=5),
            lambda: sg.linalg.norm(sg.ones(3, dtype=sg.int64)),
            lambda: sg.linalg.multi_dot([x]),
            lambda: sg.linalg.multi_dot(x),
        ):
            with pytest.raises((RuntimeError, TypeError, IndexError, NotImplementedError), match="linalg"):
                call()
