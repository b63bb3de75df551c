"""Classes of sparse tensors, and functions, of older programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg

INDICES, VALUES = sg.tensor([[0, 1], [1, 0]]), sg.tensor([1.0, 2.0])


@pytest.mark.parametrize(("data", "dense"), [
    ((INDICES, VALUES, sg.Size([2, 3])), [[0, 1, 0], [2, 0, 0]]),
    ((INDICES, VALUES), [[0, 1], [2, 0]]),
    ((2, 3), [[0, 0, 0], [0, 0, 0]]),
    ((sg.Size([1, 2]),), [[0, 0]]),
    ((), []),
])  # fmt: skip
def test_what_a_class_makes(data: tuple[Any, ...], dense: list[Any]) -> None:
    """Of indices and values, with a size or without, or empty; in the dtype of the class."""
    for name, dtype in (("FloatTensor", sg.float32), ("LongTensor", sg.int64)):
        made = getattr(sg.sparse, name)(*data)
        assert made.layout is sg.sparse_coo and made.dtype is dtype and made.to_dense().tolist() == dense


def test_which_tensors_are_of_a_class() -> None:
    """By layout and dtype; a graph convolution of before runs."""
    adjacency = sg.sparse.FloatTensor(INDICES, VALUES, sg.Size([2, 2]))
    assert isinstance(adjacency, sg.sparse.FloatTensor) and not isinstance(adjacency, sg.sparse.DoubleTensor)
    assert not isinstance(sg.ones(2), sg.sparse.FloatTensor) and sg.cuda.sparse.FloatTensor.__name__ == "FloatTensor"
    assert sg.dsmm(adjacency, sg.ones(2, 1)).tolist() == sg.spmm(adjacency, sg.ones(2, 1)).tolist() == [[1], [2]]


def test_wrong_data() -> None:
    """Errors name the class, and what came."""
    with pytest.raises(TypeError, match=r"FloatTensor\(\) takes sizes, or indices, values .* got \(Tensor\)"):
        sg.sparse.FloatTensor(VALUES)
    with pytest.raises(AttributeError, match="NoTensor"):
        _ = sg.sparse.NoTensor
    with pytest.raises(AttributeError, match="NoTensor"):
        _ = sg.cuda.sparse.NoTensor


def test_indices_of_rows() -> None:
    """From coordinates to where rows begin and back; sizes as a tensor; an assertion."""
    starts = sg._convert_indices_from_coo_to_csr(sg.tensor([0, 0, 2]), 3)
    assert starts.tolist() == [0, 2, 2, 3] and starts.dtype is sg.int64
    columns = sg.tensor([1, 2, 0])
    assert sg._convert_indices_from_csr_to_coo(starts, columns).tolist() == [[0, 0, 2], [1, 2, 0]]
    transposed = sg._convert_indices_from_csr_to_coo(starts, columns, transpose=True, out_int32=True)
    assert transposed.tolist() == [[1, 2, 0], [0, 0, 2]] and transposed.dtype is sg.int32
    assert sg._shape_as_tensor(sg.ones(2, 3)).tolist() == [2, 3]
    sg._assert_async(sg.tensor(True))
    with pytest.raises(RuntimeError, match="not so"):
        sg._assert_async(sg.tensor(0), "not so")


@pytest.mark.parametrize(("call", "instead"), [
    (lambda x: sg.solve(x, x), "linalg.solve"),
    (lambda x: sg.lstsq(x, x), "linalg.lstsq"),
    (lambda x: sg.eig(x, eigenvectors=True), "linalg.eig"),
    (lambda x: sg.symeig(x, upper=False), "linalg.eigh"),
    (lambda x: sg.matrix_rank(x), "linalg.matrix_rank"),
])  # fmt: skip
def test_removed_functions_say_what_to_call(call: Callable[[Any], Any], instead: str) -> None:
    """A RuntimeError, as in PyTorch."""
    with pytest.raises(RuntimeError, match=f"deprecated since version 1.9 and is now removed.*{instead}"):
        call(sg.eye(2))


def test_products_from_the_right() -> None:
    """`x.__rmatmul__(y)` is y @ x; an array on the left is a TypeError."""
    x, y = sg.arange(4.0).view(2, 2), sg.ones(2, 2)
    assert sg.equal(x.__rmatmul__(y), y @ x)
    with pytest.raises(TypeError):
        _ = x.numpy() @ x
