"""Views that may not be written to while graphs are recorded: made under no_grad, several at a time, by a Function."""

from typing import Any

import pytest

import specgrad as sg


def leaf() -> Any:
    """A float64 matrix that requires grad."""
    return (sg.arange(6.0, dtype=sg.float64).reshape(2, 3) + 1).requires_grad_()


class AsIs(sg.autograd.Function):
    """Returns its input; the gradient is three times as large."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad * 3


class Pair(sg.autograd.Function):
    """A view of the input, and a copy."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x.view(-1), x * 2

    @staticmethod
    def backward(ctx: Any, grad: Any, other: Any) -> Any:
        return grad.view(2, 3) + 2 * other


def under_no_grad(y: Any) -> Any:
    with sg.no_grad():
        return y[0]


def in_inference_mode(y: Any) -> Any:
    with sg.inference_mode():
        return y[0]


MULTI_VIEW = "This view is the output of a function that returns multiple views. Such functions do not allow"
CUSTOM = "This view was created inside a custom Function"
VIEWS: dict[str, tuple[Any, str]] = {
    "no_grad": (under_no_grad, r"A view was created in no_grad mode and {}.*inside the no_grad block"),
    "inference": (in_inference_mode, r"A view was created in inference mode and {}.*inside the inference_mode block"),
    "view of it": (
        lambda y: under_no_grad(y)[1:],
        r"Output 0 of SliceBackward0 is a view of a view which was created in no_grad mode and {}",
    ),
    "unbind": (lambda y: y.unbind()[1], f"Output 1 of UnbindBackward0 is a view and {{}}.*{MULTI_VIEW}"),
    "split": (lambda y: y.split(1)[1], f"Output 1 of SplitBackward0 is a view and {{}}.*{MULTI_VIEW}"),
    "split alone": (lambda y: y.split(2)[0], f"Output 0 of SplitBackward0 is a view and {{}}.*{MULTI_VIEW}"),
    "split sizes": (
        lambda y: y.split([1, 1])[0],
        f"Output 0 of SplitWithSizesBackward0 is a view and {{}}.*{MULTI_VIEW}",
    ),
    "chunk": (lambda y: y.chunk(3, 1)[2], f"Output 2 of SplitBackward0 is a view and {{}}.*{MULTI_VIEW}"),
    "iteration": (lambda y: list(y)[0], f"Output 0 of UnbindBackward0 is a view and {{}}.*{MULTI_VIEW}"),
    "view of a piece": (
        lambda y: y.unbind()[0].view(3, 1),
        f"Output 0 of ViewBackward0 is a view and {{}}.*{MULTI_VIEW}",
    ),
    "Function": (AsIs.apply, f"Output 0 of AsIsBackward is a view and {{}}.*{CUSTOM}"),
    "Function of several": (lambda y: Pair.apply(y)[0], f"Output 0 of PairBackward is a view and {{}}.*{MULTI_VIEW}"),
}
WRITES: list[Any] = [
    lambda v: v.add_(1),
    lambda v: v.__setitem__([0], 1.0),
    lambda v: v.unsqueeze_(0),
    lambda v: v.zero_(),
    lambda v: v.copy_(sg.ones(1, dtype=v.dtype)),
]


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("write", WRITES)
def test_writing_to_it_is_refused(name: str, write: Any) -> None:
    """A recorded write is an error that says how the view was made; nothing is written."""
    make, message = VIEWS[name]
    y = leaf() * 1
    view = make(y)
    version, values = y._version, y.tolist()
    with pytest.raises(RuntimeError, match=message.format("is being modified inplace")):
        write(view)
    assert (y._version, y.tolist()) == (version, values)


@pytest.mark.parametrize("name", VIEWS)
def test_it_is_outdated_after_a_write_to_its_memory(name: str) -> None:
    """However the memory was written to, using the view in a graph is an error; values can still be read."""
    make, message = VIEWS[name]
    expected = message.format("its base or another view of its base has been modified inplace")
    for write in (lambda y, v: y.mul_(2), lambda y, v: y.detach().mul_(2), write_unrecorded):
        y = leaf() * 1
        view = make(y)
        write(y, view)
        assert view.requires_grad and "grad_fn=<Invalid>" in repr(view)
        for use in (lambda v: v * 2, lambda v: v.sum(), lambda v: v.view(-1), lambda v: v.grad_fn, lambda v: v.is_leaf):
            with pytest.raises(RuntimeError, match=expected):
                use(view)
        with sg.no_grad():
            assert not (view * 2).requires_grad
        assert view.detach().sum().item() == view.data.sum().item()


def write_unrecorded(y: Any, view: Any) -> None:
    with sg.no_grad():
        view.mul_(2)


@pytest.mark.parametrize("name", VIEWS)
def test_unrecorded_writes_are_allowed(name: str) -> None:
    """Where nothing requires grad, or nothing is recorded, such views are written to like any other."""
    make, _ = VIEWS[name]
    constant = leaf().detach()
    make(constant).zero_()
    assert 0 in constant and constant._version == 1
    y = leaf() * 1
    view = make(y)
    with sg.no_grad():
        view.zero_()
    assert 0 in y and y._version == 1


@pytest.mark.parametrize("name", ["no_grad", "unbind", "split"])
def test_a_constant_that_gets_a_history(name: str) -> None:
    """Such a view of a constant cannot follow when something that requires grad is written to the constant."""
    make, _ = VIEWS[name]
    constant, weight = sg.ones(2, 3, dtype=sg.float64), sg.ones(1, dtype=sg.float64, requires_grad=True)
    view = make(constant)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        view.mul_(weight)
    constant.mul_(weight)
    with pytest.raises(RuntimeError, match="created in no_grad mode and its base or another view of its base"):
        view * 2


def test_no_gradient_comes_through_a_view_made_under_no_grad() -> None:
    """It requires grad because its base does; without requires_grad_() of its own it is nobody's leaf."""
    y = leaf() * 1
    view = under_no_grad(y)
    assert view.requires_grad and view.is_leaf and view.grad_fn is None and view._base is y
    z = view * 2
    assert z.requires_grad and z.grad_fn.next_functions[0] == (None, 0)
    assert sg.autograd.grad(z.sum() + y.sum(), view, allow_unused=True) == (None,)
    with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
        view.backward(sg.ones(3, dtype=sg.float64))
    view.requires_grad_()
    (view * 2).sum().backward()
    assert view.grad.tolist() == [2.0, 2.0, 2.0]
    assert view.requires_grad_(False).requires_grad


def test_requires_grad_after_a_view_was_made() -> None:
    """A view made before its base was told to require grad is outside the graph until the next write to the memory."""
    base = sg.zeros(3, dtype=sg.float64)
    view = base[:2]
    base.requires_grad_()
    assert view.requires_grad and view.is_leaf
    (view * 2).sum().backward()
    assert base.grad is None
    with pytest.raises(RuntimeError, match=r"add_\(\): a view of a leaf Variable that requires grad"):
        view.add_(1)
    with sg.no_grad():
        base.add_(1)
    (view * 2).sum().backward()
    assert base.grad.tolist() == [2.0, 2.0, 0.0] and not view.is_leaf
    other = sg.zeros(3)
    part = other[:2]
    assert other.requires_grad_().requires_grad_(False) is other and not part.requires_grad


def test_detaching_the_base_in_place() -> None:
    """After detach_ a view made under no_grad is an ordinary constant again; others keep their history."""
    y = leaf() * 1
    outside, inside = under_no_grad(y), y[1]
    y.detach_()
    assert not outside.requires_grad and outside.is_leaf and inside.requires_grad
    outside.add_(1)
    with pytest.raises(RuntimeError, match="views"):
        inside.detach_()


def test_gradients_of_pieces() -> None:
    """The gradient of each piece arrives in its place, zeros where a piece was not used; also twice."""
    for pieces in (
        lambda y: y.unbind(),
        lambda y: y.unbind(1),
        lambda y: y.split(2, 1),
        lambda y: y.split([1, 0, 2], 1),
    ):
        x = leaf()
        first, *_, last = pieces(x * 1)
        (grad,) = sg.autograd.grad((first * first).sum() + 3 * last.sum(), x, create_graph=True)
        (second,) = sg.autograd.grad(grad.sum(), x)
        where_first = sg.zeros(2, 3, dtype=sg.float64)
        pieces(where_first)[0].fill_(1)
        where_last = sg.zeros(2, 3, dtype=sg.float64)
        pieces(where_last)[-1].fill_(1)
        assert grad.tolist() == (2 * x * where_first + 3 * where_last).tolist()
        assert second.tolist() == (2 * where_first).tolist()


def test_pieces_share_one_node() -> None:
    """The pieces are the outputs of one node, each with its number."""
    y = leaf() * 1
    first, second = y.unbind()
    assert first.grad_fn is second.grad_fn and (first.output_nr, second.output_nr) == (0, 1)
    assert first.grad_fn.next_functions == ((y.grad_fn, 0),) and first._base is y


def test_dirty_views_of_functions() -> None:
    """A Function may not mark as dirty a view that no write can be followed through."""

    class Twice(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    y = leaf() * 1
    row = y[0]
    assert Twice.apply(row) is row and row._base is y
    y.sum().backward()
    with pytest.raises(RuntimeError, match=MULTI_VIEW):
        Twice.apply((leaf() * 1).unbind()[0])


ATOMIC_COST: dict[str, Any] = {
    "tensor_split": lambda y: y.tensor_split(2),
    "tensor_split at indices": lambda y: y.tensor_split((1,)),
    "tensor_split by a tensor": lambda y: y.tensor_split(sg.tensor(2)),
    "vsplit": lambda y: y.vsplit(2),
    "vsplit at indices": lambda y: y.vsplit([1]),
    "unsafe_split": lambda y: y.unsafe_split(1),
    "unsafe_split_with_sizes": lambda y: y.unsafe_split_with_sizes([1, 1]),
    "unsafe_chunk": lambda y: y.unsafe_chunk(2),
}


@pytest.mark.parametrize("name", ATOMIC_COST)
def test_pieces_that_are_slices_are_written_to(name: str) -> None:
    """Pieces that are views of their own take writes as slices do, and gradients follow these."""
    one, other = leaf(), leaf()
    y, z = one * 1, other * 1
    first, second = ATOMIC_COST[name](y)
    slices = z[:1], z[1:]
    for piece, part in zip((first, second), slices, strict=True):
        assert piece.shape == part.shape and piece._base is y
        piece.mul_(piece.detach() + 2)
        part.mul_(part.detach() + 2)
    assert y.tolist() == z.tolist() and y._version == 2
    (y * y).sum().backward()
    (z * z).sum().backward()
    assert sg.equal(one.grad, other.grad)
