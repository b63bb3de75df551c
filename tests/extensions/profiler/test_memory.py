"""What a profiler says of memory, and its estimates of operations."""

import gc
from collections.abc import Callable
from typing import Any

import specgrad as sg
from specgrad.profiler import record_function
from tests.extensions.profiler.programs import profiled


def memory(program: Callable[[], Any]) -> dict[str, tuple[int, int]]:
    """For each name, by how much memory grew in it, and in it alone."""
    averages = profiled(program, profile_memory=True).key_averages()
    return {a.key: (a.cpu_memory_usage, a.self_cpu_memory_usage) for a in averages}


def test_memory_is_that_of_new_results() -> None:
    """An op is charged with the bytes that it returned; views, in-place ops and `out=` make none."""
    x = sg.ones(10, 10)  # 400 bytes
    out = sg.empty(10, 10)
    retained: list[Any] = []

    def program() -> None:
        retained.append(x.sin())
        retained.append(x.double())
        retained.append(x.t())
        retained.append(x.view(100)[:50])
        retained.append(sg.cos(x, out=out))
        retained.extend(x.max(1))  # 40 bytes of values, 80 of indices
        x.mul_(2)

    found = memory(program)
    made = {name: size for name, (size, _) in found.items() if size}
    assert made.pop("aten::max") == 120
    assert made.pop("aten::sin") == 400
    assert sum(made.values()) == 800  # the conversion to float64
    assert "aten::mul_" in found and "aten::view" in found


def test_freed_memory_is_taken_off() -> None:
    """What is freed inside a range lowers its figure; what a composite throws away shows as negative of its own."""
    x = sg.ones(100)  # 400 bytes
    retained = []

    def program() -> None:
        with record_function("range"):
            y = x * 2
            z = y + 1
            del y
            retained.append(z)

    found = memory(program)
    assert found["range"] == (400, -400)
    assert found["aten::mul"] == found["aten::add"] == (400, 400)


def test_backward_ends_with_the_gradient() -> None:
    """Over a whole step memory grows by the gradient of the leaf, without cycles that wait for the collector."""
    x = sg.ones(100, requires_grad=True)
    gc.collect()
    gc.disable()
    try:

        def program() -> None:
            with record_function("step"):
                (x.exp() * x).sum().backward()

        assert memory(program)["step"][0] == 400
    finally:
        gc.enable()


def test_peak_is_the_most_at_once() -> None:
    """Two results that are alive together count together, one after the other they do not."""
    x = sg.ones(100)  # results of 400 bytes

    def batch() -> None:
        _ = x.sin(), x.cos()

    def separate() -> None:
        for _ in range(5):
            x.sin()

    assert profiled(batch, profile_memory=True).peak_memory_usage == 800
    assert profiled(separate, profile_memory=True).peak_memory_usage == 400
    assert profiled(separate).peak_memory_usage == 0


def test_memory_is_counted_once() -> None:
    """Views of a result, and an op that returns its argument, do not count again; nor does what frees them last."""
    x = sg.ones(100)
    views = []

    def program() -> None:
        with record_function("range"):
            y = x.sin()
            views.extend([y.view(10, 10), y[::2], y.contiguous()])
            del y
            views.clear()

    assert memory(program)["range"] == (0, -400)


def test_estimates_of_operations() -> None:
    """Two for each multiplication and addition of a product, one for each element of arithmetic."""
    image, weight = sg.ones(2, 3, 8, 8), sg.ones(4, 3, 3, 3)
    model = sg.nn.Linear(5, 7)

    def program() -> None:
        sg.nn.functional.conv2d(image, weight)
        model(sg.ones(6, 5))
        image * 2
        sg.bmm(sg.ones(2, 3, 4), sg.ones(2, 4, 5))
        image.sin()

    found = {a.key: a.flops for a in profiled(program, with_flops=True).key_averages() if a.flops}
    assert found == {
        "aten::convolution": 2 * (2 * 4 * 6 * 6) * (3 * 3 * 3),
        "aten::linear": 2 * 6 * 7 * 5,
        "aten::mul": image.numel(),
        "aten::bmm": 2 * 2 * 3 * 5 * 4,
    }


def test_operations_of_gradients_are_those_of_their_products() -> None:
    """Each factor's gradient is a product as large as the forward one; sums for a bias are not counted."""
    x, bias = sg.ones(6, 5), sg.ones(7, requires_grad=True)
    image = sg.ones(1, 2, 6, 6, requires_grad=True)
    linear, conv = sg.nn.Linear(5, 7), sg.nn.Conv2d(2, 3, 3)
    left, right = sg.ones(6, 5, requires_grad=True), sg.ones(5, 7, requires_grad=True)

    def program() -> None:
        linear(x).sum().backward()
        conv(image).sum().backward()
        sg.addmm(bias, left, right).sum().backward()

    for _ in range(2):  # the first calls take the general path
        found = {a.key: a.flops for a in profiled(program, with_flops=True).key_averages() if a.flops}
        window = 2 * (3 * 4 * 4) * (2 * 3 * 3)
        assert found == {
            "aten::linear": 2 * 6 * 7 * 5,
            "LinearBackward0": 2 * 6 * 7 * 5,
            "aten::convolution": window,
            "ConvolutionBackward0": 2 * window,
            "aten::addmm": 2 * 6 * 7 * 5,
            "aten::mm": 2 * 2 * 6 * 7 * 5,  # both inside AddmmBackward0
        }
