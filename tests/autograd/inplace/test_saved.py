"""What in-place ops do to what was saved: which errors come, whom they name, and what may be written to anyway."""

import inspect
import re
from typing import Any

import pytest

import specgrad as sg


def leaf() -> Any:
    """A float64 matrix that requires grad."""
    return (sg.arange(6.0, dtype=sg.float64).reshape(2, 3) + 1).requires_grad_()


def line_of(frame: Any) -> int:
    """The line after the one that a frame is at."""
    return frame.f_lineno + 1


def test_anomaly_mode_names_the_line_that_wrote() -> None:
    """While anomaly mode is on, the error says from where the last write came; otherwise only which op it was."""
    y = leaf() * 1
    z = y.sin()
    with sg.autograd.set_detect_anomaly(True):
        number = line_of(inspect.currentframe())
        y[0].mul_(2)
    with pytest.raises(RuntimeError) as raised:
        z.sum().backward()
    location = (
        rf"sin\(\) \(derivatives.yaml:\d+\).* last written to by mul_\(\) at {re.escape(__file__)}:{number} and is"
    )
    assert re.search(location + " at version 1; expected version 0", str(raised.value))
    y.add_(1)
    with pytest.raises(RuntimeError, match=r"last written to by add_\(\) and is at version 2; expected version 0"):
        z.sum().backward()


OVERWRITTEN: dict[str, Any] = {
    "y.mul_(y)": lambda y: y.mul_(y),
    "y[0].mul_(y[1])": lambda y: y[0].mul_(y[1]),
    "y.div_(y.detach())": lambda y: y.div_(y.detach()),
    "y.addcmul_(y, y)": lambda y: y.addcmul_(y, y),
    "y[0].lerp_(y[1], y[1])": lambda y: y[0].lerp_(y[1], y[1]),
}


@pytest.mark.parametrize("name", OVERWRITTEN)
def test_an_operand_in_the_memory_that_is_written(name: str) -> None:
    """What the gradient needs of it is gone when the op is done, as with any other write."""
    y = leaf() * 1
    OVERWRITTEN[name](y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation.* version 1; expected version 0"):
        y.sum().backward()


def test_an_operand_in_the_memory_whose_value_no_gradient_needs() -> None:
    """Sums and differences save nothing."""
    x = leaf()
    y = x * 1
    y.add_(y)
    y[0].sub_(y[1])
    y.sum().backward()
    assert x.grad.tolist() == [[2.0] * 3, [0.0] * 3]


KEEPS_NO_RESULT: list[Any] = [
    lambda x: x / (x + 1),
    lambda x: x * x,
    lambda x: x.sin(),
    lambda x: sg.atan2(x, x + 1),
    lambda x: x @ x.T,
    lambda x: x.clamp(2, 4),
    lambda x: sg.where(x > 2, x, x * 2),
    lambda x: x.cumsum(0),
]


@pytest.mark.parametrize("function", KEEPS_NO_RESULT)
def test_results_that_may_be_written_to(function: Any) -> None:
    """Where PyTorch's op keeps its inputs, and not its result, the result may be changed before backward."""
    x, other = leaf(), leaf()
    y = function(x)
    y += 1
    y.sum().backward()
    function(other).sum().backward()
    assert x.grad.tolist() == other.grad.tolist()


def test_old_values_are_copied_for_the_gradients_that_read_them() -> None:
    """An in-place op copies the old value where a gradient reads it: a product's only if the factor requires grad."""
    x, factor = leaf(), sg.full((3,), 2.0, dtype=sg.float64, requires_grad=True)
    y = x * 1
    y.mul_(3.0)
    assert y.grad_fn._saved_self is None
    y.mul_(factor).sin_().exp_()
    y.sum().backward()
    inner = 3 * x.detach() * 2
    derivative = inner.sin().exp() * inner.cos()
    assert sg.allclose(x.grad, derivative * 6) and sg.allclose(factor.grad, (derivative * 3 * x.detach()).sum(0))


def test_a_region_runs_backward_once() -> None:
    """After a backward that frees the graph, a base that was written to through a view cannot run again."""
    y = leaf() * 1
    y[0].add_(1)
    loss = y.sum()
    loss.backward(retain_graph=True)
    loss.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        loss.backward()


COMPOSITES: list[tuple[Any, Any]] = [
    (lambda v, w: v.clamp_(w, 2 * w), lambda v, w: v.clamp(w, 2 * w)),
    (lambda v, w: v.clamp_(w), lambda v, w: v.clamp(w)),
    (lambda v, w: v.div_(w, rounding_mode="floor"), lambda v, w: v.div(w, rounding_mode="floor")),
    (lambda v, w: v.clamp_(1.5, 3.5), lambda v, w: v.clamp(1.5, 3.5)),
]


@pytest.mark.parametrize(("written", "plain"), COMPOSITES)
def test_composites_through_views(written: Any, plain: Any) -> None:
    """An in-place op made of several others replaces its region: gradients are those of the op that is not in place."""
    found = []
    for in_place in (True, False):
        x, w = leaf(), sg.tensor([1.2, 2.7], dtype=sg.float64, requires_grad=True)
        y = x * 1
        if in_place:
            written(y[:, 1:], w)
        else:
            y = sg.cat([y[:, :1], plain(y[:, 1:], w)], 1)
        grads = sg.autograd.grad((y * y).sum(), [x, w], allow_unused=True)
        found.append([y.tolist(), *(None if g is None else g.tolist() for g in grads)])
    assert found[0] == found[1]


def test_views_of_overlapping_views() -> None:
    """Elements that share a place share its gradient, also where strides overlap without being 0."""
    x = leaf()
    assert sg.autograd.gradcheck(lambda t: t.as_strided((3, 2), (1, 1)) * 1, x)
    once = x.view(6).as_strided((3, 2), (1, 1))
    (grad,) = sg.autograd.grad(once.as_strided((2, 2), (1, 1)).sum(), x)
    assert grad.view(6).tolist() == [1.0, 2.0, 1.0, 0.0, 0.0, 0.0]


def test_which_results_are_views() -> None:
    """A reshape that had to copy is no view, a vector is its own flattening, and all of a tensor is a view of it."""
    y = leaf() * 1
    copied, row = y.T.reshape(6), y[0]
    assert copied._base is None and copied._version == 0 and y.view(6)._base is y
    copied.add_(1)
    assert y._version == 0 and row.flatten() is row and y.flatten()._base is y
    names = [view.grad_fn.name() for view in (y[...], y[:], y[:, :], y[()])]
    assert names == ["AliasBackward0", "SliceBackward0", "AliasBackward0", "AliasBackward0"]
    assert all(view._base is y and view is not y for view in (y[...], y[:]))


def test_versions_are_plain_numbers() -> None:
    """Also where views wait for the next write."""
    y = leaf() * 1
    pieces = y.unbind()
    assert type(y._version) is int and repr(y._version) == "0"
    y.add_(1)
    assert type(pieces[0]._version) is int and pieces[0]._version == 1


def test_a_view_after_its_base_was_written_to() -> None:
    """It is a region of the new base, in the graph too, with all strides that views can have."""
    for make in (
        lambda y: y.T,
        lambda y: y[:, 1],
        lambda y: y.diagonal(),
        lambda y: y.view(3, 2)[1:],
        lambda y: y[:1].T,
    ):
        x = leaf()
        y = x * 1
        view = make(y)
        y.mul_(3)
        assert view.grad_fn.name() == "AsStridedBackward0" and view.grad_fn.next_functions == ((y.grad_fn, 0),)
        (grad,) = sg.autograd.grad((view * view).sum(), x)
        requested = sg.zeros(2, 3, dtype=sg.float64)
        make(requested).copy_(make(18 * x.detach()))
        assert grad.tolist() == requested.tolist()
