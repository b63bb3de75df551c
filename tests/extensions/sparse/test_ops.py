"""Ops on sparse tensors give what they give of the strided tensors with the same elements."""

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scipy.sparse

import specgrad as sg

pytestmark = [
    pytest.mark.cpu("indices are arranged on the host, whatever the device is"),
    pytest.mark.filterwarnings("ignore:Sparse"),  # PyTorch's, of features that it calls new
]

A = np.array([[0.0, 0.5, 0.0, -0.25], [0.0, 0.0, 0.0, 0.0], [0.75, 0.0, -0.5, 0.0]])
B = np.array([[0.5, 0.5, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [3.0, 0.0, 0.0, 1.0]])
FULL = np.arange(1.0, 13.0).reshape(3, 4)

Function = Callable[[ModuleType, Any], Any]
UNARY = (
    *("abs", "asin", "asinh", "atan", "atanh", "ceil", "deg2rad", "erf", "erfinv", "expm1", "floor", "frac", "log1p"),
    *("neg", "rad2deg", "relu", "round", "sign", "sin", "sinh", "square", "tan", "tanh", "trunc", "isnan", "signbit"),
)
LAYOUTS = ("sparse_coo", "sparse_csr", "sparse_csc")


def sparse(lib: ModuleType, array: np.ndarray, layout: str = "sparse_coo", twice: bool = False) -> Any:
    """An array as a sparse tensor; `twice` lists each place with a half of its element two times."""
    if twice:
        index, values = np.stack(array.nonzero()), array[array.nonzero()] / 2
        order = np.random.RandomState(0).permutation(2 * len(values))
        both = np.concatenate((index, index), 1)[:, order], np.concatenate((values, values))[order]
        return lib.sparse_coo_tensor(lib.tensor(both[0]), lib.tensor(both[1]), array.shape)
    return lib.tensor(array).to_sparse(layout=getattr(lib, layout))


@pytest.mark.parametrize("layout", ["sparse_csr", "twice"])
@pytest.mark.parametrize("name", UNARY)
def test_zero_for_zero(name: str, layout: str) -> None:
    """Functions that are zero at zero are computed on values, where elements have been added up."""
    x = sparse(sg, A, twice=True) if layout == "twice" else sparse(sg, A, layout)
    found = getattr(x, name)()
    expected = getattr(sg.tensor(A), name)().numpy()
    assert found.layout is x.layout
    assert np.array_equal(found.to_dense().numpy(), expected)


BINARY: dict[str, Function] = {
    "x + y": lambda lib, make: make(A) + make(B),
    "x - y": lambda lib, make: make(A) - make(B),
    "x + 3 y": lambda lib, make: lib.add(make(A), make(B), alpha=3),
    "x * y": lambda lib, make: make(A) * make(B),
    "x * full": lambda lib, make: make(A) * lib.tensor(FULL),
    "full * x": lambda lib, make: lib.tensor(FULL) * make(A),
    "x * row": lambda lib, make: make(A) * lib.tensor(FULL)[:1],
    "x * 2": lambda lib, make: make(A) * 2,
    "2 * x": lambda lib, make: 2 * make(A),
    "x * tensor of one number": lambda lib, make: make(A) * lib.tensor(2.0, dtype=lib.float64),
    "x / 4": lambda lib, make: make(A) / 4,
    "x // 0.25": lambda lib, make: lib.div(make(A), 0.3, rounding_mode="floor"),
    "x ** 2": lambda lib, make: make(A) ** 2,
    "full + x": lambda lib, make: lib.tensor(FULL) + make(A),
    "full - x": lambda lib, make: lib.tensor(FULL) - make(A),
    "transpose": lambda lib, make: make(A).t(),
    "T": lambda lib, make: make(A).T,
    "mT": lambda lib, make: make(A).mT,
    "transpose of dims": lambda lib, make: make(A).transpose(-1, 0),
    "permute": lambda lib, make: make(A).permute(1, 0),
    "index_select": lambda lib, make: lib.index_select(make(A), 0, lib.tensor([2, 2, 0])),
    "index_select of columns": lambda lib, make: make(A).index_select(1, lib.tensor([3, 1, 1])),
    "row": lambda lib, make: make(A)[2],
    "column": lambda lib, make: make(A)[:, -1],
    "element": lambda lib, make: make(A)[0, 1],
    "slice": lambda lib, make: make(A)[1:],
    "slice of columns": lambda lib, make: make(A)[:, 0:4:2],
    "narrow": lambda lib, make: make(A).narrow(1, 1, 2),
    "narrow_copy": lambda lib, make: make(A).narrow_copy(0, -2, 2),
    "cat": lambda lib, make: lib.cat([make(A), make(B)]),
    "cat of columns": lambda lib, make: lib.cat([make(A), make(B)], -1),
    "stack": lambda lib, make: lib.stack([make(A), make(B)], 1),
    "unsqueeze": lambda lib, make: make(A).unsqueeze(-1),
    "unbind": lambda lib, make: make(A).unbind(1)[3],
    "clone": lambda lib, make: make(A).clone(),
    "detach": lambda lib, make: make(A).detach(),
    "sum": lambda lib, make: make(A).sum(),
    "sum of rows": lambda lib, make: make(A).sum(1),
    "sum of columns": lambda lib, make: make(A).sum(0),
    "sum, kept": lambda lib, make: make(A).sum(1, keepdim=True),
    "sum of both": lambda lib, make: make(A).sum((0, 1)),
    "norm": lambda lib, make: make(A).norm(),
    "norm of order 1": lambda lib, make: make(A).norm(1),
    "any": lambda lib, make: make(A).any(),
    "matrix times matrix": lambda lib, make: make(A) @ lib.tensor(FULL).t(),
    "matrix times vector": lambda lib, make: make(A).mv(lib.tensor(FULL[0])),
    "matrix @ vector": lambda lib, make: make(A) @ lib.tensor(FULL[0]),
    "vector @ matrix": lambda lib, make: lib.tensor(FULL[:, 0]) @ make(A),
    "full times matrix": lambda lib, make: lib.tensor(FULL).t() @ make(A),
    "sparse times sparse": lambda lib, make: make(A) @ make(B).t(),
    "addmm": lambda lib, make: lib.addmm(lib.tensor(FULL[:, :3]), make(A), lib.tensor(B).t(), beta=2, alpha=3),
    "linear": lambda lib, make: lib.nn.functional.linear(lib.tensor(FULL), make(A), lib.tensor(FULL[:, 0])),
    "linear of rows": lambda lib, make: lib.nn.functional.linear(make(A), lib.tensor(FULL), lib.tensor(FULL[:, 0])),
    "in place": lambda lib, make: make(A).mul_(3).neg_().add_(make(B)),
    "added to a strided one in place": lambda lib, make: lib.tensor(FULL).add_(make(A), alpha=2),
    "copied": lambda lib, make: make(A).copy_(make(B)),
    "zero_": lambda lib, make: make(A).zero_(),
}


@pytest.mark.parametrize("layout", [*LAYOUTS, "twice"])
@pytest.mark.parametrize("name", BINARY)
def test_as_strided_tensors(name: str, layout: str) -> None:
    """The elements of the result are those that strided tensors give."""

    def make(array: np.ndarray) -> Any:
        return sparse(sg, array, twice=True) if layout == "twice" else sparse(sg, array, layout)

    found = BINARY[name](sg, make)
    expected = BINARY[name](sg, lambda array: sg.tensor(array.copy()))
    assert found.shape == expected.shape
    assert found.dtype is expected.dtype
    assert np.allclose(found.to_dense().numpy(), expected.numpy(), rtol=1e-15, atol=0)


@pytest.mark.parametrize("name", BINARY)
def test_as_pytorch(name: str) -> None:
    """PyTorch's result for coalesced tensors, where it has one: layout, elements and what is kept."""
    torch = pytest.importorskip("torch")
    try:
        expected = BINARY[name](torch, lambda array: sparse(torch, array).coalesce())
    except (NotImplementedError, RuntimeError):
        return  # what only specgrad has is compared with strided tensors above
    found = BINARY[name](sg, lambda array: sparse(sg, array))
    assert str(found.layout).partition(".")[2] == str(expected.layout).partition(".")[2]
    assert np.allclose(found.to_dense().numpy(), expected.to_dense().numpy(), rtol=1e-15, atol=0)


def test_products_of_large_matrices() -> None:
    """Products agree with SciPy's."""
    rng = np.random.RandomState(0)
    a = scipy.sparse.random(300, 200, 0.05, random_state=rng).tocoo()
    b = scipy.sparse.random(200, 100, 0.05, random_state=rng).tocoo()
    x, y = (sg.sparse_coo_tensor(np.stack((m.row, m.col)), m.data, m.shape) for m in (a, b))
    dense = rng.randn(200, 7)
    assert np.allclose((x @ sg.tensor(dense)).numpy(), a @ dense, rtol=1e-13)
    assert np.allclose((x @ y).to_dense().numpy(), (a @ b).toarray(), rtol=1e-13)
    rows = (x.to_sparse_csr() @ y.to_sparse_csr()).to_sparse_csr()
    assert rows.crow_indices().tolist() == (a @ b).tocsr().indptr.tolist()


def test_batches_of_matrices(lib: ModuleType) -> None:
    """`bmm` takes a sparse batch."""
    x = lib.stack([sparse(lib, A), sparse(lib, B)])
    y = np.stack((FULL.T, FULL.T + 1))
    assert np.allclose(lib.bmm(x, lib.tensor(y)).numpy(), np.stack((A, B)) @ y)


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "complex64", "int64", "bool"])
def test_dtypes(dtype: str) -> None:
    """Elements of any dtype are added up, multiplied where strided ones are, and shown."""
    kind = getattr(sg, dtype)
    x = sg.sparse_coo_tensor([[0, 1, 0], [1, 0, 1]], sg.tensor([1, 1, 1]).to(kind), (2, 2))
    assert x.coalesce().to_dense().tolist() == sg.tensor([[0, 1 if dtype == "bool" else 2], [1, 0]]).to(kind).tolist()
    assert x.coalesce().dtype is kind
    assert "nnz=2" in repr(x.coalesce())
    if dtype != "bool":
        assert (x @ sg.eye(2, dtype=kind)).tolist() == x.to_dense().tolist()


SOFTMAX = np.where(A == 0, -np.inf, A)


@pytest.mark.parametrize("dim", [0, 1, -1])
def test_softmax(lib: ModuleType, dim: int) -> None:
    """Elements that are not kept count as minus infinity."""
    x = sparse(lib, A)
    with np.errstate(invalid="ignore"):
        expected = np.exp(A) * (A != 0) / (np.exp(A) * (A != 0)).sum(dim, keepdims=True)
    retained = A != 0
    assert np.allclose(lib.sparse.softmax(x, dim).to_dense().numpy()[retained], expected[retained])
    assert np.allclose(lib.sparse.log_softmax(x, dim).to_dense().numpy()[retained], np.log(expected[retained]))
    assert not lib.sparse.softmax(x, dim).to_dense().numpy()[~retained].any()


def test_hybrid_sums_and_softmax(lib: ModuleType) -> None:
    """Sums and softmax over dense and sparse dimensions of one tensor."""
    a = np.zeros((4, 3))
    a[0], a[2] = [1.0, 2.0, 3.0], [4.0, 5.0, 7.0]
    x = lib.tensor(a).to_sparse(1)
    assert lib.sparse.sum(x, 1).to_dense().tolist() == a.sum(1).tolist()
    assert lib.sparse.sum(x, 0).tolist() == a.sum(0).tolist()
    found = lib.sparse.softmax(x, 1).to_dense().numpy()
    assert np.allclose(found[0], np.exp(a[0]) / np.exp(a[0]).sum())
    assert np.allclose(
        lib.sparse.softmax(x, 0).to_dense().numpy()[:, 1], np.array([np.exp(-3), 0, 1, 0]) / (1 + np.exp(-3))
    )


@pytest.mark.parametrize("reduce", ["sum", "mean", "amax", "amin"])
def test_reduced_products(lib: ModuleType, reduce: str) -> None:
    """The products of a row's kept elements are added up, averaged or compared."""
    found = lib.sparse.mm(sparse(lib, A, "sparse_csr"), lib.tensor(FULL.T.copy()), reduce).numpy()
    function = {"sum": np.sum, "mean": np.mean, "amax": np.max, "amin": np.min}[reduce]
    for row, column in np.ndindex(3, 3):
        retained = A[row] != 0
        products = A[row][retained] * FULL[column][retained]
        assert np.isclose(found[row, column], function(products) if retained.any() else 0.0)


def test_sampled_product(lib: ModuleType) -> None:
    """The product at the places that a matrix keeps."""
    x, y, z = sparse(lib, A, "sparse_csr"), lib.tensor(FULL), lib.tensor(FULL.T.copy()[:, :1].repeat(4, 1))
    found = lib.sparse.sampled_addmm(x, y, z, beta=2, alpha=3)
    assert np.allclose(found.to_dense().numpy(), (A != 0) * (2 * A + 3 * FULL @ z.numpy()))


def test_masks(lib: ModuleType) -> None:
    """What another tensor has at the places of a sparse one."""
    mask = sparse(lib, A).coalesce()
    assert np.array_equal(lib.tensor(FULL).sparse_mask(mask).to_dense().numpy(), FULL * (A != 0))
    assert np.array_equal(sparse(lib, B).coalesce().sparse_mask(mask).to_dense().numpy(), B * (A != 0))


def test_older_names(lib: ModuleType) -> None:
    """Products under the names that they had."""
    x, y = sparse(lib, A), lib.tensor(FULL.T.copy())
    expected = A @ FULL.T
    assert np.allclose(lib.spmm(x, y).numpy(), expected)
    assert np.allclose(lib.smm(x, y).to_dense().numpy(), expected)
    assert np.allclose(lib.hspmm(x, y).to_dense().numpy(), expected)
    added = lib.sspaddmm(sparse(lib, FULL[:, :3]), x, y, beta=2, alpha=3)
    assert np.allclose(added.to_dense().numpy(), 2 * FULL[:, :3] + 3 * expected)


def test_diagonals(lib: ModuleType) -> None:
    """`spdiags` is SciPy's."""
    rows = np.arange(1.0, 10.0).reshape(3, 3)
    found = lib.sparse.spdiags(lib.tensor(rows), lib.tensor([0, 1, -2]), (4, 3))
    assert np.array_equal(found.to_dense().numpy(), scipy.sparse.spdiags(rows, [0, 1, -2], 4, 3).toarray())


def test_empty() -> None:
    """Tensors that keep no elements, or have none."""
    x = sg.sparse_coo_tensor(size=(3, 4))
    assert (x @ sg.ones(4, 2)).tolist() == [[0.0, 0.0]] * 3
    assert (x + x).coalesce()._nnz() == 0
    assert float(x.sum()) == 0.0
    assert (x @ x.t()).to_dense().tolist() == [[0.0] * 3] * 3
    assert sg.sparse.softmax(x, 1)._nnz() == 0
    assert sg.zeros(0, 3).to_sparse().to_dense().shape == (0, 3)
