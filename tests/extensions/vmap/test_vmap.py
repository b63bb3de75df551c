"""vmap: the dimensions it maps over, structures, chunks, nesting. Values are those of NumPy for stacked examples."""

from __future__ import annotations

import functools
from collections import OrderedDict, namedtuple
from typing import Any

import numpy as np
import pytest

from tests.examples import array, close, close_trees, reals

Pair = namedtuple("Pair", "a b")


def test_one_call_computes_all_examples(lib: Any) -> None:
    """The function is called once, and sees the shape of one example."""
    seen = []

    def look(x: Any) -> Any:
        seen.append((tuple(x.shape), x.dim(), x.ndim, x.numel(), x.size(0), len(x), x.dtype, x.is_floating_point()))
        return x * 2

    x = reals(lib, 3, 2, 4)
    close(lib.vmap(look)(x), array(x) * 2)
    assert seen == [((2, 4), 2, 2, 8, 2, 2, lib.float64, True)]


@pytest.mark.parametrize("dim", [0, 1, 2, -1, -2, -3])
def test_dimensions_count_from_both_ends(lib: Any, dim: int) -> None:
    """in_dims says which dimension the examples lie along, out_dims where they are put."""
    x = reals(lib, 2, 3, 4)
    examples = np.moveaxis(array(x), dim, 0)
    close(lib.vmap(lambda e: e.sum(0), in_dims=dim)(x), examples.sum(1))
    close(lib.vmap(lambda e: e * 1, in_dims=dim, out_dims=dim)(x), x)
    close(lib.vmap(lambda e: e * 1, out_dims=dim)(x), np.moveaxis(array(x), 0, dim))


def test_arguments_with_dimensions_of_their_own(lib: Any) -> None:
    """A tuple names a dimension for each argument; None is for what all examples share."""
    x, y, w = reals(lib, 3, 2), reals(lib, 2, 3, seed=1), reals(lib, 2, seed=2)
    found = lib.vmap(lambda x, y, w: (x * y, x @ w), in_dims=(0, 1, None), out_dims=(1, 0))(x, y, w)
    close(found[0], array(x).T * array(y))
    close(found[1], array(x) @ array(w))


def test_what_is_no_tensor_is_shared(lib: Any) -> None:
    """Numbers, strings and None are handed on where in_dims says None; keyword arguments are shared all."""
    x = reals(lib, 3, 2)
    found = lib.vmap(
        lambda x, k, s, n, power=1: x**power * k if s == "mul" and n is None else x, in_dims=(0, *[None] * 3)
    )
    close(found(x, 3, "mul", None), array(x) * 3)
    close(lib.vmap(lambda x, k=None, w=None: x * k + w)(x, k=2, w=reals(lib, 2)), array(x) * 2 + array(reals(lib, 2)))


def test_structures(lib: Any) -> None:
    """Dictionaries, named tuples and lists go in and come out, in_dims and out_dims nested like them or shorter."""
    a, b = reals(lib, 3, 2), reals(lib, 2, seed=1)
    found = lib.vmap(lambda d: d["a"] + d["b"], in_dims=({"a": 0, "b": None},))({"a": a, "b": b})
    close(found, array(a) + array(b))
    both = lib.vmap(lambda d, c: [d["a"][0] * c, (d["b"],)], in_dims=(0, None), out_dims=[1, 0])({"a": [a], "b": a}, b)
    close_trees(both, [(a * b).t(), (a,)])
    close_trees(lib.vmap(lambda p: Pair(p.a + p.b, p.a))(Pair(a, a)), Pair(a + a, a))
    ordered = lib.vmap(lambda d: OrderedDict(z=d["z"], y=d["z"].sum()))(OrderedDict(z=a))
    close_trees(ordered, OrderedDict(z=a, y=a.sum(1)))
    one = lib.vmap(lambda x: x, out_dims=(1,))(a)
    close(one, array(a).T)


def test_outputs_that_all_examples_share(lib: Any) -> None:
    """They are repeated; with None for their dimension they come once, and need be no tensor."""
    x, one = reals(lib, 3, 2), reals(lib, 4, seed=1)
    close(lib.vmap(lambda x: one)(x), np.broadcast_to(array(one), (3, 4)))
    found = lib.vmap(lambda x: (x, one, None, 3), out_dims=(0, None, None, None))(x)
    close(found[1], one)
    assert found[2:] == (None, 3)


def test_function_names_are_kept(lib: Any) -> None:
    """The new function has name and docstring of the old one, and vmap is a decorator too."""

    @lib.vmap
    def double(x: Any) -> Any:
        """Twice as much."""
        return x * 2

    assert (double.__name__, double.__doc__) == ("double", "Twice as much.")
    close(lib.vmap(functools.partial(lib.add, alpha=2))(reals(lib, 3), reals(lib, 3)), 3 * array(reals(lib, 3)))


@pytest.mark.parametrize("size", [1, 2, 3, 5, 9])
def test_chunks(lib: Any, size: int) -> None:
    """chunk_size computes so many examples at a time; the result is the same."""
    x, w = reals(lib, 4, 5), reals(lib, 4, seed=1)
    sizes: list[int] = []

    def parts(x: Any, w: Any) -> Any:
        sizes.append(1)
        return {"outer": lib.outer(x, w), "sum": (x * w).sum()}

    found = lib.vmap(parts, in_dims=(1, None), out_dims={"outer": 2, "sum": 0}, chunk_size=size)(x, w)
    close(found["outer"], np.einsum("ie,j->ije", array(x), array(w)))
    close(found["sum"], array(x).T @ array(w))
    assert len(sizes) == -(-5 // size)


def test_no_examples(lib: Any) -> None:
    """A batch of none gives a batch of none, of the right shape, also of gradients."""
    x = reals(lib, 3, 5, 5)[:0]
    for function, shape in (
        (lambda x: x * 2, (0, 5, 5)),
        (lambda x: x.sum(), (0,)),
        (lambda x: x @ x, (0, 5, 5)),
        (lambda x: lib.ones(3), (0, 3)),
        (lambda x: x[1:, None].reshape(20, 1), (0, 20, 1)),
        (lib.func.grad(lambda x: x.sin().sum()), (0, 5, 5)),
    ):
        assert tuple(lib.vmap(function)(x).shape) == shape


def test_nested(lib: Any) -> None:
    """vmap of vmap: the inner function sees examples of examples, with dimensions of either level."""
    x, y = reals(lib, 3, 2, 4), reals(lib, 4, seed=1)
    inner = lib.vmap(lambda x, y: x * y, in_dims=(1, 0), out_dims=1)
    found = lib.vmap(inner, in_dims=(0, None), out_dims=-1)(x, y)
    close(found, np.einsum("bij,j->ijb", array(x), array(y)))
    triple = lib.vmap(lib.vmap(lib.vmap(lib.add, in_dims=(0, None)), in_dims=(0, None)))
    close(
        triple(reals(lib, 2, 3, 4, 5), reals(lib, 2, 5)),
        array(reals(lib, 2, 3, 4, 5)) + array(reals(lib, 2, 5))[:, None, None],
    )


def test_inner_functions_see_outer_examples(lib: Any) -> None:
    """A vmap inside may use, and write to, what differs between the examples of the one around it."""
    x, y = reals(lib, 3), reals(lib, 4, seed=1)
    close(lib.vmap(lambda a: lib.vmap(lambda b: a * b + a)(y))(x), np.outer(array(x), array(y)) + array(x)[:, None])
    close(lib.vmap(lambda a: lib.vmap(lambda b: a + 1)(y))(x), np.repeat(array(x)[:, None] + 1, 4, 1))


def test_views_of_examples_are_views(lib: Any) -> None:
    """What the function returns unchanged shares memory with what it was given."""
    x = reals(lib, 3, 2)
    y = lib.vmap(lambda e: e.reshape(2, 1).squeeze(1))(x)
    y[0] = 100.0
    assert array(x)[0].tolist() == [100.0, 100.0]


def test_a_remembered_call_takes_its_own_arguments(lib: Any) -> None:
    """A product after a square, of the same shapes; other floats, other dimensions, and a number for a tensor."""
    x, y = reals(lib, 3, 4), reals(lib, 3, 4, seed=1)
    a, b = array(x), array(y)
    for _ in range(2):
        close(lib.vmap(lambda v, w: v * v + 0 * w)(x, y), a * a)
        close(lib.vmap(lambda v, w: v * w)(x, y), a * b)
        close(lib.vmap(lambda v, w: w - v)(x, y), b - a)
        close(lib.vmap(lambda v: lib.sum(v, 0) + v.sum())(x), 2 * a.sum(1))
        for number in (0.5, 2.0, True, 1):
            close(lib.vmap(lambda v, n=number: lib.clamp(v, max=n) * n)(x), np.minimum(a, number) * number)
            close(lib.vmap(lambda v, n=number: v + n)(x), a + number)
