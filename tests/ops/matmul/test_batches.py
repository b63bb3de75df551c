"""Products of batches and their gradients by plans: any layout, few items and many, any number of threads."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg

ROWS, DEPTH, COLUMNS = 65, 40, 70
WAYS = list(np.ndindex(2, 2))


def operand(rng: Any, batch: int, rows: int, columns: int, across: int) -> sg.Tensor:
    """A batch of matrices, each of which lies as it is, or across."""
    if across:
        return sg.tensor(rng.standard_normal((batch, columns, rows))).transpose(1, 2).requires_grad_()
    return sg.tensor(rng.standard_normal((batch, rows, columns))).requires_grad_()


def products(batch: int, across: tuple[int, ...]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """What bmm and its gradients give, and what NumPy does."""
    rng = np.random.default_rng(0)
    a, b = operand(rng, batch, ROWS, DEPTH, across[0]), operand(rng, batch, DEPTH, COLUMNS, across[1])
    grad = sg.tensor(rng.standard_normal((batch, ROWS, COLUMNS)))
    result = a.bmm(b)
    found = [result, *sg.autograd.grad(result, (a, b), grad)]
    x, y, g = (t.detach().numpy() for t in (a, b, grad))
    return [t.detach().numpy() for t in found], [x @ y, g @ y.swapaxes(1, 2), x.swapaxes(1, 2) @ g]


@pytest.mark.parametrize("batch", [0, 1, 3, 9])
def test_batches(threads: Any, batch: int) -> None:
    """The results are NumPy's, and have the same bits however many threads share them."""
    seen = []
    for number in (1, 2):
        threads(number)
        for across in WAYS:
            found, wanted = products(batch, across)
            for one, other in zip(found, wanted, strict=True):
                np.testing.assert_allclose(one, other, atol=1e-11)
            seen.append(found)
    for first, second in zip(seen[: len(WAYS)], seen[len(WAYS) :], strict=True):
        assert all(map(np.array_equal, first, second))


def test_one_item_of_any_stride() -> None:
    """The distance of items says nothing where there is one."""
    a = sg.randn(3, 40, 65)[1:2].transpose(1, 2)
    b = np.random.default_rng(1).standard_normal((1, 40, 70)).astype(np.float32)
    np.testing.assert_allclose(a.bmm(sg.tensor(b)).numpy(), a.numpy() @ b, atol=1e-4)


PRODUCTS: list[Any] = [
    ((2, 3, 4), (4,)),
    ((4,), (2, 4, 3)),
    ((2, 3, 4), (4, 5)),
    ((2, 3, 4, 5), (2, 3, 5, 2)),
]


@pytest.mark.parametrize(("left", "right"), PRODUCTS, ids=str)
def test_products_are_no_views(lib: Any, left: tuple[int, ...], right: tuple[int, ...]) -> None:
    """A product of a batch is written to in place and taken out of the graph as any result that is no view."""
    a = lib.tensor(np.random.default_rng(0).normal(size=left), requires_grad=True)
    b = lib.tensor(np.random.default_rng(1).normal(size=right), requires_grad=True)
    product = a @ b
    assert not product._is_view()
    product.mul_(2).sum().backward()
    ones = np.ones(np.matmul(a.detach().numpy(), b.detach().numpy()).shape)
    rows = b.detach().numpy() if b.ndim > 1 else b.detach().numpy()[:, None]
    ones = ones if b.ndim > 1 else ones[..., None]
    ones = ones if a.ndim > 1 else ones[..., None, :]
    expected = 2 * ones @ np.swapaxes(rows, -1, -2)
    expected = expected if a.ndim > 1 else expected.sum(axis=(0, 1))
    np.testing.assert_allclose(a.grad.numpy(), expected, rtol=1e-12)
    assert not (a @ b).detach_().requires_grad


def test_copies_are_no_views(lib: Any) -> None:
    """Nor are repeated tensors and Kronecker products, which are made of views of copies."""
    x = lib.ones(2, 3)
    assert not x.repeat(2, 2)._is_view() and not lib.kron(x, x)._is_view()
