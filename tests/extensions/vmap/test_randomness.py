"""Random numbers under vmap: an error, the same for all examples, or different ones; and from which stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.examples import array, close

CREATED: dict[str, Callable[[Any, Any], Any]] = {
    "rand": lambda t, x: t.rand(4, 5),
    "rand of a list": lambda t, x: t.rand([4, 5]),
    "rand of a size": lambda t, x: t.rand(size=(7,), dtype=t.float64),
    "randn": lambda t, x: t.randn(4),
    "randint": lambda t, x: t.randint(0, 10**6, (5,)),
    "randint up to": lambda t, x: t.randint(10**6, (5,)),
    "randperm": lambda t, x: t.randperm(30),
    "normal": lambda t, x: t.normal(0.0, 1.0, (5,)),
    "normal around tensors": lambda t, x: t.normal(t.zeros(5), t.ones(5)),
    "bernoulli": lambda t, x: t.bernoulli(t.full((60,), 0.5)),
    "poisson": lambda t, x: t.poisson(t.full((60,), 30.0)),
    "multinomial": lambda t, x: t.multinomial(t.ones(60), 30),
    "dropout of what all share": lambda t, x: t.nn.functional.dropout(t.ones(60), 0.5),
}
FROM_EXAMPLES: dict[str, Callable[[Any, Any], Any]] = {
    "rand_like": lambda t, x: t.rand_like(x),
    "randn_like": lambda t, x: t.randn_like(x),
    "randint_like": lambda t, x: t.randint_like(x, 10**6),
    "normal_": lambda t, x: x.clone().normal_(),
    "uniform_": lambda t, x: x.clone().uniform_(2.0, 3.0),
    "exponential_": lambda t, x: x.clone().exponential_(),
    "random_": lambda t, x: x.clone().random_(),
    "geometric_": lambda t, x: x.clone().geometric_(0.1),
    "cauchy_": lambda t, x: x.clone().cauchy_(),
    "log_normal_": lambda t, x: x.clone().log_normal_(),
    "bernoulli_": lambda t, x: x.clone().bernoulli_(0.5),
    "memory of an example": lambda t, x: x.new_empty(9).normal_(),
    "dropout": lambda t, x: t.nn.functional.dropout(x, 0.5),
    "dropout in place": lambda t, x: t.nn.functional.dropout(x.clone(), 0.5, inplace=True),
    "Dropout": lambda t, x: t.nn.Dropout(0.3)(x),
}
ALL = {**CREATED, **FROM_EXAMPLES}
# Distributions that examples give: there is no one draw that all could share.
OWN: dict[str, Callable[[Any, Any], Any]] = {
    "bernoulli": lambda t, x: t.bernoulli(x * 0.5),
    "bernoulli_": lambda t, x: t.zeros_like(x).bernoulli_(x * 0.5),
}


def examples(lib: Any) -> Any:
    """Three examples that are equal."""
    return lib.ones(3, 50)


@pytest.mark.parametrize("name", ALL)
def test_refused_by_default(lib: Any, name: str) -> None:
    """randomness='error' names the flags that allow random ops; nothing has been drawn."""
    lib.manual_seed(3)
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode.*'same' or 'diff"):
        lib.vmap(lambda x: ALL[name](lib, x))(examples(lib))
    after = lib.rand(3)
    lib.manual_seed(3)
    close(after, lib.rand(3))


@pytest.mark.parametrize("name", ALL)
def test_the_same_for_all(lib: Any, name: str) -> None:
    """randomness='same' draws for one example."""
    found = lib.vmap(lambda x: ALL[name](lib, x), randomness="same")(examples(lib))
    alone = ALL[name](lib, examples(lib)[0])
    assert found.shape == (3, *alone.shape) and found.dtype == alone.dtype
    assert (array(found) == array(found)[:1]).all()


@pytest.mark.parametrize("name", {**ALL, **OWN})
def test_different_for_each(lib: Any, name: str) -> None:
    """randomness='different' gives each example numbers of its own, of the same kind."""
    function = {**ALL, **OWN}[name]
    found = lib.vmap(lambda x: function(lib, x), randomness="different")(examples(lib))
    alone = function(lib, examples(lib)[0])
    assert found.shape == (3, *alone.shape) and found.dtype == alone.dtype
    rows = array(found)
    assert not (rows[0] == rows[1]).all() and not (rows[1] == rows[2]).all()


def test_dropout_that_draws_nothing(lib: Any) -> None:
    """Outside of training, and where all or nothing is dropped, there is nothing random."""
    x = examples(lib)
    close(lib.vmap(lambda x: lib.nn.functional.dropout(x, 0.5, training=False))(x), x)
    close(lib.vmap(lambda x: lib.nn.functional.dropout(x, 0.0))(x), x)
    close(lib.vmap(lambda x: lib.nn.functional.dropout(x, 1.0))(x), x * 0)


@pytest.mark.parametrize("outer", ["same", "different"])
@pytest.mark.parametrize("inner", ["same", "different"])
def test_nested(lib: Any, outer: str, inner: str) -> None:
    """Each level decides for its own examples."""
    draw = lib.vmap(lib.vmap(lambda x: lib.rand(20), randomness=inner), randomness=outer)
    found = array(draw(lib.ones(2, 3)))
    assert found.shape == (2, 3, 20)
    assert (found[0] == found[1]).all() == (outer == "same")
    assert (found[:, 0] == found[:, 1]).all() == (inner == "same")


def test_the_innermost_level_may_refuse(lib: Any) -> None:
    """An inner vmap without a word on randomness refuses, whatever the outer one says."""
    with pytest.raises(RuntimeError, match="randomness error mode"):
        lib.vmap(lib.vmap(lambda x: lib.rand(2)), randomness="different")(lib.ones(2, 3))


def test_gradients_of_each_sample(lib: Any) -> None:
    """Each sample has a mask of its own; the gradient is that of the mask."""
    gradient = lib.func.grad(lambda x: lib.nn.functional.dropout(x, 0.5).sum())
    found = array(lib.vmap(gradient, randomness="different")(lib.ones(3, 60)))
    assert set(found.ravel()) == {0.0, 2.0} and not (found[0] == found[1]).all()
    equal = array(lib.vmap(gradient, randomness="same")(lib.ones(3, 60)))
    assert (equal == equal[:1]).all()


def test_chunks(lib: Any) -> None:
    """All chunks draw the same numbers where the examples do, and others where these differ."""
    draw = {kind: lib.vmap(lambda x: lib.rand(5), randomness=kind, chunk_size=2) for kind in ("same", "different")}
    equal, other = (array(draw[kind](lib.ones(5))) for kind in ("same", "different"))
    assert (equal == equal[:1]).all()
    assert not (other[:2] == other[2:4]).any()


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning")
def test_forward_mode(lib: Any) -> None:
    """jacfwd refuses randomness unless it is told what to do."""
    with pytest.raises(RuntimeError, match="randomness"):
        lib.func.jacfwd(lambda x: x * lib.rand(3))(lib.ones(3))
    found = lib.func.jacfwd(lambda x: x * lib.rand(3).double().round(), randomness="same")(lib.ones(3).double())
    assert set(array(found).ravel()) <= {0.0, 1.0}


def test_one_stream() -> None:
    """Seeding fixes what vmap draws; a generator that is given is used, and moves on."""
    draw = sg.vmap(lambda x: sg.rand(5), randomness="different")
    first, second = (sg.manual_seed(7) and draw(sg.ones(3)) for _ in range(2))
    close(first, second)
    sg.manual_seed(7)
    close(first, sg.rand(3, 5))
    generator = sg.Generator().manual_seed(1)
    own = sg.vmap(lambda x: sg.rand(5, generator=generator), randomness="different")(sg.ones(3))
    close(own, sg.rand(3, 5, generator=sg.Generator().manual_seed(1)))
    assert not np.array_equal(array(own), array(sg.rand(3, 5, generator=generator)))


def test_no_examples(lib: Any) -> None:
    """A batch of none draws a batch of none."""
    for kind in ("same", "different"):
        assert tuple(lib.vmap(lambda x: lib.rand(3), randomness=kind)(lib.ones(0, 4)).shape) == (0, 3)
