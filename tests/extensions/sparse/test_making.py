"""Sparse tensors are made of indices and values, refuse what does not go together, and look as PyTorch's do."""

import copy
import pickle
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

INDEX, VALUES = [[0, 1, 1, 0], [2, 0, 2, 2]], [3.0, 4.0, 5.0, 1.0]


def example(lib: ModuleType, **options: Any) -> Any:
    """A matrix of which one place is listed twice."""
    return lib.sparse_coo_tensor(INDEX, VALUES, (2, 3), **options)


def reference() -> Any:
    """The same, by SciPy."""
    return scipy.sparse.coo_array((VALUES, INDEX), (2, 3))


def test_elements(lib: ModuleType) -> None:
    """Values at one place add up; what is not listed is zero."""
    x = example(lib)
    assert np.array_equal(x.to_dense().numpy(), reference().toarray())
    assert (x._nnz(), x.coalesce()._nnz(), x.is_coalesced(), x.coalesce().is_coalesced()) == (4, 3, False, True)
    assert (x.sparse_dim(), x.dense_dim(), x.layout, x.is_sparse) == (2, 0, lib.sparse_coo, True)
    assert x.coalesce().coalesce() is not x
    assert x.coalesce().indices().tolist() == [[0, 1, 1], [2, 0, 2]]
    assert x.coalesce().values().tolist() == [4.0, 4.0, 5.0]


def test_rows_and_columns(lib: ModuleType) -> None:
    """Compressed rows and columns are those of SciPy."""
    x = example(lib).to_sparse_csr()
    expected = reference().tocsr()
    assert x.crow_indices().tolist() == expected.indptr.tolist()
    assert x.col_indices().tolist() == expected.indices.tolist()
    assert x.values().tolist() == expected.data.tolist()
    y, columns = x.to_sparse_csc(), reference().tocsc()
    assert y.ccol_indices().tolist() == columns.indptr.tolist()
    assert y.row_indices().tolist() == columns.indices.tolist()
    assert y.values().tolist() == columns.data.tolist()
    again = lib.sparse_csc_tensor(y.ccol_indices(), y.row_indices(), y.values(), (2, 3)).to_sparse_csr()
    assert np.array_equal(again.to_dense().numpy(), reference().toarray())
    assert (x.is_sparse, x.is_sparse_csr, y.layout) == (False, True, lib.sparse_csc)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_hybrid(lib: ModuleType, dims: int) -> None:
    """Places may be listed in the first dimensions only; each then has a dense element."""
    a = np.zeros((3, 2, 2))
    a[0, 1, 0], a[2] = 1.0, 3.0
    x = lib.tensor(a).to_sparse(dims)
    assert (x.sparse_dim(), x.dense_dim(), x._values().ndim) == (dims, 3 - dims, 4 - dims)
    assert x._nnz() == np.count_nonzero(a.reshape(*a.shape[:dims], -1).any(-1))
    assert np.array_equal(x.to_dense().numpy(), a)


KERNEL_SOURCES = {
    "example": lambda lib: example(lib),
    "rows": lambda lib: example(lib).to_sparse_csr(),
    "columns": lambda lib: example(lib).to_sparse_csc(),
    "hybrid": lambda lib: lib.sparse_coo_tensor([[0, 2]], lib.ones(2, 3), (4, 3)),
    "empty": lambda lib: lib.sparse_coo_tensor(size=(2, 3)),
    "another dtype": lambda lib: example(lib, dtype=lib.float64),
    "long": lambda lib: lib.arange(1.0, 61.0).reshape(1, 60).to_sparse(),
    "a leaf": lambda lib: example(lib).requires_grad_(),
    "no rows": lambda lib: lib.zeros(0, 3).to_sparse_csr(),
}


@pytest.mark.parametrize("name", KERNEL_SOURCES)
def test_text(name: str) -> None:
    """The text is PyTorch's, but for the package's name."""
    torch = pytest.importorskip("torch")
    assert repr(KERNEL_SOURCES[name](sg)).replace("specgrad", "torch") == repr(KERNEL_SOURCES[name](torch))


def test_text_without_pytorch() -> None:
    """What the documentation shows."""
    expected = (
        "tensor(indices=tensor([[0],\n                       [2]]),\n       values=tensor([1.]),\n"
        "       size=(1, 3), nnz=1, layout=specgrad.sparse_coo)"
    )
    assert repr(sg.sparse_coo_tensor([[0], [2]], [1.0], (1, 3))) == expected


WRONG = {
    "too few values": lambda: sg.sparse_coo_tensor(INDEX, [1.0], (2, 3)),
    "a size of other dims": lambda: sg.sparse_coo_tensor(INDEX, VALUES, (2, 3, 4)),
    "an index beyond the size": lambda: sg.sparse_coo_tensor(INDEX, VALUES, (2, 2)),
    "a negative index": lambda: sg.sparse_coo_tensor([[-1]], [1.0], (2,)),
    "indices of one dim": lambda: sg.sparse_coo_tensor([0, 1], [1.0, 2.0]),
    "said to be in order": lambda: sg.sparse_coo_tensor(INDEX, VALUES, (2, 3), is_coalesced=True),
    "rows that decrease": lambda: sg.sparse_csr_tensor([0, 2, 1], [0, 1], [1.0, 2.0], (2, 2)),
    "rows of another number": lambda: sg.sparse_csr_tensor([0, 2], [0, 1], [1.0, 2.0], (2, 2)),
    "a column beyond the size": lambda: sg.sparse_csr_tensor([0, 1, 2], [0, 2], [1.0, 2.0], (2, 2)),
    "blocks": lambda: sg.sparse_compressed_tensor([0], [0], [1.0], layout=sg.sparse_bsr),
    "rows of a vector": lambda: sg.ones(3).to_sparse_csr(),
    "parts of a strided tensor": lambda: sg.ones(3).values(),
    "indices of one that is not coalesced": lambda: example(sg).indices(),
    "a number added": lambda: example(sg) + 1,
    "an op without a rule": lambda: example(sg).exp(),
    "out": lambda: sg.abs(example(sg), out=example(sg)),
    "memory": lambda: example(sg).untyped_storage(),
}


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    """What does not go together, or is not there for sparse tensors, is a RuntimeError or one of its subclasses."""
    with pytest.raises(RuntimeError):
        WRONG[name]()


def test_an_op_without_a_rule_is_named(lib: ModuleType) -> None:
    """The error is PyTorch's: the op, and where it was to run."""
    with pytest.raises(
        NotImplementedError, match="Could not run 'aten::exp' with arguments from the 'SparseCPU' backend"
    ):
        example(lib).exp()
    with pytest.raises(RuntimeError, match="SparseCsr"):
        lib.exp(example(lib).to_sparse_csr())


def test_numpy_is_refused(lib: ModuleType) -> None:
    """There are no sparse arrays."""
    with pytest.raises(TypeError, match=r"to_dense\(\)"):
        example(lib).numpy()


@pytest.mark.parametrize("way", [copy.deepcopy, copy.copy, lambda x: pickle.loads(pickle.dumps(x))])
def test_copies(way: Any) -> None:
    """Copies and pickles are leaves with the same elements."""
    x = example(sg).requires_grad_()
    found = way(x)
    assert (found.requires_grad, found.is_leaf, found.is_coalesced(), found._nnz()) == (True, True, False, 4)
    assert found.to_dense().tolist() == x.to_dense().tolist()


def test_a_deep_copy_has_values_of_its_own(lib: ModuleType) -> None:
    """Writes to the values of one are not seen in the other."""
    x = example(lib)
    found = copy.deepcopy(x)
    found._values().zero_()
    assert float(x.to_dense().sum()) == 13.0


def test_values_are_shared(lib: ModuleType) -> None:
    """A sparse tensor is over the memory of the values that it was given."""
    values = lib.tensor(VALUES)
    x = lib.sparse_coo_tensor(lib.tensor(INDEX), values, (2, 3))
    values.mul_(2)
    assert float(x.to_dense().sum()) == 26.0


def test_conversions(lib: ModuleType) -> None:
    """dtype, device and layout by the usual methods; what is so already is returned as it is."""
    x = example(lib)
    assert x.to(lib.float32) is x
    assert x.cpu() is x
    assert (x.double().dtype, x.to(lib.float64).layout) == (lib.float64, lib.sparse_coo)
    assert x.to_sparse() is x
    assert x.to_dense().to_dense().layout is lib.strided
    assert lib.zeros(2, 3, layout=lib.sparse_csr).to_dense().tolist() == [[0.0] * 3] * 2
    assert lib.zeros_like(x)._nnz() == 0


def test_resizing(lib: ModuleType) -> None:
    """A sparse tensor grows, or is emptied, and does not shrink while it keeps elements."""
    x = example(lib)
    assert x.sparse_resize_((4, 5), 2, 0) is x
    assert x.to_dense().shape == (4, 5)
    assert float(x.to_dense()[0, 2]) == 4.0
    with pytest.raises(RuntimeError, match="shrinking"):
        x.sparse_resize_((2, 3), 2, 0)
    x.sparse_resize_and_clear_((2, 3), 1, 1)
    assert (x._nnz(), x.sparse_dim(), tuple(x.shape)) == (0, 1, (2, 3))


def test_importing_specgrad_does_not_load_it() -> None:
    """The room is loaded with the first sparse tensor."""
    import subprocess
    import sys

    code = "import sys, specgrad; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [m for m in found.stdout.split() if ".sparse." in m or m.startswith("scipy")]
    assert [m for m in loaded if not m.endswith(".tensor_methods")] == []  # of which one is a base of Tensor


def test_older_constructors(lib: ModuleType) -> None:
    """`x.new` of a tensor with coordinates makes others, and what it has made without values takes a size."""
    x = example(lib)
    again = x.new(x._indices(), x._values(), x.size())
    assert again.layout is lib.sparse_coo and np.array_equal(again.to_dense().numpy(), reference().toarray())
    assert x.new(x._indices(), x._values()).shape == (2, 3)
    assert [(y.shape, y._nnz(), y.layout) for y in (x.new(), x.new(4, 5), x.new(x.shape))] == [
        ((0,), 0, lib.sparse_coo),
        ((4, 5), 0, lib.sparse_coo),
        ((2, 3), 0, lib.sparse_coo),
    ]
    resized = x.new().resize_as_(x)
    assert (resized.shape, resized._nnz(), resized.layout) == ((2, 3), 0, lib.sparse_coo)


def test_what_older_constructors_refuse() -> None:
    """Other layouts have no `new`, and a tensor that has values keeps its size."""
    x = example(sg)
    with pytest.raises(TypeError, match=r"new\(\): expected a strided tensor or one with coordinates"):
        x.to_sparse_csr().new(2, 3)
    with pytest.raises(RuntimeError, match=r"resize_as_\(\): expected a tensor with coordinates that has no values"):
        example(sg).resize_as_(x)


@pytest.mark.filterwarnings("ignore:.*is deprecated")
def test_types_of_older_programs(lib: ModuleType) -> None:
    """Classes named after a dtype make tensors with coordinates, and tell them apart; products have older names."""
    x = lib.sparse.DoubleTensor(lib.tensor(INDEX), lib.tensor(VALUES, dtype=lib.float64), lib.Size([2, 3]))
    assert np.array_equal(x.to_dense().numpy(), reference().toarray())
    assert isinstance(x, lib.sparse.DoubleTensor) and not isinstance(x, lib.sparse.FloatTensor)
    assert not isinstance(x.to_dense(), lib.sparse.DoubleTensor) and lib.sparse.FloatTensor(2, 3)._nnz() == 0
    factor = np.arange(6.0).reshape(3, 2)
    assert np.array_equal(lib.dsmm(x, lib.tensor(factor)).numpy(), reference() @ factor)
