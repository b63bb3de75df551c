"""Reading and writing at places: the errors that PyTorch raises, in-place forms, and what samples do not show."""

from typing import Any

import pytest

import specgrad as sg

X = sg.arange(12.0).reshape(3, 4)
WHERE = X > 5


def at(*positions: Any) -> Any:
    """Indices."""
    return sg.tensor(positions)


ERRORS: list[tuple[type[Exception], Any]] = [
    (IndexError, lambda: X.take(at(12))),
    (RuntimeError, lambda: X.take(at(0.5))),
    (IndexError, lambda: sg.empty(0).take(at(0))),
    (IndexError, lambda: X.put(at(12), at(1.0))),
    (IndexError, lambda: X.put(at(1, 2), at(1.0))),
    (RuntimeError, lambda: X.put(at(1), at(1))),
    (IndexError, lambda: X.index_copy(0, at(5), X[:1])),
    (IndexError, lambda: X.index_copy(0, at(-1), X[:1])),
    (IndexError, lambda: X.index_copy(0, at(0, 1), X[:1])),
    (RuntimeError, lambda: X.index_copy(0, at(0), X[:1, :2])),
    (RuntimeError, lambda: X.index_copy(0, at(0), X[:1].double())),
    (IndexError, lambda: X.index_copy(0, at([0]), X[:1])),
    (IndexError, lambda: X.index_copy(0, sg.tensor(1), X[1])),
    (IndexError, lambda: X.index_fill(0, at(5), 1.0)),
    (IndexError, lambda: X.index_fill(0, at(1).int(), 1.0)),
    (RuntimeError, lambda: X.index_fill(0, at([0]), 1.0)),
    (RuntimeError, lambda: X.index_fill(0, at(0), at(1.0))),
    (RuntimeError, lambda: X.index_fill(0, at(0), 1j)),
    (IndexError, lambda: X.index_reduce(0, at(5), X[:1], "prod")),
    (RuntimeError, lambda: X.index_reduce(0, at(0), X[:1], "sum")),
    (RuntimeError, lambda: X.scatter_reduce(0, at([0]), X[:1], "median")),
    (RuntimeError, lambda: X.scatter_reduce(0, at([5]), X[:1], "sum")),
    (RuntimeError, lambda: X.scatter(0, at([0]), X[:1], reduce="sum")),
    (RuntimeError, lambda: X.masked_scatter(WHERE, at(1.0, 2.0))),
    (RuntimeError, lambda: X.masked_scatter(X, at(1.0, 2.0))),
    (RuntimeError, lambda: X.masked_scatter(WHERE, sg.arange(12))),
    (IndexError, lambda: X.select_scatter(X[0], 0, 5)),
    (RuntimeError, lambda: X.select_scatter(X[:1], 0, 1)),
    (RuntimeError, lambda: X.slice_scatter(X[:1], 0, 1, 3)),
    (RuntimeError, lambda: X.slice_scatter(X[:2], 0, 1, 3, 0)),
    (RuntimeError, lambda: X.diagonal_scatter(X[0])),
    (RuntimeError, lambda: X.as_strided_scatter(X[0], (3,), (2,), 1)),
    (RuntimeError, lambda: X.as_strided_scatter(sg.ones(3, 2), (3, 2), (2, 2))),
    (RuntimeError, lambda: X.as_strided_scatter(sg.ones(()).expand(2**40), (2**40,), (0,))),
    (RuntimeError, lambda: sg.take_along_dim(X, at(0, 1), 1)),
    (RuntimeError, lambda: sg.take_along_dim(X, at([0.0]), 1)),
]


@pytest.mark.parametrize("number", range(len(ERRORS)))
def test_errors(number: int) -> None:
    """Bad arguments are errors of PyTorch's classes, and name the op."""
    kind, call = ERRORS[number]
    with pytest.raises(kind, match=r"\w+\(\)"):
        call()


def test_in_place_forms_write_to_the_tensor() -> None:
    """They return the tensor itself, and its views see the result."""
    x = sg.zeros(3, 2)
    column = x[:, 1]
    assert x.index_fill_(0, at(0), 1.0) is x
    assert x.index_copy_(0, at(2), sg.full((1, 2), 5.0)) is x
    assert x.put_(at(3), at(4.0)) is x
    assert x.scatter_reduce_(0, at([2, 2]), sg.full((1, 2), 2.0), "prod") is x
    assert x.masked_scatter_(x == 1, at(8.0, 9.0)) is x
    assert x.scatter_(0, at([1]), 2.0, reduce="multiply") is x
    assert x.tolist() == [[8.0, 9.0], [0.0, 4.0], [10.0, 10.0]]
    assert column.tolist() == [9.0, 4.0, 10.0]


def test_filling_twice_counts_once() -> None:
    """A place that is named twice has one element: its slope in the value is 1."""
    value = sg.tensor(2.0, requires_grad=True)
    sg.zeros(3).index_fill(0, at(1, 1, 2), value).sum().backward()
    assert value.grad.item() == 2.0


def test_ties_share_the_gradient() -> None:
    """Elements that are all greatest have equal slopes that add up to 1."""
    x, src = sg.tensor([5.0, 1.0], requires_grad=True), sg.tensor([5.0, 5.0, 0.0, 5.0], requires_grad=True)
    x.scatter_reduce(0, at(0, 0, 0, 1), src, "amax").sum().backward()
    assert sg.allclose(x.grad, sg.tensor([1 / 3, 0.0]))
    assert sg.allclose(src.grad, sg.tensor([1 / 3, 1 / 3, 0.0, 1.0]))


def test_layouts_are_written_in_the_storage() -> None:
    """as_strided_scatter counts in the tensor's own storage, as as_strided does."""
    x = X.clone()
    expected = x.clone()
    expected.as_strided((4,), (2,), 1).copy_(X[0])
    assert sg.equal(x.as_strided_scatter(X[0], (4,), (2,), 1), expected)
    assert sg.equal(x.t().as_strided_scatter(X[0], (4,), (2,), 1), expected.t())


def test_integers_are_averaged_downwards() -> None:
    """The mean of integers is the floor of the quotient."""
    found = sg.tensor([1, 1]).scatter_reduce(0, at(0, 1), sg.tensor([-4, 4]), "mean")
    assert found.tolist() == [-2, 2]
