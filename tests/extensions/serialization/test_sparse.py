"""Sparse tensors in files: as PyTorch writes and reads them, with indices that are checked."""

import io
from types import ModuleType
from typing import Any

import pytest

import specgrad as sg

pytestmark = pytest.mark.filterwarnings("ignore:Sparse")  # PyTorch's, of features that it calls new


def content(lib: ModuleType) -> dict[str, Any]:
    """Tensors of all layouts."""
    x = lib.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], [3.0, 4.0, 5.0], (2, 3))
    hybrid = lib.sparse_coo_tensor([[0, 2]], lib.ones(2, 3), (4, 3)).coalesce()
    return {"twice": x, "rows": x.to_sparse_csr(), "columns": x.to_sparse_csc(), "hybrid": hybrid}


def passed_on(writer: ModuleType, reader: ModuleType) -> dict[str, Any]:
    """What one library reads of what another has written."""
    file = io.BytesIO()
    writer.save(content(writer), file)
    file.seek(0)
    found: dict[str, Any] = reader.load(file, weights_only=True)
    return found


def described(tensors: dict[str, Any]) -> list[Any]:
    """Layouts, elements and whether they are coalesced."""
    return [
        (name, str(x.layout).partition(".")[2], x.to_dense().tolist(), x._nnz(), x.is_sparse and x.is_coalesced())
        for name, x in tensors.items()
    ]


def test_files() -> None:
    """What is saved comes back."""
    assert described(passed_on(sg, sg)) == described(content(sg))


def test_files_of_pytorch() -> None:
    """Both libraries read the other's files."""
    torch = pytest.importorskip("torch")
    assert described(passed_on(torch, sg)) == described(content(sg))
    assert described(passed_on(sg, torch)) == described(content(sg))


def test_indices_of_files_are_checked() -> None:
    """A file with an index beyond the size is damaged."""
    x = sg.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (2,))
    x._indices()[0, 1] = 7
    file = io.BytesIO()
    sg.save(x, file)
    file.seek(0)
    with pytest.raises(RuntimeError, match="found index 7"):
        sg.load(file)
