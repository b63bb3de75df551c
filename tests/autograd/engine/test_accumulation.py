"""How gradients reach `.grad`: what is added, what is shared with whom, in which dtype, by how many threads."""

import threading
import warnings
from typing import Any

import pytest

import specgrad as sg
from tests.examples import leaf


def test_gradients_of_two_leaves_do_not_share_memory() -> None:
    """a + b hands one gradient to both leaves; writing to one .grad leaves the other alone."""
    a, b = leaf(1.0, 2.0), leaf(3.0, 4.0)
    (a + b).sum().backward()
    a.grad.mul_(10)
    assert b.grad.tolist() == [1.0, 1.0]


def test_given_gradient_is_not_aliased() -> None:
    """The tensor given as gradient stays the caller's: adding to .grad later does not change it."""
    x, v = leaf(1.0, 2.0), sg.tensor([5.0, 7.0], dtype=sg.float64)
    for _ in range(2):
        (x.view(2) + 0).backward(v)
    assert x.grad.tolist() == [10.0, 14.0]
    assert v.tolist() == [5.0, 7.0]


def test_backward_adds_to_grad() -> None:
    """A second backward adds to .grad in place of the first's."""
    x = leaf(1.0, 2.0)
    for _ in range(3):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_infinite_gradients_add_up_silently() -> None:
    """Gradients that overflow or cancel to nan give those values and no warning."""
    x = leaf(1.0, 1.0)
    for factor in (float("inf"), 1e308, -float("inf")):
        (x * factor).sum().backward()
    assert x.grad.isnan().all()


def test_gradient_takes_the_dtype_of_its_leaf() -> None:
    """A float32 leaf used with a float64 tensor gets a float32 gradient; a real leaf in complex math a real one."""
    x = sg.tensor([1.0, 2.0], requires_grad=True)
    (x * sg.tensor([3.0, 4.0], dtype=sg.float64)).sum().backward()
    assert x.grad.dtype is sg.float32
    z = leaf(1.0)
    out = z * sg.tensor([1 + 2j])
    out.backward(sg.ones(1, dtype=out.dtype))
    assert z.grad.tolist() == [1.0] and z.grad.dtype is sg.float64


def test_assigned_gradient_is_added_to_in_place() -> None:
    """A .grad that the user has set stays that tensor; its memory, be it a part of another's, gets the sums."""
    buffer = sg.zeros(6, dtype=sg.float64)
    x, y = leaf(1.0, 2.0), leaf(1.0, 2.0)
    x.grad, y.grad = buffer[:2], buffer[2::2]
    mine = x.grad
    for _ in range(2):
        (x * 3 + y).sum().backward()
    assert x.grad is mine
    assert buffer.tolist() == [6.0, 6.0, 2.0, 0.0, 2.0, 0.0]


def test_in_place_unless_recorded() -> None:
    """Later passes add to the same tensor, its version goes up; under create_graph .grad becomes a new tensor."""
    x = leaf(2.0)
    (x * 2).backward()
    first, version = x.grad, x.grad._version
    (x * 2).backward()
    assert x.grad is first and first.item() == 4.0 and first._version == version + 1
    first.zero_()
    with pytest.warns(UserWarning, match="create_graph"):
        (x * x).backward(create_graph=True)
    recorded = x.grad
    assert recorded is not first and first.item() == 0.0 and recorded.requires_grad
    (x * x).backward()
    assert x.grad is recorded and recorded.item() == 8.0


@pytest.mark.parametrize("create", [False, True])
def test_first_gradient_is_nobody_elses(create: bool) -> None:
    """Neither the given gradient, nor one that a hook or a Function keeps, is the memory of .grad."""
    retained: list[Any] = []

    class Keeps(sg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, t: Any) -> Any:
            return t * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            retained.append(grad * 1)
            return retained[-1]

    x, given = leaf(1.0, 2.0), sg.ones(2, dtype=sg.float64)
    y = x * 1
    y.register_hook(retained.append)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the cycle
        for root in (x, y, x + 0, x.view(2), Keeps.apply(x)):
            x.grad = None
            root.backward(given, create_graph=create)
            assert x.grad.data_ptr() not in [t.data_ptr() for t in (given, *retained)]


@pytest.mark.parametrize(
    ("make", "strides"),
    [
        (lambda: sg.zeros(2, 3).t(), (1, 3)),
        (lambda: sg.zeros(2, 3, 4).permute(2, 0, 1), (1, 12, 4)),
        (lambda: sg.zeros(6)[::2], (1,)),
        (lambda: sg.zeros(1).expand(3), (1,)),
        (lambda: sg.zeros(2, 3), (3, 1)),
    ],
)
def test_layout(make: Any, strides: tuple[int, ...]) -> None:
    """.grad has the strides of its leaf where those leave no gaps, else it is contiguous; recorded or not."""
    for create in (False, True):
        x = make().detach().requires_grad_()
        root = x * x
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            root.backward(sg.ones(*root.shape[::-1]).permute(*range(root.ndim)[::-1]), create_graph=create)
        assert x.grad.stride() == strides


def test_leaf_that_was_switched_off() -> None:
    """A leaf that no longer requires grad gets no gradient from a graph that was recorded before."""
    x, w = leaf(1.0), leaf(2.0)
    y = x * w
    x.requires_grad_(False)
    y.backward()
    assert x.grad is None and w.grad.item() == 1.0


def test_gradient_of_another_size() -> None:
    """A .grad that no longer fits its leaf's gradient is an error, never a write past its end."""
    x = leaf(1.0, 2.0)
    y = (x * 2).sum()
    x.data = sg.zeros(3, dtype=sg.float64)
    x.grad = sg.zeros(3, dtype=sg.float64)
    with pytest.raises(RuntimeError, match=r"\[3\]|\[2\]|size"):
        y.backward()


def test_two_threads_on_one_leaf() -> None:
    """Threads that run backward over the same leaf lose none of each other's contributions."""
    w = sg.zeros(100_000, requires_grad=True)

    def work() -> None:
        for _ in range(100):
            (w * 1).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert w.grad.min().item() == 200.0
