"""In-place ops through views: the gradients are those of the same computation written without in-place ops."""

from typing import Any

import pytest

import specgrad as sg


def leaf(*shape: int) -> Any:
    """A float64 tensor of distinct values that requires grad."""
    count = 1
    for size in shape:
        count *= size
    return (sg.arange(count, dtype=sg.float64).reshape(shape) * 0.37 + 0.2).sin().requires_grad_()


def gradients(function: Any, *tensors: Any) -> list[Any]:
    """The gradients of a weighted sum of all values of the result."""
    out = function(*tensors)
    weights = (sg.arange(out.numel(), dtype=sg.float64).reshape(out.shape) + 1).cos()
    found = sg.autograd.grad((out * weights).sum(), tensors, allow_unused=True)
    return [out.tolist(), *(None if g is None else g.tolist() for g in found)]


def close(a: Any, b: Any) -> bool:
    """Whether nested lists hold equal numbers, up to rounding."""
    if isinstance(a, list):
        return len(a) == len(b) and all(close(x, y) for x, y in zip(a, b, strict=True))
    return a == b or a == pytest.approx(b)


def row_in_place(x: Any, v: Any) -> Any:
    y = x * 1
    y[1].mul_(v)
    return y


def row(x: Any, v: Any) -> Any:
    return sg.stack([x[0], x[1] * v, x[2]])


def view_of_view_in_place(x: Any, v: Any) -> Any:
    y = x.exp() + 0
    y.T[1:][0].view(3).add_(v).mul_(2)
    return y * y


def view_of_view(x: Any, v: Any) -> Any:
    y = x.exp()
    y = sg.stack([y[:, 0], (y[:, 1] + v) * 2, y[:, 2]], 1)
    return y * y


def base_then_view_in_place(x: Any, v: Any) -> Any:
    y = x * 1
    first, second = y[0], y[:, 1]
    y.mul_(2)
    first.add_(v)
    second.mul_(v)
    y.add_(first * 1)
    return y * second


def base_then_view(x: Any, v: Any) -> Any:
    y = x * 2
    y = sg.stack([y[0] + v, y[1], y[2]])
    y = sg.stack([y[:, 0], y[:, 1] * v, y[:, 2]], 1)
    y = y + y[0]
    return y * y[:, 1]


def view_read_after_write_in_place(x: Any, v: Any) -> Any:
    y = x * 1
    view = y.view(9)
    before = view * 3
    y[2].zero_()
    return before + view + y.reshape(9)


def view_read_after_write(x: Any, v: Any) -> Any:
    y = sg.cat([x[:2], x[2:] * 0])
    return x.reshape(9) * 3 + y.reshape(9) * 2


def setitem_in_place(x: Any, v: Any) -> Any:
    y = x * 1
    y[0, 1:] = v[:2] * 2
    y[:, 0] = 5.0
    y[[2, 2], [1, 2]] = v[1:]
    return y


def setitem(x: Any, v: Any) -> Any:
    five = sg.full((), 5.0, dtype=sg.float64)
    rows = [[five, v[0] * 2, v[1] * 2], [five, x[1, 1], x[1, 2]], [five, v[1], v[2]]]
    return sg.stack([sg.stack(r) for r in rows])


def copies_in_place(x: Any, v: Any) -> Any:
    y = sg.zeros(3, 3, dtype=sg.float64)
    y.copy_(v)
    y[1].copy_(x[2])
    y[2].fill_(3).add_(v[0])
    return y


def copies(x: Any, v: Any) -> Any:
    return sg.stack([v, x[2], (v[0] + 3).expand(3)])


def masks_in_place(x: Any, v: Any) -> Any:
    y = x * 2
    y.masked_fill_(sg.eye(3) > 0, 7.0)
    y[0].masked_fill_(sg.tensor([False, True, False]), v[0])
    y.index_put_((sg.tensor([1, 1]), sg.tensor([0, 0])), v[1:], accumulate=True)
    return y.clamp_(max=6.5)


def masks(x: Any, v: Any) -> Any:
    seven = sg.full((), 7.0, dtype=sg.float64)
    rows = [
        [seven, v[0], x[0, 2] * 2],
        [x[1, 0] * 2 + v[1] + v[2], seven, x[1, 2] * 2],
        [x[2, 0] * 2, x[2, 1] * 2, seven],
    ]
    return sg.stack([sg.stack(r) for r in rows]).clamp(max=6.5)


def diagonal_in_place(x: Any, v: Any) -> Any:
    y = x * 1
    y.diagonal().mul_(v)
    y.unsqueeze(0).transpose(1, 2)[0, 1].sub_(v)
    return y.exp_()


def diagonal(x: Any, v: Any) -> Any:
    y = x * (sg.eye(3, dtype=sg.float64) * (v - 1) + 1)
    return sg.stack([y[:, 0], y[:, 1] - v, y[:, 2]], 1).exp()


def pieces_in_place(x: Any, v: Any) -> Any:
    y = x * 1
    y.narrow(0, 1, 2).mul_(3)
    y.squeeze()[..., 2:].add_(v.view(3, 1))
    return y


def pieces(x: Any, v: Any) -> Any:
    y = sg.cat([x[:1], x[1:] * 3])
    return sg.cat([y[:, :2], y[:, 2:] + v.view(3, 1)], 1)


PAIRS = [
    (row_in_place, row),
    (view_of_view_in_place, view_of_view),
    (base_then_view_in_place, base_then_view),
    (view_read_after_write_in_place, view_read_after_write),
    (setitem_in_place, setitem),
    (copies_in_place, copies),
    (masks_in_place, masks),
    (diagonal_in_place, diagonal),
    (pieces_in_place, pieces),
]


@pytest.mark.parametrize(("written", "plain"), PAIRS, ids=[p[1].__name__ for p in PAIRS])
def test_gradients_equal_those_without_in_place(written: Any, plain: Any) -> None:
    """Values and gradients agree, and agree with finite differences."""
    x, v = leaf(3, 3), leaf(3)
    assert close(gradients(written, x, v), gradients(plain, x, v))
    assert sg.autograd.gradcheck(written, (x, v))
    assert sg.autograd.gradgradcheck(written, (x, v))


def test_only_the_written_value_requires_grad() -> None:
    """Writing something differentiable into a constant, or into a view of it, puts both into the graph."""
    v = leaf(2)
    y = sg.zeros(2, 2, dtype=sg.float64)
    y[1] = v * 3
    assert y.requires_grad and y.grad_fn.name().endswith("CopySlices")
    y.sum().backward()
    assert v.grad.tolist() == [3.0, 3.0]


def test_views_made_before_see_the_write() -> None:
    """A view taken before its base was written to is, in the graph too, a view of the new values."""
    x = leaf(2)
    y = x * 1
    view = y[:1]
    y.mul_(5)
    assert view.requires_grad and view.item() == y[0].item()
    view.backward(sg.ones(1, dtype=sg.float64))
    assert x.grad.tolist() == [5.0, 0.0]


def test_hooks_stay_with_the_old_value_and_retain_grad_moves() -> None:
    """A hook sees the gradient of the value it was registered on; retain_grad that of the tensor as it is now."""
    x = leaf(2)
    y = x * 1
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    y.retain_grad()
    y.mul_(5)
    (y * 3).sum().backward()
    assert seen == [[15.0, 15.0]]
    assert y.grad.tolist() == [3.0, 3.0]


def test_second_derivative_where_a_view_saved_its_output() -> None:
    """An op that saves its output, written to a view, is differentiated twice without running twice."""
    found = []
    for in_place in (True, False):
        x = leaf(3)
        y = x * 1
        if in_place:
            y[1:].tanh_()
        else:
            y = sg.cat([y[:1], y[1:].tanh()])
        (first,) = sg.autograd.grad((y * y).sum(), x, create_graph=True)
        found.append(sg.autograd.grad(first.exp().sum(), x)[0].tolist())
    assert found[0] == pytest.approx(found[1])
