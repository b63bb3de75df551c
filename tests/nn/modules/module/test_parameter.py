"""Parameter and Buffer."""

import copy
import pickle
from typing import Any

import pytest


def test_is_a_leaf_over_the_same_memory(lib: Any) -> None:
    """A Parameter requires grad, is a leaf, and shares memory with what it was made of."""
    data = lib.ones(2)
    p = lib.nn.Parameter(data)
    assert isinstance(p, lib.Tensor) and p.requires_grad and p.is_leaf
    data.fill_(3)
    assert p.tolist() == [3.0, 3.0]
    assert not lib.nn.Parameter(data, requires_grad=False).requires_grad
    assert lib.nn.Parameter().shape == (0,)


def test_made_of_a_result(lib: Any) -> None:
    """A Parameter made of a computed tensor is a leaf all the same."""
    x = lib.ones(2, requires_grad=True)
    p = lib.nn.Parameter(x * 2)
    p.sum().backward()
    assert p.is_leaf and p.grad.tolist() == [1.0, 1.0] and x.grad is None


def test_results_are_plain_tensors(lib: Any) -> None:
    """Operations on parameters give Tensors."""
    p = lib.nn.Parameter(lib.ones(2))
    assert type(p * 2) is lib.Tensor and type(p + p) is lib.Tensor


def test_refuses_what_cannot_learn(lib: Any) -> None:
    """Integer tensors cannot require gradients, and lists are no tensors."""
    with pytest.raises(RuntimeError, match="floating point and complex dtype can require gradients"):
        lib.nn.Parameter(lib.ones(2, dtype=lib.int64))
    with pytest.raises((TypeError, AttributeError)):
        lib.nn.Parameter([1.0])


def test_copies(lib: Any) -> None:
    """Copies and pickles are Parameters with equal values; a deep copy has memory of its own and no gradient."""
    p = lib.nn.Parameter(lib.ones(2), requires_grad=False)
    for again in (copy.deepcopy(p), pickle.loads(pickle.dumps(p))):
        assert type(again) is lib.nn.Parameter and not again.requires_grad
        p.data.fill_(2)
        assert again.tolist() == [1.0, 1.0]
        p.data.fill_(1)
    q = lib.nn.Parameter(lib.ones(2))
    q.sum().backward()
    assert copy.deepcopy(q).grad is None
    memo: dict[int, Any] = {}
    assert copy.deepcopy(q, memo) is copy.deepcopy(q, memo)


def test_buffer_of_a_result_stays_in_the_graph_of_nothing(lib: Any) -> None:
    """A Buffer keeps requires_grad of its data and carries the mark."""
    b = lib.nn.Buffer(lib.ones(2), persistent=False)
    assert type(b) is lib.Tensor and not b.persistent and not b.requires_grad
    assert lib.nn.Buffer().shape == (0,)
