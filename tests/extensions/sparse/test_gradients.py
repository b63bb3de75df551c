"""Gradients of and through sparse tensors: those of the strided tensor, at the places that are kept."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import specgrad as sg

pytestmark = [
    pytest.mark.cpu("indices are arranged on the host, whatever the device is"),
    pytest.mark.filterwarnings("ignore:Sparse"),  # PyTorch's, of features that it calls new
]

INDEX = np.array([[0, 1, 1, 0, 2], [2, 0, 2, 2, 1]])
VALUES = np.array([0.3, 0.4, 0.5, 0.1, -0.7])
COALESCED = np.array([1, 3, 2]), np.array([[0, 1, 1, 2], [2, 0, 2, 1]])
FULL = np.arange(1.0, 10.0).reshape(3, 3) / 10
WEIGHTS = np.random.RandomState(0).randn(40)

Function = Callable[[ModuleType, Any], Any]
FUNCTIONS: dict[str, Function] = {
    "to_dense": lambda lib, x: x.to_dense(),
    "coalesce": lambda lib, x: x.coalesce().values(),
    "rows": lambda lib, x: x.to_sparse_csr().values(),
    "columns": lambda lib, x: x.to_sparse_csc().to_sparse().to_dense(),
    "mm": lambda lib, x: lib.sparse.mm(x, lib.tensor(FULL)),
    "mm of rows": lambda lib, x: x.to_sparse_csr() @ lib.tensor(FULL),
    "mm from the left": lambda lib, x: lib.tensor(FULL) @ x,
    "mv": lambda lib, x: x.mv(lib.tensor(FULL[0])),
    "addmm": lambda lib, x: lib.sparse.addmm(lib.tensor(FULL), x, lib.tensor(FULL), beta=2, alpha=3),
    "sparse mm": lambda lib, x: lib.sparse.mm(x, x.t()).to_dense(),
    "sum": lambda lib, x: lib.sparse.sum(x),
    "sum of rows": lambda lib, x: lib.sparse.sum(x, 1).to_dense(),
    "softmax": lambda lib, x: lib.sparse.softmax(x, 1).to_dense(),
    "softmax of columns": lambda lib, x: lib.sparse.softmax(x, 0).to_dense(),
    "log_softmax": lambda lib, x: lib.sparse.log_softmax(x, 1).to_dense(),
    "sin": lambda lib, x: x.sin().to_dense(),
    "power": lambda lib, x: (x**2).to_dense(),
    "neg": lambda lib, x: (-x).to_dense(),
    "scaled": lambda lib, x: (x * 3 / 2).to_dense(),
    "times strided": lambda lib, x: (x * lib.tensor(FULL)).to_dense(),
    "times sparse": lambda lib, x: (x * x.sin()).to_dense(),
    "added": lambda lib, x: (x + 2 * x.t()).to_dense(),
    "subtracted from strided": lambda lib, x: lib.tensor(FULL) - x,
    "transpose": lambda lib, x: x.t().to_dense(),
    "index_select": lambda lib, x: x.index_select(1, lib.tensor([2, 2, 0])).to_dense(),
    "select": lambda lib, x: x[1].to_dense(),
    "slice": lambda lib, x: x[:, 1:].to_dense(),
    "cat": lambda lib, x: lib.cat([x, 2 * x], 1).to_dense(),
    "stack": lambda lib, x: lib.stack([x, 2 * x]).to_dense(),
    "sampled": lambda lib, x: lib.sparse.sampled_addmm(
        x.to_sparse_csr(), lib.tensor(FULL), lib.tensor(FULL), beta=2
    ).to_dense(),
    "norm": lambda lib, x: x.norm(),
    "mean of products": lambda lib, x: lib.sparse.mm(x.to_sparse_csr(), lib.tensor(FULL), "mean"),
    "masked": lambda lib, x: x.sparse_mask(x.detach()).to_dense(),
    "converted": lambda lib, x: x.to(lib.float64).clone().to_dense(),
}


def weighted(result: Any) -> Any:
    """A number of all elements of a result, each with a weight of its own."""
    return (result.reshape(-1) * sg.tensor(WEIGHTS[: result.numel()])).sum()


def differences(function: Callable[[np.ndarray], float], at: np.ndarray) -> np.ndarray:
    """Central differences."""
    step, found = 1e-6, np.zeros_like(at)
    for position in np.ndindex(at.shape):
        beside = np.zeros_like(at)
        beside[position] = step
        found[position] = (function(at + beside) - function(at - beside)) / (2 * step)
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_values(name: str) -> None:
    """Gradients flow to the values that a tensor was made of, also those at one place."""

    def of(values: Any) -> Any:
        return weighted(FUNCTIONS[name](sg, sg.sparse_coo_tensor(INDEX, values, (3, 3))))

    values = sg.tensor(VALUES, requires_grad=True)
    of(values).backward()
    expected = differences(lambda v: float(of(sg.tensor(v))), VALUES)
    assert np.allclose(values.grad.numpy(), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradients_of_a_leaf(name: str) -> None:
    """The gradient of a sparse leaf is sparse: for each place what its element, however it is listed, contributes."""
    x = sg.sparse_coo_tensor(INDEX, VALUES, (3, 3)).requires_grad_()
    weighted(FUNCTIONS[name](sg, x)).backward()
    first, index = COALESCED
    at = np.array([0.4, 0.4, 0.5, -0.7])
    expected = np.zeros((3, 3))
    expected[tuple(index)] = differences(
        lambda v: float(weighted(FUNCTIONS[name](sg, sg.sparse_coo_tensor(index, v, (3, 3))))), at
    )
    assert x.grad.layout is sg.sparse_coo
    assert x.grad.shape == x.shape
    assert np.allclose(x.grad.to_dense().numpy(), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", ["mm", "softmax", "times sparse", "sparse mm", "sin"])
def test_second_derivatives(name: str) -> None:
    """The gradient of a gradient, by differences of the gradient."""

    def gradient(values: Any) -> Any:
        x = sg.sparse_coo_tensor(INDEX, values, (3, 3))
        (found,) = sg.autograd.grad(weighted(FUNCTIONS[name](sg, x) ** 2), values, create_graph=True)
        return found

    values = sg.tensor(VALUES, requires_grad=True)
    (found,) = sg.autograd.grad((gradient(values) * sg.tensor(WEIGHTS[:5])).sum(), values)

    def number(v: np.ndarray) -> float:
        return float((gradient(sg.tensor(v, requires_grad=True)).detach() * sg.tensor(WEIGHTS[:5])).sum())

    assert np.allclose(found.numpy(), differences(number, VALUES), rtol=1e-5, atol=1e-7)


def test_gradients_of_strided_factors(lib: ModuleType) -> None:
    """The other factor has the gradient that it has beside a strided one."""
    x = lib.sparse_coo_tensor(lib.tensor(INDEX), lib.tensor(VALUES), (3, 3)).coalesce()
    for product in (lambda a, b: a @ b, lambda a, b: b @ a, lambda a, b: (a * b).to_dense()):
        y, z = (lib.tensor(FULL).requires_grad_() for _ in range(2))
        product(x, y).sum().backward()
        product(x.to_dense(), z).sum().backward()
        assert np.allclose(y.grad.to_dense().numpy(), z.grad.numpy())


def test_dense_from_sparse_and_back(lib: ModuleType) -> None:
    """The gradient of a strided tensor through its sparse form, where elements are kept."""
    x = lib.tensor([[0.0, 2.0], [3.0, 0.0]], requires_grad=True)
    (x.to_sparse().to_dense() * lib.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    assert x.grad.to_dense().tolist() == [[0.0, 2.0], [3.0, 0.0]]


def test_hooks_and_kept_gradients(lib: ModuleType) -> None:
    """A sparse tensor has its place in the graph: hooks see its gradient, `retain_grad` keeps it."""
    x = lib.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (3,)).requires_grad_()
    y, seen = x * 3, []
    y.retain_grad()
    y.register_hook(lambda grad: seen.append(grad.to_dense().tolist()))
    lib.sparse.sum(y).backward()
    assert seen == [[1.0, 0.0, 1.0]]
    assert y.grad.to_dense().tolist() == [1.0, 0.0, 1.0]
    assert x.grad.to_dense().tolist() == [3.0, 0.0, 3.0]
    assert (x.is_leaf, y.is_leaf, y.requires_grad, y.detach().requires_grad) == (True, False, True, False)


def test_gradients_add_up(lib: ModuleType) -> None:
    """A second pass adds to a sparse gradient."""
    x = lib.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (3,)).requires_grad_()
    for _ in range(2):
        lib.sparse.sum(x * x).backward()
    assert x.grad.to_dense().tolist() == [4.0, 0.0, 8.0]


def test_watched_passes() -> None:
    """Anomaly mode looks for NaN among the values of sparse gradients."""
    x = sg.sparse_coo_tensor([[0, 2]], [1.0, 0.0], (3,)).requires_grad_()
    with sg.autograd.set_detect_anomaly(True):
        sg.sparse.sum(x * 3).backward()
        assert x.grad.to_dense().tolist() == [3.0, 0.0, 3.0]
        with (
            pytest.warns(UserWarning, match="Error detected"),
            pytest.raises(RuntimeError, match="nan"),
        ):
            sg.sparse.sum((x * float("inf")).sqrt() * 0).backward()


def test_a_leaf_is_not_written_to(lib: ModuleType) -> None:
    """In place only outside the graph."""
    x = lib.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (3,)).requires_grad_()
    with pytest.raises(RuntimeError, match="in-place"):
        x.mul_(2)
    with lib.no_grad():
        x.mul_(2)
    assert x.to_dense().tolist() == [2.0, 0.0, 4.0]


@pytest.mark.parametrize("layout", ["sparse_csr", "sparse_csc"])
def test_compressed_leaves(layout: str) -> None:
    """The gradient of a leaf of compressed rows, or columns, has its layout."""
    x = sg.tensor([[0.0, 2.0], [3.0, 4.0]]).to_sparse(layout=getattr(sg, layout)).requires_grad_()
    (x @ sg.tensor([[1.0], [10.0]])).sum().backward()
    (x * 2).sum().backward()
    assert x.grad.layout is x.layout
    assert x.grad.to_dense().tolist() == [[0.0, 12.0], [3.0, 12.0]]
