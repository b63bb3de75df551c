"""Ways to call an op: NumPy's names of arguments, arrays as operands, overloads picked by the number of arguments."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

X = sg.tensor([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]])
MASK = X > 1

ALONG = [
    ("sum", {}),
    ("mean", {}),
    ("prod", {}),
    ("std", {}),
    ("amax", {}),
    ("argmax", {}),
    ("logsumexp", {}),
    ("cumsum", {}),
    ("softmax", {}),
    ("unsqueeze", {}),
    ("unbind", {}),
    ("sum", {"keepdim": True}),
    ("argmin", {"keepdim": True}),
    ("amin", {"keepdim": True}),
]


def same(one: Any, other: Any) -> bool:
    """Equal tensors, or tuples of equal ones."""
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return sg.equal(one, other)


@pytest.mark.parametrize(("name", "options"), ALONG)
def test_numpy_names(name: str, options: dict[str, bool]) -> None:
    """`axis` is `dim` and `keepdims` is `keepdim`, as in PyTorch, for functions and methods."""
    numpy_options = {"keepdims": options["keepdim"]} if options else {}
    right = getattr(sg, name)(X, dim=1, **options)
    assert same(getattr(sg, name)(X, axis=1, **numpy_options), right)
    assert same(getattr(X, name)(axis=1, **numpy_options), right)


def test_numpy_names_of_functions_of_lists() -> None:
    """cat and stack take `axis` too; max gives its named tuple."""
    assert sg.cat([X, X], axis=1).shape == (2, 6)
    assert sg.stack([X, X], axis=2).shape == (2, 3, 2)
    assert X.max(axis=1, keepdims=True).indices.tolist() == [[0], [1]]


def test_missing_dim() -> None:
    """A dim that is given under neither name is a TypeError that names it."""
    with pytest.raises(TypeError, match=r"softmax\(\): argument 'dim' must be int"):
        X.softmax()
    with pytest.raises(TypeError, match="axes"):
        X.argmax(axes=1)
    for call in (lambda: X.sum(keepdim=True), lambda: X.sum(dim=0, other=1), lambda: X.sum(0, dim=0)):
        with pytest.raises(TypeError):
            call()


BY_COUNT: list[tuple[Callable[[], Any], Any]] = [
    (lambda: sg.where(MASK), ([0, 0, 1, 1], [0, 2, 1, 2])),
    (lambda: sg.where(MASK, X, 0.0), [[3.0, 0.0, 2.0], [0.0, 5.0, 4.0]]),
    (lambda: sg.where(condition=MASK, input=X, other=X), X.tolist()),
    (lambda: X.where(MASK, -1.0), [[3.0, -1.0, 2.0], [-1.0, 5.0, 4.0]]),
    (lambda: X.max(1, True)[0], [[3.0], [5.0]]),
    (lambda: X.max(X * 0 + 2), [[3.0, 2.0, 2.0], [2.0, 5.0, 4.0]]),
    (lambda: X.sum(0), [3.0, 6.0, 6.0]),
    (lambda: X.sum(dim=0), [3.0, 6.0, 6.0]),
    (lambda: X.sum(1, keepdim=True), [[6.0], [9.0]]),
    (lambda: X.max(other=X * 0 + 2), [[3.0, 2.0, 2.0], [2.0, 5.0, 4.0]]),
    (lambda: X.var(0, False), [2.25, 4.0, 1.0]),
    (lambda: X[:1].squeeze(), [3.0, 1.0, 2.0]),
    (lambda: X[:1].squeeze(0), [3.0, 1.0, 2.0]),
]


@pytest.mark.parametrize(("call", "right"), BY_COUNT)
def test_overloads(call: Callable[[], Any], right: Any) -> None:
    """The number, the names and the types of arguments choose among schemas of one name."""
    found = call()
    assert (tuple(t.tolist() for t in found) if isinstance(found, tuple) else found.tolist()) == right


def test_array_operand() -> None:
    """An element-wise op takes a NumPy array for its second operand, with the array's dtype."""
    array = np.array([1.0, 2.0, 3.0])
    assert (X + array).dtype is sg.float64
    assert (X * array).tolist() == (X.double() * sg.from_numpy(array)).tolist()
    assert X.eq(X.numpy()).all() and (array - X).tolist() == (sg.from_numpy(array) - X).tolist()


def test_numpy_function_of_a_tensor() -> None:
    """A NumPy function of a tensor gives a tensor."""
    assert isinstance(np.exp(X), sg.Tensor)
    assert sg.allclose(np.exp(X), X.exp())


def test_memory_format() -> None:
    """A memory format that a tensor has changes nothing; anything else in its place is refused."""
    assert sg.equal(X.clone(memory_format=sg.preserve_format), X)
    assert sg.zeros_like(X, memory_format=sg.contiguous_format).shape == X.shape
    assert X.contiguous(memory_format=sg.contiguous_format) is X
    with pytest.raises(TypeError, match=r"clone\(\): argument 'memory_format' must be specgrad.memory_format, not int"):
        X.clone(memory_format=1)
