"""`utils.flop_counter`: two operations for each product of two numbers, by module and by op."""

import importlib
from typing import Any

import pytest

import specgrad as sg
from specgrad.utils.flop_counter import FlopCounterMode


def counted(lib: Any, function: Any) -> Any:
    """The counter of a call."""
    kind = importlib.import_module(f"{lib.__name__}.utils.flop_counter").FlopCounterMode
    with kind(display=False) as counter:
        function()
    return counter


@pytest.mark.parametrize("inputs_too", [False, True])
def test_products_and_their_gradients(lib: Any, inputs_too: bool) -> None:
    """Numbers for layers, forward and backward, are those of the formulas and of PyTorch."""
    linear, conv = lib.nn.Linear(3, 4), lib.nn.Conv2d(2, 6, 3)
    x, image = lib.ones(5, 3, requires_grad=inputs_too), lib.ones(1, 2, 6, 6, requires_grad=inputs_too)
    passes = 3 if inputs_too else 2
    assert counted(lib, lambda: linear(x).sum().backward()).get_total_flops() == passes * 2 * 5 * 3 * 4
    windows = 2 * 6 * 4 * 4 * 2 * 9
    assert counted(lib, lambda: conv(image).sum().backward()).get_total_flops() == passes * windows


def test_products_of_matrices(lib: Any) -> None:
    """However they are written."""
    a, b, batch = lib.ones(2, 3), lib.ones(3, 4), lib.ones(5, 2, 3)
    for function, expected in (
        (lambda: a @ b, 48),
        (lambda: lib.matmul(batch, b), 240),
        (lambda: lib.bmm(batch, batch.mT), 2 * 5 * 2 * 2 * 3),
        (lambda: lib.addmm(lib.ones(4), a, b), 48),
        (lambda: a * a + 1, 0),
    ):
        assert counted(lib, function).get_total_flops() == expected


def test_by_module() -> None:
    """Modules have what is computed in them, under the names that they have in the outermost."""
    net = sg.nn.Sequential(sg.nn.Linear(3, 4), sg.nn.Sequential(sg.nn.Linear(4, 5), sg.nn.ReLU()))
    with FlopCounterMode(display=False) as counter:
        net(sg.ones(2, 3))
    counts = counter.get_flop_counts()
    assert counts["Sequential.0"] == {"linear": 48} and counts["Sequential.1"] == counts["Sequential.1.0"] == {
        "linear": 80
    }
    assert counts["Sequential"] == counts["Global"] == {"linear": 128}
    assert [line.split()[0] for line in counter.get_table().splitlines()] == [
        *("Global", "Sequential", "Sequential.0", "Sequential.1")
    ]


def test_rules_of_ones_own() -> None:
    """A function of a program counts in place of the rule."""
    with FlopCounterMode(display=False, custom_mapping={sg.exp: lambda x, out_val, **_: 7 * x.numel()}) as counter:
        sg.ones(3).exp()
    assert counter.get_total_flops() == 21
