"""How gradients reach `.grad`: what is added, what is shared with whom, in which dtype, by how many threads."""

import threading
from typing import Any

import specgrad as sg


def leaf(*values: float) -> Any:
    """A float64 vector that requires grad."""
    return sg.tensor(values, dtype=sg.float64, requires_grad=True)


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
