"""Products of batches and their gradients by plans: any layout, few items and many, any number of threads."""

import itertools
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.generated.calls import watched

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
            found, requested = products(batch, across)
            for one, other in zip(found, requested, strict=True):
                np.testing.assert_allclose(one, other, atol=1e-11)
            seen.append(found)
    for first, second in zip(seen[: len(WAYS)], seen[len(WAYS) :], strict=True):
        assert all(map(np.array_equal, first, second))


def test_one_item_of_any_stride() -> None:
    """The distance of items says nothing where there is one."""
    a = sg.randn(3, 40, 65)[1:2].transpose(1, 2)
    b = np.random.default_rng(1).standard_normal((1, 40, 70)).astype(np.float32)
    np.testing.assert_allclose(a.bmm(sg.tensor(b)).numpy(), a.numpy() @ b, atol=1e-4)


LYING: dict[str, Any] = {
    "as it is": lambda x: sg.tensor(x),
    "across": lambda x: sg.tensor(x.swapaxes(1, 2).copy()).transpose(1, 2),
    "one matrix": lambda x: sg.tensor(x[0]).expand(x.shape),
    "one across": lambda x: sg.tensor(x[0].T.copy()).t().expand(x.shape),
    "apart": lambda x: sg.tensor(np.repeat(x, 2, 2))[:, :, ::2],
}


@pytest.mark.parametrize("sizes", [(5, 3, 4, 6), (5, 1, 4, 6), (5, 3, 1, 6), (5, 4, 1, 1), (1, 1, 5, 32), (5, 3, 4, 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_layout_of_both(sizes: tuple[int, ...], dtype: Any) -> None:
    """bmm, baddbmm with a row that is broadcast, and gradients: as NumPy; products have the general path's bits."""
    batch, rows, depth, columns = sizes
    rng = np.random.default_rng(2)
    shapes = (batch, rows, depth), (batch, depth, columns), (1, columns), (batch, rows, columns)
    x, y, row, grad = (rng.standard_normal(shape).astype(dtype) for shape in shapes)
    for first, second in itertools.product(LYING.values(), LYING.values()):
        seen = []
        for general in (False, False, True):  # plans are found by the first call
            with watched(general):
                a, b = first(x).requires_grad_(), second(y).requires_grad_()
                result = a.bmm(b)
                grads = sg.autograd.grad(result, (a, b), sg.tensor(grad))
                added = sg.baddbmm(sg.tensor(row).expand(shapes[3]), a, b)
                seen.append([t.detach().numpy() for t in (result, *grads, added)])
        u, v = (t.detach().double().numpy() for t in (a, b))
        requested = [u @ v, grad @ v.swapaxes(1, 2), u.swapaxes(1, 2) @ grad, u @ v + row]
        for found in seen:
            for one, other in zip(found, requested, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5 if dtype is np.float32 else 1e-12)
        assert all(np.array_equal(found[k], seen[2][k]) for found in seen for k in (0, 3))


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
