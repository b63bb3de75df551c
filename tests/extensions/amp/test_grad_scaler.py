"""GradScaler: the factor over iterations, steps that are left out, several optimizers, and calls in a wrong order."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

import specgrad as sg
from specgrad.amp import GradScaler

INF = float("inf")


def model(**settings: Any) -> tuple[Any, Any, GradScaler]:
    parameter = sg.nn.Parameter(sg.ones(2))
    return parameter, sg.optim.SGD([parameter], lr=0.5), GradScaler("cpu", **{"init_scale": 8.0, **settings})


def test_a_step_divides_gradients_by_the_factor() -> None:
    """The loss is multiplied, the parameter moves as without a scaler, and `step` returns what the optimizer's does."""
    parameter, optimizer, scaler = model()
    loss = scaler.scale((parameter * sg.tensor([1.0, 3.0])).sum())
    loss.backward()
    assert (loss.item(), parameter.grad.tolist()) == (32.0, [8.0, 24.0])
    assert scaler.step(optimizer) is None
    assert parameter.grad.tolist() == [1.0, 3.0]
    assert parameter.tolist() == [0.5, -0.5]


def test_the_factor_over_iterations() -> None:
    """It grows after `growth_interval` steps in a row, and an infinite or missing number halves it and is no step."""
    parameter, optimizer, scaler = model(growth_interval=2)
    seen = []
    for factor in (1.0, 1.0, INF, 1.0, float("nan"), 1.0, 1.0):
        optimizer.zero_grad()
        before = parameter.tolist()
        scaler.scale((parameter * factor).sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        seen.append((scaler.get_scale(), scaler._get_growth_tracker(), parameter.tolist() != before))
    assert seen == [
        *((8.0, 1, True), (16.0, 0, True), (8.0, 0, False), (8.0, 1, True), (4.0, 0, False)),
        *((4.0, 1, True), (8.0, 0, True)),
    ]


def test_gradients_may_be_looked_at_before_a_step() -> None:
    """`unscale_` divides once; clipping then sees the true norm."""
    parameter, optimizer, scaler = model()
    scaler.scale((parameter * sg.tensor([3.0, 4.0])).sum()).backward()
    scaler.unscale_(optimizer)
    assert sg.nn.utils.clip_grad_norm_([parameter], 1.0).item() == pytest.approx(5.0)
    scaler.step(optimizer)
    scaler.update()
    assert parameter.tolist() == pytest.approx([1 - 0.3, 1 - 0.4], abs=1e-5)


@pytest.mark.parametrize("make", [sg.optim.Adam, sg.optim.RMSprop, sg.optim.AdamW, sg.optim.Adagrad])
def test_optimizers_step_as_without_a_scaler(make: Callable[..., Any]) -> None:
    """A factor of a power of two changes no bit."""
    ends = []
    for enabled in (False, True):
        parameter = sg.nn.Parameter(sg.tensor([1.0, -2.0]))
        optimizer, scaler = make([parameter], lr=0.1), GradScaler("cpu", init_scale=1024.0, enabled=enabled)
        for _ in range(3):
            optimizer.zero_grad()
            scaler.scale((parameter.sin() * 0.7).sum()).backward()
            scaler.step(optimizer)
            scaler.update()
        ends.append(parameter.tolist())
    assert ends[0] == ends[1]


def test_optimizers_are_judged_one_by_one() -> None:
    """Only the one with an infinite gradient stays; the factor becomes smaller for both."""
    first, optimizer, scaler = model()
    second = sg.nn.Parameter(sg.ones(2))
    other = sg.optim.SGD([second], lr=0.5)
    scaler.scale((first + second * INF).sum()).backward()
    scaler.step(optimizer)
    scaler.step(other)
    scaler.update()
    assert (first.tolist(), second.tolist(), scaler.get_scale()) == ([0.5, 0.5], [1.0, 1.0], 4.0)


def after_step(optimizer: Any, scaler: GradScaler) -> None:
    scaler.step(optimizer)
    scaler.step(optimizer)


def twice_unscaled(optimizer: Any, scaler: GradScaler) -> None:
    scaler.unscale_(optimizer)
    scaler.unscale_(optimizer)


def unscaled_after_step(optimizer: Any, scaler: GradScaler) -> None:
    scaler.step(optimizer)
    scaler.unscale_(optimizer)


ORDER: list[tuple[Callable[[Any, GradScaler], Any], type[Exception], str]] = [
    (after_step, RuntimeError, r"step\(\) has already been called since the last update\(\)"),
    (twice_unscaled, RuntimeError, r"unscale_\(\) has already been called on this optimizer since the last update"),
    (unscaled_after_step, RuntimeError, r"unscale_\(\) is being called after step\(\)"),
    (lambda optimizer, scaler: scaler.update(), AssertionError, "No inf checks were recorded prior to update"),
    (lambda optimizer, scaler: scaler.step(optimizer, closure=print), RuntimeError, "Closure use is not currently"),
    (lambda optimizer, scaler: scaler.update(sg.ones(2)), AssertionError, "a 1-element tensor on cpu"),  # type: ignore[arg-type]
    (lambda optimizer, scaler: scaler.scale(3), ValueError, "outputs must be a Tensor or an iterable of Tensors"),
    (lambda optimizer, scaler: scaler.load_state_dict({}), RuntimeError, "The source state dict is empty"),
    (lambda optimizer, scaler: GradScaler("cpu").step(optimizer), AssertionError, "Attempted step but _scale is None"),
    (lambda optimizer, scaler: GradScaler("cpu", growth_factor=1.0), AssertionError, "growth factor must be > 1.0"),
    (lambda optimizer, scaler: GradScaler("cpu", backoff_factor=1.0), AssertionError, "backoff factor must be < 1.0"),
    (lambda optimizer, scaler: GradScaler("abacus"), RuntimeError, "expected device to be cpu or cuda"),
    (lambda optimizer, scaler: scaler.unscale_(optimizer) or pickle.dumps(scaler), AssertionError, "only be pickled"),
]


@pytest.mark.parametrize(("misuse", "error", "says"), ORDER)
def test_misuse(misuse: Callable[[Any, GradScaler], Any], error: type[Exception], says: str) -> None:
    """The errors of PyTorch."""
    parameter, optimizer, scaler = model()
    scaler.scale(parameter.sum()).backward()
    with pytest.raises(error, match=says):
        misuse(optimizer, scaler)


def test_parameters_that_cannot_be_stepped() -> None:
    """Gradients of float16 are refused, and so is an optimizer none of whose parameters has a gradient."""
    parameter = sg.nn.Parameter(sg.ones(2, dtype=sg.float16))
    optimizer, scaler = sg.optim.SGD([parameter], lr=0.1), GradScaler("cpu", init_scale=2.0)
    loss = scaler.scale(parameter.float().sum())
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer"):
        scaler.step(optimizer)
    scaler = GradScaler("cpu", init_scale=2.0)
    scaler.scale(sg.ones(1))
    loss.backward()
    with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
        scaler.step(optimizer)


def test_states() -> None:
    """What is saved and loaded, pickled, and set."""
    parameter, optimizer, scaler = model(growth_interval=5)
    scaler.scale(parameter.sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    state = scaler.state_dict()
    expected = {"scale": 8.0, "growth_factor": 2.0, "backoff_factor": 0.5, "growth_interval": 5, "_growth_tracker": 1}
    assert state == expected
    other = GradScaler("cpu")
    other.load_state_dict(state)
    assert other.state_dict() == state == pickle.loads(pickle.dumps(scaler)).state_dict()
    scaler.set_growth_factor(3.0)
    scaler.set_backoff_factor(0.1)
    scaler.set_growth_interval(7)
    assert (scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval()) == (3.0, 0.1, 7)
    scaler.update(32.0)
    assert scaler.get_scale() == 32.0
    scaler.update(sg.tensor(4.0))
    assert scaler.get_scale() == 4.0


def test_a_disabled_scaler_does_nothing() -> None:
    """But for the optimizer's step."""
    parameter, optimizer, scaler = model(enabled=False)
    loss = parameter.sum()
    assert scaler.scale(loss) is loss
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert (parameter.tolist(), scaler.get_scale(), scaler.state_dict()) == ([0.5, 0.5], 1.0, {})
    assert not scaler.is_enabled()


def test_several_losses() -> None:
    """Lists and tuples stay what they are, other iterables give their items."""
    _, _, scaler = model()
    first, (second,) = scaler.scale([sg.ones(1), (sg.ones(2),)])
    assert (first.tolist(), second.tolist()) == ([8.0], [8.0, 8.0])
    assert [each.tolist() for each in scaler.scale(iter([sg.ones(1)]))] == [[8.0]]


def test_a_factor_stays_finite() -> None:
    """Where it would become infinite it does not grow."""
    parameter, optimizer, scaler = model(init_scale=2.0**127, growth_interval=1)
    scaler.scale((parameter * 0).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_scale() == 2.0**127


class Scaling(sg.optim.SGD):
    """An optimizer that divides by the factor itself."""

    _step_supports_amp_scaling = True
    seen: list[Any] = []

    def step(self, closure: Any = None) -> None:
        scale = None if self.grad_scale is None else self.grad_scale.item()
        Scaling.seen.append((scale, self.found_inf.item()))


def test_an_optimizer_that_scales_itself() -> None:
    """It finds the factor, and whether all is finite, as attributes for the time of its step."""
    parameter, _, scaler = model()
    optimizer = Scaling([parameter], lr=0.1)
    for unscaled, factor in ((False, 1.0), (True, 1.0), (False, INF)):
        optimizer.zero_grad()
        scaler.scale((parameter * factor).sum()).backward()
        if unscaled:
            scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
    assert Scaling.seen == [(8.0, 0.0), (None, 0.0), (8.0, 1.0)]
    assert not hasattr(optimizer, "grad_scale") and scaler.get_scale() == 4.0
