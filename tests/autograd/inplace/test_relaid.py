"""Tensors whose layout changes while nothing is recorded, in place or by `data`: leaves stay leaves, gradients fit."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg

INPLACE_FUNCTION: dict[str, tuple[Callable[[Any], Any], Callable[[np.ndarray], np.ndarray]]] = {
    "unsqueeze_": (lambda x: x.unsqueeze_(0), lambda a: a[None]),
    "squeeze_": (lambda x: x.squeeze_(), np.squeeze),
    "squeeze_ of one": (lambda x: x.squeeze_(1), lambda a: a),
    "t_": (lambda x: x.t_(), np.transpose),
    "transpose_": (lambda x: x.transpose_(0, 1), np.transpose),
    "swapaxes_": (lambda x: x.swapaxes_(-1, 0), np.transpose),
    "as_strided_": (lambda x: x.as_strided_((2, 2), (1, 1)), lambda a: a.reshape(-1)[[[0, 1], [1, 2]]]),
}
MODES = {"no_grad": sg.no_grad, "inference_mode": sg.inference_mode}
LEAVES: dict[str, Callable[[], Any]] = {
    "of its own": lambda: numbers().requires_grad_(),
    "a view": lambda: numbers().view(-1).view(2, 3).requires_grad_(),
    "a part": lambda: sg.arange(12, dtype=sg.float64).view(4, 3)[2:].requires_grad_(),
    "of a leaf's memory": lambda: numbers().requires_grad_().detach().view(2, 3).requires_grad_(),
    "expanded": lambda: sg.arange(3, dtype=sg.float64).expand(2, 3).requires_grad_(),
}


def numbers() -> Any:
    """A matrix of six numbers."""
    return sg.arange(6, dtype=sg.float64).view(2, 3).clone() + 1


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("made", LEAVES)
@pytest.mark.parametrize("name", INPLACE_FUNCTION)
def test_leaves_stay_leaves(name: str, made: str, mode: str) -> None:
    """A leaf that gets another layout outside the graph is the same leaf, and gets its gradient in its new shape."""
    if name == "as_strided_" and made == "a part":
        return  # reads from the beginning of the memory
    change, expected = INPLACE_FUNCTION[name]
    x = LEAVES[made]()
    values, version = expected(x.detach().numpy().copy()), x._version
    with MODES[mode]():
        assert change(x) is x
    assert (x.is_leaf, x.grad_fn, x.requires_grad, x._version) == (True, None, True, version + 1)
    (x * x).sum().backward()
    assert np.array_equal(x.detach().numpy(), values)
    assert np.array_equal(x.grad.numpy(), 2 * values)
    (x * 3).sum().backward()  # adds to a gradient of its shape
    assert np.array_equal(x.grad.numpy(), 2 * values + 3)


def test_a_leaf_of_a_base_that_requires_grad_later_belongs_to_that() -> None:
    """A view that was a leaf is read from its base again once that requires grad and the memory is written to."""
    base = sg.ones(6)
    x = base.view(2, 3).requires_grad_()
    base.requires_grad_()
    with sg.no_grad():
        x.t_()
    assert not x.is_leaf
    (x * sg.arange(6.0).view(3, 2)).sum().backward()
    assert base.grad.tolist() == [0.0, 2.0, 4.0, 1.0, 3.0, 5.0]


DATA: list[tuple[tuple[int, ...], tuple[int, ...], bool]] = [  # shapes before and after, and whether gradients fit
    ((2, 3), (4,), False),
    ((2, 3), (3,), False),
    ((2, 3), (6,), False),
    ((2, 3), (3, 2), False),
    ((3,), (2, 3), True),
    ((), (2, 2), True),
    ((2, 3), (1, 2, 3), True),
    ((1, 3), (2, 3), True),
]


@pytest.mark.parametrize(("before", "after", "fits"), DATA)
def test_data_of_another_shape_between_forward_and_backward(before: Any, after: Any, fits: bool) -> None:
    """A leaf's gradient has the shape that the leaf has when it comes; one that does not broadcast to it is refused."""
    p = sg.ones(before, dtype=sg.float64).requires_grad_()
    y = (p * 2).sum()
    p.data = sg.zeros(after, dtype=sg.float64)
    if fits:
        y.backward()
        assert p.grad.tolist() == np.full(after, 2.0).tolist()
    else:
        with pytest.raises(RuntimeError, match=r"size of the gradient .* must match the size of its leaf"):
            y.backward()
        assert p.grad is None
    p.grad = None
    (p * 3).sum().backward()
    assert p.grad.tolist() == np.full(after, 3.0).tolist()


@pytest.mark.parametrize(("before", "after", "fits"), DATA)
def test_data_of_what_an_op_has_made(before: Any, after: Any, fits: bool) -> None:
    """Gradients come to the op in the shape of its result: summed where that broadcasts to the new one, or refused."""
    a = sg.ones(before, dtype=sg.float64).requires_grad_()
    q = a * 2
    q.data = sg.ones(after, dtype=sg.float64)
    assert q.grad_fn.name() == "MulBackward0" and not q.is_leaf
    if fits:
        (q * 3).sum().backward()
        assert a.grad.shape == before
        assert a.grad.sum().item() == pytest.approx(6.0 * np.prod(after))
    else:
        with pytest.raises(RuntimeError, match="invalid gradient for MulBackward0: got .* but expected shape compat"):
            (q * 3).sum().backward()
        assert a.grad is None


def test_data_of_another_dtype() -> None:
    """Gradients are cast to the dtype of the result that the op gave."""
    a = sg.ones(2, 3).requires_grad_()
    q = a * 2
    q.data = sg.ones(2, 3, dtype=sg.float64)
    q.sum().backward()
    assert a.grad.dtype is sg.float32 and a.grad.tolist() == [[2.0] * 3] * 2


@pytest.mark.parametrize("dtype", [sg.int64, sg.bool, sg.int32])
def test_data_without_gradients(dtype: Any) -> None:
    """What requires grad does not become integers; what does not may."""
    for tensor in (sg.ones(2, requires_grad=True), sg.ones(2, requires_grad=True) * 2):
        with pytest.raises(RuntimeError, match="must be floating point or complex dtype"):
            tensor.data = sg.ones(2, dtype=dtype)
        assert tensor.dtype is sg.float32
    plain = sg.ones(2)
    plain.data = sg.ones(2, dtype=dtype)
    assert plain.dtype is dtype


@pytest.mark.parametrize("change", [lambda x: x.t_(), lambda x: x.unsqueeze_(-1), lambda x: x.as_strided_((3,), (1,))])
def test_what_an_op_has_made_in_another_layout(change: Callable[[Any], Any]) -> None:
    """A result that got another shape under no_grad refuses gradients of it, its views and writes to them too."""
    a = numbers().requires_grad_()
    q = a * 1
    view = q[0]
    with sg.no_grad():
        change(q)
    for use in (lambda: q.sum(), lambda: view.sum(), lambda: view.add_(1).sum()):
        with pytest.raises(RuntimeError, match="invalid gradient for MulBackward0"):
            use().backward()
    assert a.grad is None


def test_and_back_again() -> None:
    """A result that has its shape again is as it was; names and edges of the graph are those of its op throughout."""
    a = numbers().requires_grad_()
    q = a * 1
    node = q.grad_fn
    with sg.no_grad():
        q.t_()
    assert q.grad_fn is node and (q + 1).grad_fn.next_functions == ((node, 0),) and q.output_nr == 0
    with sg.no_grad():
        q.t_()
    (q * numbers()).sum().backward()
    assert sg.equal(a.grad, numbers())


def test_a_gradient_of_another_shape_and_as_many_elements_is_not_added() -> None:
    """A gradient of shape [2, 3] takes none of shape [3, 2], though both have six elements."""
    x = numbers().requires_grad_()
    (x * 2).sum().backward()
    with sg.no_grad():
        x.t_()
    with pytest.raises(RuntimeError):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [[2.0] * 3] * 2


def test_a_leaf_that_became_a_result_takes_no_gradient_of_its_past() -> None:
    """What was a leaf when it was used, and was detached and written to since, is an error in backward."""
    x, other = numbers().requires_grad_(), numbers().requires_grad_()
    y = (x * 2).sum()
    x.detach_()
    x *= other
    with pytest.raises(RuntimeError, match="leaf variable has been moved into the graph interior"):
        y.backward()
    assert sg.autograd.grad((x * 1).sum(), other)[0].tolist() == numbers().tolist()


def test_views_of_a_leaf_that_is_one_of_several_views_are_outdated_by_each_write() -> None:
    """They are refused in graphs after a write to their memory, though the base is a constant; so are later ones."""
    base = sg.ones(4, dtype=sg.float64)
    x = base.split(2)[0].requires_grad_()
    for _ in range(2):
        view = x[:1]
        assert not view.is_leaf
        base.add_(1)
        with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
            view.sum()
    (x * x).sum().backward()
    assert x.is_leaf and x.grad.tolist() == [6.0, 6.0]


def test_what_was_saved_and_laid_out_anew_is_refused() -> None:
    """The backward pass says that the tensor was modified, and does not look at the shape that it has now."""
    x, y = sg.ones(3, 1, requires_grad=True), sg.ones(1, 2, requires_grad=True)
    for _ in range(3):
        factor = x * 1
        product = factor @ y
        with sg.no_grad():
            factor.squeeze_(-1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            product.sum().backward()
