"""Schedulers against their closed forms."""

import math
from typing import Any

import pytest

import specgrad as sg


def _optimizer(lib: Any, *lrs: float) -> Any:
    return lib.optim.SGD([{"params": [lib.ones(1, requires_grad=True)], "lr": lr} for lr in lrs], lr=0.1)


def _run(optimizer: Any, scheduler: Any, epochs: int) -> list[list[float]]:
    values = []
    for _ in range(epochs):
        values.append([group["lr"] for group in optimizer.param_groups])
        assert scheduler.get_last_lr() == values[-1]
        optimizer.step()
        scheduler.step()
    return values


def _product(epoch: int) -> float:
    return math.prod(0.5 if e % 2 else 1.5 for e in range(1, epoch + 1))


def _place_in_period(epoch: int) -> float:
    """With a first period of 3 epochs, each twice as long as the one before."""
    start, length = 0, 3
    while epoch >= start + length:
        start, length = start + length, 2 * length
    return (epoch - start) / length


FORMS: dict[str, Any] = {
    "StepLR": ((3, 0.5), lambda lr, epoch: lr * 0.5 ** (epoch // 3)),
    "CosineAnnealingLR": ((4, 0.1), lambda lr, epoch: 0.1 + (lr - 0.1) * (1 + math.cos(math.pi * epoch / 4)) / 2),
    "LambdaLR": ((lambda epoch: 1 / (1 + epoch),), lambda lr, epoch: lr / (1 + epoch)),
    "MultiplicativeLR": ((lambda epoch: 0.5 if epoch % 2 else 1.5,), lambda lr, epoch: lr * _product(epoch)),
    "MultiStepLR": (([5, 2, 5], 0.5), lambda lr, epoch: lr * 0.5 ** ((epoch >= 2) + 2 * (epoch >= 5))),
    "ConstantLR": ((0.25, 3), lambda lr, epoch: lr * (0.25 if epoch < 3 else 1.0)),
    "LinearLR": ((0.2, 0.8, 4), lambda lr, epoch: lr * (0.2 + 0.6 * min(epoch / 4, 1))),
    "ExponentialLR": ((0.9,), lambda lr, epoch: lr * 0.9**epoch),
    "PolynomialLR": ((7, 2.0), lambda lr, epoch: lr * (1 - min(epoch / 7, 1)) ** 2),
    "CosineAnnealingWarmRestarts": (
        (3, 2, 0.1),
        lambda lr, epoch: 0.1 + (lr - 0.1) * (1 + math.cos(math.pi * _place_in_period(epoch))) / 2,
    ),
}


@pytest.mark.parametrize("name", FORMS)
def test_closed_form(lib: Any, name: str) -> None:
    """Each group follows the formula from its own initial value; what is periodic over more than a period."""
    arguments, form = FORMS[name]
    optimizer = _optimizer(lib, 1.0, 0.3)
    scheduler = getattr(lib.optim.lr_scheduler, name)(optimizer, *arguments)
    for epoch, values in enumerate(_run(optimizer, scheduler, 20)):
        assert values == pytest.approx([form(1.0, epoch), form(0.3, epoch)], abs=1e-12)


@pytest.mark.parametrize("name", FORMS)
def test_state_dict_continues(lib: Any, name: str) -> None:
    """A loaded scheduler goes on as the saved one."""
    arguments, form = FORMS[name]
    optimizer = _optimizer(lib, 1.0)
    scheduler = getattr(lib.optim.lr_scheduler, name)(optimizer, *arguments)
    _run(optimizer, scheduler, 5)
    state = scheduler.state_dict()
    assert "optimizer" not in state and state["last_epoch"] == 5
    other = _optimizer(lib, 1.0)
    again = getattr(lib.optim.lr_scheduler, name)(other, *arguments)
    other.load_state_dict(optimizer.state_dict())
    again.load_state_dict(state)
    assert _run(other, again, 3) == _run(optimizer, scheduler, 3)


@pytest.mark.parametrize("name", FORMS)
def test_resuming_by_epoch(name: str) -> None:
    """last_epoch starts in the middle, with what the groups have; they must then know their initial step size."""
    arguments, form = FORMS[name]
    lib: Any = sg
    optimizer = _optimizer(lib, 1.0)
    with pytest.raises(KeyError, match="'initial_lr' is not specified in param_groups"):
        getattr(lib.optim.lr_scheduler, name)(optimizer, *arguments, last_epoch=4)
    steps_at_once = name in ("MultiStepLR", "StepLR", "ConstantLR")
    optimizer.param_groups[0].update(initial_lr=1.0, lr=form(1.0, 4 if steps_at_once else 5))
    scheduler = getattr(lib.optim.lr_scheduler, name)(optimizer, *arguments, last_epoch=4)
    assert scheduler.last_epoch == 5
    for epoch, values in enumerate(_run(optimizer, scheduler, 6), 5):
        assert values == pytest.approx([form(1.0, epoch)], abs=1e-12)


def test_schedulers_combine(lib: Any) -> None:
    """Two schedulers on one optimizer multiply, as each starts from the current value."""
    optimizer = _optimizer(lib, 1.0)
    schedulers = [lib.optim.lr_scheduler.StepLR(optimizer, 1, gamma) for gamma in (0.5, 0.1)]
    optimizer.step()
    for scheduler in schedulers:
        scheduler.step()
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.05)


def test_order_warning(lib: Any) -> None:
    """Stepping the scheduler before the optimizer is warned about."""
    scheduler = lib.optim.lr_scheduler.StepLR(_optimizer(lib, 1.0), 1)
    with pytest.warns(UserWarning, match=r"lr_scheduler.step\(\)` before `optimizer.step\(\)"):
        scheduler.step()


def test_lambda_objects_keep_their_state(lib: Any) -> None:
    """Callable objects are saved by their attributes, functions are not."""

    class Factor:
        def __init__(self, base: float) -> None:
            self.base = base

        def __call__(self, epoch: int) -> float:
            return self.base**epoch

    optimizer = _optimizer(lib, 1.0, 1.0)
    scheduler = lib.optim.lr_scheduler.LambdaLR(optimizer, [Factor(0.5), lambda epoch: 1.0])
    state = scheduler.state_dict()
    assert state["lr_lambdas"] == [{"base": 0.5}, None]
    again = lib.optim.lr_scheduler.LambdaLR(_optimizer(lib, 1.0, 1.0), [Factor(9.0), lambda epoch: 1.0])
    again.load_state_dict(state)
    assert again.lr_lambdas[0].base == 0.5
    with pytest.raises(ValueError, match="Expected 2 lr_lambdas, but got 1"):
        lib.optim.lr_scheduler.LambdaLR(optimizer, [Factor(0.5)])


def test_needs_an_optimizer(lib: Any) -> None:
    """Anything else is refused."""
    with pytest.raises(TypeError, match="int is not an Optimizer"):
        lib.optim.lr_scheduler.StepLR(3, 1)
