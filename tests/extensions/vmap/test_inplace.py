"""In-place ops and views under vmap: writes to examples reach the batch, and shared tensors cannot be written to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from tests.examples import array, close, reals


def integers(lib: Any, rows: list[Any]) -> Any:
    """Index tensors, one for each example."""
    return lib.tensor(rows)


def changed(name: str) -> Any:
    """A function of an example that changes it in place, and returns it."""

    def change(x: Any) -> Any:
        WRITES[name](x)
        return x

    return change


WRITES: dict[str, Any] = {
    "mul_": lambda x: x.mul_(2),
    "operators": lambda x: x.__iadd__(1).__isub__(x * 0.5).__itruediv__(3).__ipow__(2),
    "an unary op": lambda x: x.sin_(),
    "clamp_": lambda x: x.clamp_(min=0.1, max=0.5),
    "fill_ and zero_": lambda x: (x[0].fill_(3.0), x[1].zero_()),
    "fill_ with a tensor": lambda x: x.fill_(x[0, 0] * 2),
    "copy_": lambda x: x.copy_(x[0].clone() + 1),
    "masked_fill_": lambda x: x.masked_fill_(x > 0, -1.0),
    "masked_fill_ with a tensor": lambda x: x.masked_fill_(x > 0, x.mean()),
    "a row": lambda x: x.__setitem__(1, 7.0),
    "a row from another": lambda x: x.__setitem__(0, x[1] * 3),
    "a slice": lambda x: x.__setitem__((slice(None), slice(0, 3, 2)), 0.0),
    "an ellipsis": lambda x: x.__setitem__((..., -1), x[:, 0]),
    "a list": lambda x: x.__setitem__([0, 1], 1.5),
    "a mask": lambda x: x.__setitem__(x > 0, 0.0),
    "a view": lambda x: x[1:].mul_(10),
    "a view of a view": lambda x: x.t()[1].reshape(2).add_(5),
    "a column through the transpose": lambda x: x.t()[0].fill_(4.0),
    "the diagonal": lambda x: x.diagonal().add_(5),
    "swapped rows": lambda x: (lambda a, b: (x[0].copy_(b), x[1].copy_(a)))(x[0].clone(), x[1].clone()),
    "index_add_": lambda x: x.index_add_(1, x.new_zeros(2).long(), x[:, :2].clone()),
    "scatter_add_": lambda x: x.scatter_add_(1, (x > 0).long(), x.clone()),
}


@pytest.mark.parametrize("dim", [0, 1])
@pytest.mark.parametrize("name", WRITES)
def test_a_write_changes_the_examples(name: str, dim: int) -> None:
    """The result, and the tensor that the examples lie in, are those of a loop of writes."""
    batch = sg.tensor(np.moveaxis(array(reals(sg, 3, 2, 4)), 0, dim).copy())
    alone = batch.clone()
    for i in range(3):
        changed(name)(alone.select(dim, i))
    close(sg.vmap(changed(name), in_dims=dim, out_dims=dim)(batch), alone)
    close(batch, alone)


SHARED: dict[str, Any] = {
    "add_": lambda y, x: y.add_(x),
    "copy_": lambda y, x: y.copy_(x),
    "an element": lambda y, x: y.__setitem__(0, x[0]),
    "an index": lambda y, x: y.index_put_((x.long() * 0,), x),
    "masked_fill_": lambda y, x: y.masked_fill_(x > 0, 1.0),
    "a random number": lambda y, x: y.normal_(),
}


@pytest.mark.parametrize("name", SHARED)
def test_what_all_share_cannot_be_written_to(lib: Any, name: str) -> None:
    """It has no place for values that differ between the examples."""
    shared = lib.zeros(2, dtype=lib.float64)
    with pytest.raises(
        RuntimeError, match="vmap: .*(more elements than `self`|inplace randomness)|the broadcast shape"
    ):
        lib.vmap(lambda x: SHARED[name](shared, x), randomness="different")(reals(lib, 3, 2))
    assert array(shared).tolist() == [0.0, 0.0]


def test_what_all_share_takes_what_all_share(lib: Any) -> None:
    """A write of the same for all happens once."""
    shared = lib.zeros(2, dtype=lib.float64)
    found = lib.vmap(lambda x: shared.add_(1) + x)(reals(lib, 3, 2))
    close(found, array(reals(lib, 3, 2)) + 1)
    assert array(shared).tolist() == [1.0, 1.0]


def test_nested_levels_of_writes(lib: Any) -> None:
    """What differs between outer examples only is shared inside."""
    x, y = reals(lib, 3), reals(lib, 3, 2, seed=1)
    both = lib.vmap(lib.vmap(lambda a, b: b.add_(a), in_dims=(None, 0)))
    close(both(x, y.clone()), array(x)[:, None] + array(y))
    with pytest.raises(RuntimeError, match="more elements than `self`|doesn't match the broadcast shape"):
        lib.vmap(lib.vmap(lambda a, b: a.add_(b), in_dims=(None, 0)))(x, y)


def test_new_tensors_to_write_to(lib: Any) -> None:
    """zeros_like and new_zeros of an example give memory for each; zeros gives one that all share."""

    def scattered(x: Any) -> Any:
        wide = x.new_zeros(4)
        wide[1:3] = x
        like = lib.zeros_like(wide)
        like += wide * 2
        return wide, like, x.new_full((2,), 3.0).mul_(x), x.new_ones(2).sub_(x)

    x = reals(lib, 3, 2)
    wide = np.pad(array(x), ((0, 0), (1, 1)))
    for found, expected in zip(lib.vmap(scattered)(x), (wide, 2 * wide, 3 * array(x), 1 - array(x)), strict=True):
        close(found, expected)
    with pytest.raises(RuntimeError, match="more elements than `self`"):
        lib.vmap(lambda x: lib.zeros(2, dtype=lib.float64).copy_(x))(x)


def test_indices_that_differ(lib: Any) -> None:
    """Each example writes at places of its own."""
    x, i, v = reals(lib, 3, 4), integers(lib, [[0, 0], [3, 1], [2, 2]]), reals(lib, 3, 2, seed=1)
    added = array(x).copy()
    for row in range(3):
        np.add.at(added[row], array(i)[row], array(v)[row])
    close(lib.vmap(lambda x, i, v: x.index_put((i,), v, accumulate=True))(x, i, v), added)
    close(lib.vmap(lambda x, i, v: x.clone().index_add_(0, i, v))(x, i, v), added)

    def put(x: Any, i: Any) -> Any:
        x[i[0]] = 9.0
        return x

    expected = array(x).copy()
    expected[np.arange(3), array(i)[:, 0]] = 9.0
    close(lib.vmap(put)(x.clone(), i), expected)


def test_leaves_and_gradients(lib: Any) -> None:
    """A leaf is protected under vmap too; what is computed from it is differentiated through the write."""
    x = reals(lib, 3, 2).requires_grad_()
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        lib.vmap(lambda x: x.mul_(2))(x)

    def squares(x: Any) -> Any:
        y = x * 1
        y.mul_(x)
        y[0] = y[0] * 3
        return y

    (found,) = lib.autograd.grad(lib.vmap(squares)(x).sum(), x)
    close(found, 2 * array(x) * [3, 1])


def test_versions_are_checked(lib: Any) -> None:
    """A value that backward needs and that an example has changed is an error."""
    x = reals(lib, 3, 2).requires_grad_()

    def spoilt(x: Any) -> Any:
        y = x.exp()
        z = y * y
        y.add_(1)
        return z

    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        lib.vmap(spoilt)(x).sum().backward()


@pytest.mark.parametrize("name", ["t_", "transpose_", "unsqueeze_", "squeeze_"])
def test_in_place_views(name: str) -> None:
    """They change the shape of the examples, never the dimension of the batch."""
    x = reals(sg, 3, 1, 4)
    arguments = {"transpose_": (0, 1), "unsqueeze_": (-1,)}.get(name, ())
    found = sg.vmap(lambda e: getattr(e * 1, name)(*arguments))(x)
    close(found, sg.stack([getattr(e * 1, name)(*arguments) for e in x]))


MADE_OF_OTHERS: dict[str, Any] = {
    "logit_": lambda x: x.logit_(),
    "logit_ of a part": lambda x: x[1:].logit_(0.2),
    "mvlgamma_": lambda x: x.mvlgamma_(1),
    "float_power_": lambda x: x.float_power_(x.detach() + 1),
    "fill_diagonal_": lambda x: x.outer(x).fill_diagonal_(0.5),
}


@pytest.mark.parametrize("name", MADE_OF_OTHERS)
def test_gradients_of_in_place_forms_of_composites(name: str) -> None:
    """What the parts of a composite keep for backward is not what is written to."""

    def loss(x: Any) -> Any:
        y = x * 1
        found = MADE_OF_OTHERS[name](y)
        return (found * found).sum() + y.sum()

    x = reals(sg, 3, 4).sigmoid()
    found, alone = sg.func.vmap(sg.func.grad(loss))(x), [sg.func.grad(loss)(row) for row in x]
    close(found, np.stack([array(row) for row in alone]))
