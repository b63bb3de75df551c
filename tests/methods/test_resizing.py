"""Sizes that change in place, and elements that a Python function gives."""

from typing import Any

import pytest


def test_a_smaller_size_keeps_the_memory(lib: Any) -> None:
    """The first elements stay, and views see the same memory."""
    x = lib.arange(6.0)
    part = x[:2]
    assert x.resize_(2, 2) is x and x.tolist() == [[0, 1], [2, 3]]
    x[0, 0] = 7
    assert part[0] == 7 and x._version > 0
    assert lib.arange(6.0).view(2, 3).t().resize_((4,)).tolist() == [0, 1, 2, 3]
    assert lib.arange(6.0)[2:].resize_(2, 2).tolist() == [[2, 3], [4, 5]]


def test_a_larger_size_keeps_the_elements(lib: Any) -> None:
    """What is added may be anything."""
    x = lib.arange(3.0)
    assert x.resize_(4, 2).shape == (4, 2) and x.reshape(-1)[:3].tolist() == [0, 1, 2]
    assert lib.zeros(0).resize_(3).shape == (3,)
    assert lib.arange(4.0).resize_as_(lib.zeros(1, 3)).tolist() == [[0, 1, 2]]


def test_sizes_that_cannot_change(lib: Any) -> None:
    """A tensor in a graph keeps its size."""
    with pytest.raises(RuntimeError, match="cannot resize variables that require grad"):
        lib.zeros(3, requires_grad=True).resize_(2)


def test_shared_memory_grows_for_all(lib: Any) -> None:
    """Views, what they are views of, and detached tensors share the memory when it has grown."""
    x = lib.arange(4.0)
    part, other = x[2:], x.detach()
    assert part.resize_(4)[:2].tolist() == [2, 3]
    part.fill_(7)
    assert x.tolist() == [0, 1, 7, 7] == other.tolist()
    x.zero_()
    assert part[:2].tolist() == [0, 0] and part.data_ptr() == x.data_ptr() + 8


def test_elements_of_a_python_function(lib: Any) -> None:
    """One call for each element, in any layout; fractions of integers are cut off."""
    assert lib.tensor([[1.0, 2.0]]).t().apply_(lambda x: x * 3).tolist() == [[3], [6]]
    assert lib.tensor([1, 2]).apply_(lambda x: 2.7).tolist() == [2, 2]
    assert lib.ones(2, 3).map_(lib.arange(3.0), lambda x, y: x + 2 * y).tolist() == [[1, 3, 5]] * 2
    assert lib.ones(3).map2_(lib.arange(3.0), lib.ones(3), lambda x, y, z: x + y - z).tolist() == [0, 1, 2]


def test_functions_that_do_not_fit(lib: Any) -> None:
    """Graphs, other dtypes, and results that are no numbers."""
    with pytest.raises(RuntimeError, match="requires grad"):
        lib.ones(2, requires_grad=True).apply_(lambda x: x)
    with pytest.raises(TypeError, match="map_"):
        lib.ones(2).map_(lib.ones(2, dtype=lib.int64), lambda x, y: x)
    with pytest.raises(TypeError):
        lib.ones(2).apply_(3)
    with pytest.raises(TypeError):
        lib.ones(2).apply_(lambda x: "a")
    with pytest.raises(RuntimeError):
        lib.ones(2).map_(lib.ones(3), lambda x, y: x)
