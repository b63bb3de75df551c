"""What vmap refuses, in PyTorch's classes and words, and that a refusal leaves no trace."""

from __future__ import annotations

import re
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.extensions.vmap.dims import running_levels
from specgrad.runtime.tensor.observers import watch
from tests.examples import close, reals


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Any:
    """After each test no vmap runs and nothing watches ops."""
    yield
    assert not watch.active and not running_levels()


ARGUMENTS: dict[str, tuple[Any, str]] = {
    "no such dimension": (
        lambda t, x: t.vmap(t.sin, in_dims=5)(x),
        "in_dim=5 for some input.*dimensionality 2.*-2 <= in_dim < 2",
    ),
    "no dimension at all": (lambda t, x: t.vmap(t.sin)(x.sum()), "in_dim=0 for some input.*dimensionality 0"),
    "a list of dimensions": (
        lambda t, x: t.vmap(t.add, in_dims=[0, 0])(x, x),
        "expected `in_dims` to be int or a .* tuple",
    ),
    "too few dimensions": (
        lambda t, x: t.vmap(t.add, in_dims=(0,))(x, x),
        "in_dims is not compatible with the structure of `inputs`",
    ),
    "other keys": (
        lambda t, x: t.vmap(lambda d: d, in_dims=({"b": 0},))({"a": x}),
        "in_dims is not compatible with the structure",
    ),
    "a list for a tuple": (lambda t, x: t.vmap(lambda p: p, in_dims=((0, 0),))([x, x]), "in_dims is not compatible"),
    "a dimension that is no number": (
        lambda t, x: t.vmap(t.sin, in_dims=(0.5,))(x),
        "in_dim must be either an integer dimension or None",
    ),
    "a number to map over": (lambda t, x: t.vmap(t.mul)(x, 3), "We cannot vmap over non-Tensor arguments"),
    "nothing to map over": (lambda t, x: t.vmap(t.sin, in_dims=(None,))(x), "at least one Tensor to vmap over"),
    "no arguments": (lambda t, x: t.vmap(lambda: x)(), "got no inputs"),
    "different sizes": (lambda t, x: t.vmap(t.add)(x, x[1:]), r"same size in the mapped dimension, got sizes \[3, 2\]"),
    "a number returned": (lambda t, x: t.vmap(lambda x: 1.0)(x), "must only return Tensors, got type <class 'float'>"),
    "None returned": (
        lambda t, x: t.vmap(lambda x: (x, None))(x),
        "must only return Tensors, got type <class 'NoneType'>",
    ),
    "out_dims of another structure": (
        lambda t, x: t.vmap(lambda x: (x, x), out_dims=(0, 0, 0))(x),
        "out_dims is not compatible with the structure of `outputs`",
    ),
    "out_dims that are no numbers": (
        lambda t, x: t.vmap(lambda x: (x, x), out_dims=(0, "a"))(x),
        "`out_dims` must be an int, None or a python collection of ints",
    ),
    "None for what differs": (
        lambda t, x: t.vmap(t.sin, out_dims=None)(x),
        "can not return a BatchedTensor when out_dim is None",
    ),
    "no chunk": (lambda t, x: t.vmap(t.sin, chunk_size=0)(x), "chunk_size should be None or greater than 0"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_arguments_and_outputs_that_do_not_fit(lib: Any, name: str) -> None:
    """A ValueError with PyTorch's message."""
    call, message = ARGUMENTS[name]
    with pytest.raises(ValueError, match=message):
        call(lib, reals(lib, 3, 2))


def test_randomness_is_one_of_three(lib: Any) -> None:
    """Another word is a RuntimeError."""
    with pytest.raises(RuntimeError, match="Only allowed values for randomness are 'error', 'different', or 'same'"):
        lib.vmap(lib.sin, randomness="some")


def test_an_out_dim_that_is_not_there(lib: Any) -> None:
    """An IndexError, as of any op."""
    with pytest.raises(IndexError, match=re.escape("[-2, 1], but got 7")):
        lib.vmap(lambda x: x, out_dims=7)(reals(lib, 3, 2))


VALUES: dict[str, Any] = {
    "item": lambda x: x * x.sum().item(),
    "float": lambda x: x * float(x.sum()),
    "index": lambda x: x[int(x.sum())],
    "range": lambda x: sum(range(x.sum().long())),
    "if": lambda x: x if x.sum() > 0 else -x,
    "while": lambda x: [x for _ in iter(lambda: bool(x[0]), True)],
    "tolist": lambda x: x.tolist(),
    "numpy": lambda x: x.numpy(),
    "nonzero": lambda x: x.nonzero(),
    "mask": lambda x: x[x > 0],
}


@pytest.mark.parametrize("name", VALUES)
def test_an_example_has_no_values(lib: Any, name: str) -> None:
    """What depends on the values of one example is a RuntimeError that says so."""
    with pytest.raises(RuntimeError, match="vmap|data pointer"):
        lib.vmap(VALUES[name])(reals(lib, 3, 2))


def test_messages_say_what_to_do() -> None:
    """Control flow and memory are told apart, and both messages name a way out."""
    with pytest.raises(RuntimeError, match=r"calling \.item\(\).*rewrite what you're doing with other operations"):
        sg.vmap(VALUES["item"])(sg.ones(3, 2))
    with pytest.raises(RuntimeError, match=r"data-dependent control flow.*use where\(\)"):
        sg.vmap(VALUES["if"])(sg.ones(3, 2))
    with pytest.raises(RuntimeError, match=r"nonzero\(\).*shape of its result depends on the values"):
        sg.vmap(VALUES["nonzero"])(sg.ones(3, 2))


MISTAKES: dict[str, tuple[Any, type[Exception]]] = {
    "a dimension of the batch": (lambda t, x: x.sum(2), IndexError),
    "one too far in front": (lambda t, x: x.sum(-3), IndexError),
    "transposing": (lambda t, x: x[0].transpose(0, 1), IndexError),
    "matrices wanted": (lambda t, x: t.mm(x[0], x[0]), RuntimeError),
    "batches of matrices wanted": (lambda t, x: t.bmm(x, x), RuntimeError),
    "inner sizes": (lambda t, x: x @ x, RuntimeError),
    "too many indices": (lambda t, x: x[0, 0, 0], IndexError),
    "an index too large": (lambda t, x: x[5], IndexError),
    "no way to see it so": (lambda t, x: x.t().view(-1), RuntimeError),
    "elements missing": (lambda t, x: x.reshape(7), RuntimeError),
    "shapes that do not broadcast": (lambda t, x: x + x.t(), RuntimeError),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_in_an_example_are_seen(lib: Any, name: str) -> None:
    """An op refuses under vmap what it refuses of one example, though with the batch it would look right."""
    call, error = MISTAKES[name]
    with pytest.raises(error) as alone:
        call(lib, reals(lib, 2, 3))
    with pytest.raises(error) as batched:
        lib.vmap(lambda x: call(lib, x))(reals(lib, 3, 2, 3))
    if lib is sg:
        assert str(batched.value) == str(alone.value)


def test_memory_of_other_examples(lib: Any) -> None:
    """`as_strided` gives a view of an example's own memory; what would read beside it is an error."""
    x = reals(lib, 3, 4)
    windows = lib.vmap(lambda row: row.as_strided((2, 3), (1, 1), 0))(x)
    assert windows.tolist() == x.unfold(1, 3, 1).tolist() and windows._base is x
    for start, size, offset in ((0, (3, 3), 0), (1, (1, 1), 0), (0, (1, 4), 1)):
        with pytest.raises(RuntimeError, match="can access memory outside of"):
            lib.vmap(lambda row, at=(size, (1, 1), offset): row.as_strided(*at))(x[start:])
    with pytest.raises(RuntimeError, match=r"resize_\(\) is not supported"):
        sg.vmap(lambda row: row.clone().resize_(2))(sg.ones(3, 4))


def test_escaped_examples() -> None:
    """An example used after its vmap is an error that says why, outside and in another vmap."""
    retained: list[Any] = []
    sg.vmap(lambda x: retained.append(x * 2) or x)(sg.ones(3, 2))
    uses = (
        lambda: retained[0] + 1,
        lambda: retained[0].sum(),
        lambda: retained[0].numpy(),
        lambda: bool(retained[0] > 0),
        lambda: retained[0][0],
    )
    for use in uses:
        with pytest.raises(RuntimeError, match="escaped from inside a function being vmapped"):
            use()
    with pytest.raises(RuntimeError, match="escaped"):
        sg.vmap(lambda y: y + retained[0])(sg.ones(4, 2))
    assert tuple(retained[0].shape) == (2,)


def test_exceptions_pass_through(lib: Any) -> None:
    """What the function raises reaches the caller; ops afterwards are ordinary ones."""
    with pytest.raises(ZeroDivisionError):
        lib.vmap(lambda x: lib.vmap(lambda y: 1 / 0)(x))(reals(lib, 3, 2))
    close(reals(lib, 3) * 2, reals(lib, 3) + reals(lib, 3))


def test_examples_in_print() -> None:
    """An example shows the whole batch, and how deeply it is nested."""
    shown: list[str] = []
    sg.vmap(sg.vmap(lambda x: shown.append(repr(x)) or x))(sg.ones(1, 2))
    inside = "BatchedTensor(lvl=1, bdim=0, value=\n    tensor([[1., 1.]])\n)"
    assert shown == [f"BatchedTensor(lvl=2, bdim=0, value=\n    {inside}\n)"]
