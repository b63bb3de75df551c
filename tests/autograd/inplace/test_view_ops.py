"""View ops in place (`unsqueeze_`) change a tensor's own layout; writes through any layout give the right gradients."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

FORMS: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]] = [
    (lambda x: x.unsqueeze_(1), lambda x: x.unsqueeze(1)),
    (lambda x: x.t_(), lambda x: x.t()),
    (lambda x: x.transpose_(0, -1), lambda x: x.transpose(0, -1)),
    (lambda x: x.swapaxes_(0, 1), lambda x: x.swapaxes(0, 1)),
    (lambda x: x.swapdims_(0, 1), lambda x: x.swapdims(0, 1)),
    (lambda x: x.unsqueeze_(0).squeeze_(), lambda x: x),
    (lambda x: x.unsqueeze_(-1).squeeze_(dim=2), lambda x: x),
]


def leaf() -> Any:
    """A matrix that requires grad."""
    return (sg.arange(12.0, dtype=sg.float64).reshape(3, 4) - 5).requires_grad_()


def weighted(x: Any) -> Any:
    """A sum in which every element has a weight of its own."""
    return (x * sg.arange(1.0, 13.0, dtype=sg.float64).reshape(x.shape)).sum()


@pytest.mark.parametrize(("in_place", "view"), FORMS)
def test_same_as_the_view(in_place: Callable[[Any], Any], view: Callable[[Any], Any]) -> None:
    """The tensor itself is returned, with the shape, strides, values and gradients that the view has."""
    one, other = leaf(), leaf()
    x = one * 2
    assert in_place(x) is x
    seen = view(other * 2)
    assert (x.shape, x.stride(), x.tolist()) == (seen.shape, seen.stride(), seen.tolist())
    weighted(x).backward()
    weighted(seen).backward()
    assert sg.equal(one.grad, other.grad)


def test_memory_and_version() -> None:
    """The memory stays; other views keep their layout; the version goes up."""
    x = sg.zeros(2, 3)
    row, version = x[0], x._version
    x.t_()
    x.add_(1)
    assert row.tolist() == [1.0, 1.0, 1.0]
    assert x._version > version


def test_leaf_that_requires_grad() -> None:
    """A leaf that requires grad has no history to extend; under no_grad it may change its layout."""
    x = leaf()
    with pytest.raises(RuntimeError, match=r"t_\(\): a leaf Variable that requires grad"):
        x.t_()
    with sg.no_grad():
        x.t_()
    assert x.is_leaf and x.requires_grad and x.shape == (4, 3)


def test_saved_value_changed() -> None:
    """A tensor that backward needs may not change its layout before."""
    y = leaf().exp()
    z = (y * y).sum()
    y.unsqueeze_(0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.backward()


def test_write_after_relayout() -> None:
    """A row written after `t_`, and a view made before it: gradients as without in-place ops."""
    one, other = leaf(), leaf()
    x = one * 1
    column = x[0]
    x.t_()
    x[0].mul_(3)
    column.mul_(2)
    weighted(x).backward()
    scale = sg.ones(3, 4, dtype=sg.float64)
    scale[:, 0] *= 3
    scale[0] *= 2
    weighted((other * scale).t()).backward()
    assert sg.equal(one.grad, other.grad)


@pytest.mark.parametrize(
    "base",
    [
        lambda: sg.from_numpy(np.zeros((4, 3)).T),
        lambda: sg.zeros(4, 3, dtype=sg.float64).T.detach(),
        lambda: sg.zeros(6, 4, dtype=sg.float64)[::2].detach(),
    ],
)
def test_write_to_a_view_of_a_strided_base(base: Callable[[], Any]) -> None:
    """Where the base does not lie in row order, a written region still gets its own gradient."""
    x, v = base(), sg.ones(3, dtype=sg.float64, requires_grad=True)
    x[:, 1].add_(v)
    weighted(x).backward()
    assert v.grad.tolist() == [2.0, 6.0, 10.0]
