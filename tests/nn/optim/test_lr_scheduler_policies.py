"""Schedulers of cycles, of metrics, and of other schedulers."""

import math
from typing import Any

import pytest


def _optimizer(lib: Any, *lrs: float, kind: str = "SGD", **options: Any) -> Any:
    groups = [{"params": [lib.ones(1, requires_grad=True)], "lr": lr} for lr in lrs or (1.0,)]
    return getattr(lib.optim, kind)(groups, lr=0.1, **options)


def _run(optimizer: Any, scheduler: Any, steps: int, key: str = "lr") -> list[Any]:
    """A hyperparameter of the first group before each step."""
    values = []
    for _ in range(steps):
        values.append(optimizer.param_groups[0][key])
        optimizer.step()
        scheduler.step()
    return values


SCALES: dict[str, Any] = {
    "triangular": lambda step: 1.0,
    "triangular2": lambda step: 0.5 ** (step // 5),
    "exp_range": lambda step: 0.9**step,
}


@pytest.mark.parametrize("mode", SCALES)
def test_cycles(lib: Any, mode: str) -> None:
    """Two steps up, three down, and cycles shrink as the mode says; momentum goes the other way."""
    optimizer = _optimizer(lib, momentum=0.5)
    scheduler = lib.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 0.7, 2, 3, mode=mode, gamma=0.9)
    heights = [(step % 5) / 2 if step % 5 < 2 else (5 - step % 5) / 3 for step in range(12)]
    requested = [height * SCALES[mode](step) for step, height in enumerate(heights)]
    assert _run(optimizer, scheduler, 12) == pytest.approx([0.1 + 0.6 * x for x in requested], abs=1e-12)
    assert optimizer.param_groups[0]["momentum"] == pytest.approx(0.9 - 0.1 * heights[2] * SCALES[mode](12))


def test_cycles_of_ones_own(lib: Any) -> None:
    """A function may scale cycles, bounds may differ by group; betas are momentum too, and need not move."""
    optimizer = _optimizer(lib, 1.0, 1.0, kind="Adam")
    scheduler = lib.optim.lr_scheduler.CyclicLR(
        optimizer, [0.0, 1.0], [1.0, 2.0], 2, scale_fn=lambda step: 1 / (1 + step), scale_mode="iterations"
    )
    _run(optimizer, scheduler, 1)
    assert scheduler.get_last_lr() == pytest.approx([0.25, 1.25])
    assert optimizer.param_groups[1]["betas"] == pytest.approx((0.9 - 0.1 / 4, 0.999))
    assert scheduler.state_dict()["_scale_fn_custom"] is None
    with pytest.raises(ValueError, match="must support momentum or beta1"):
        lib.optim.lr_scheduler.CyclicLR(_optimizer(lib, kind="Rprop"), 0.1, 0.2)
    with pytest.raises(ValueError, match="max_lr has 1 values, param_groups has 2"):
        lib.optim.lr_scheduler.CyclicLR(optimizer, 0.1, [0.2])
    with pytest.raises(ValueError, match="mode is invalid and scale_fn is None"):
        lib.optim.lr_scheduler.CyclicLR(optimizer, 0.1, 0.2, mode="square")


def _between(start: float, end: float, done: float, kind: str) -> float:
    return start + (end - start) * (done if kind == "linear" else (1 - math.cos(math.pi * done)) / 2)


@pytest.mark.parametrize("three_phase", [False, True])
@pytest.mark.parametrize("kind", ["cos", "linear"])
def test_one_cycle(lib: Any, kind: str, three_phase: bool) -> None:
    """From a fraction of the maximum to it, and down; three phases go down in two parts. Then it is over."""
    optimizer = _optimizer(lib, momentum=0.5)
    scheduler = lib.optim.lr_scheduler.OneCycleLR(
        optimizer,
        max_lr=2.0,
        epochs=2,
        steps_per_epoch=10,
        pct_start=0.25,
        anneal_strategy=kind,
        three_phase=three_phase,
        div_factor=10.0,
        final_div_factor=100.0,
    )
    corners = [(0, 0.2, 0.95), (4, 2.0, 0.85), *([(8, 0.2, 0.95)] if three_phase else []), (19, 0.002, 0.95)]
    for step in range(20):
        group = optimizer.param_groups[0]
        (start, *a), (end, *b) = next(pair for pair in zip(corners, corners[1:], strict=False) if step <= pair[1][0])
        done = (step - start) / (end - start)
        requested = [_between(x, y, done, kind) for x, y in zip(a, b, strict=True)]
        assert [group["lr"], group["momentum"]] == pytest.approx(requested, abs=1e-12)
        optimizer.step()
        scheduler.step()
    optimizer.step()
    with pytest.raises(ValueError, match="Tried to step 21 times. The specified number of total steps is 20"):
        scheduler.step()


def test_one_cycle_refuses(lib: Any) -> None:
    """The number of steps must follow from what is given, and parts and names must make sense."""
    optimizer, make = _optimizer(lib, momentum=0.5), lib.optim.lr_scheduler.OneCycleLR
    with pytest.raises(ValueError, match=r"either total_steps OR \(epochs AND steps_per_epoch\)"):
        make(optimizer, 1.0, epochs=3)
    with pytest.raises(ValueError, match="Expected positive integer total_steps, but got 0"):
        make(optimizer, 1.0, total_steps=0)
    with pytest.raises(ValueError, match="Expected float between 0 and 1 pct_start, but got 2.0"):
        make(optimizer, 1.0, total_steps=9, pct_start=2.0)
    with pytest.raises(ValueError, match="anneal_strategy must be one of 'cos' or 'linear', instead got log"):
        make(optimizer, 1.0, total_steps=9, anneal_strategy="log")


def _after(lib: Any, metrics: list[float], **options: Any) -> tuple[float, Any]:
    optimizer = _optimizer(lib)
    scheduler = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, **options)
    for metric in metrics:
        optimizer.step()
        scheduler.step(metric)
    return scheduler.get_last_lr()[0], scheduler


def test_plateau(lib: Any) -> None:
    """The step size falls after more than `patience` epochs that are not better by the threshold."""
    assert _after(lib, [3.0, 2.0, 2.0, 2.0], patience=2)[0] == 1.0
    assert _after(lib, [3.0, 2.0, 2.0, 2.0, lib.tensor(2.0)], patience=2)[0] == 0.5
    assert _after(lib, [1.0, 2.0, 3.0, math.nan], mode="max", patience=0)[0] == 0.5
    assert _after(lib, [10.0, 9.5, 9.0], threshold=0.1, patience=0)[0] == 0.25
    assert _after(lib, [10.0, 9.5, 8.9], threshold=0.6, threshold_mode="abs", patience=0)[0] == 0.5
    assert _after(lib, [1.0] * 6, patience=0, cooldown=2)[0] == 0.25
    assert _after(lib, [1.0] * 6, patience=0, min_lr=0.2)[0] == 0.2
    assert _after(lib, [1.0] * 6, patience=0, eps=0.4)[0] == 0.5
    _, scheduler = _after(lib, [1.0, 1.0], patience=5)
    assert scheduler.state_dict()["best"] == 1.0 and scheduler.num_bad_epochs == 1 and not scheduler.in_cooldown
    with pytest.raises(ValueError, match="Factor should be < 1.0"):
        lib.optim.lr_scheduler.ReduceLROnPlateau(_optimizer(lib), factor=1.0)
    with pytest.raises(ValueError, match="expected 1 min_lrs, got 2"):
        _after(lib, [], min_lr=[0.1, 0.2])
    with pytest.raises(ValueError, match="mode down is unknown!"):
        _after(lib, [], mode="down")


def test_one_after_the_other(lib: Any) -> None:
    """At its milestone each scheduler starts at its first epoch, from the initial step size; state continues."""
    s = lib.optim.lr_scheduler

    def make(optimizer: Any) -> Any:
        parts = [s.LinearLR(optimizer, 0.25, total_iters=3), s.ExponentialLR(optimizer, 0.5), s.StepLR(optimizer, 2)]
        return s.SequentialLR(optimizer, parts, milestones=[3, 5])

    optimizer = _optimizer(lib)
    scheduler = make(optimizer)
    assert _run(optimizer, scheduler, 4) == pytest.approx([0.25, 0.5, 0.75, 1.0])
    other = _optimizer(lib)
    again = make(other)
    other.load_state_dict(optimizer.state_dict())
    again.load_state_dict(scheduler.state_dict())
    for o, continued in ((optimizer, scheduler), (other, again)):
        assert _run(o, continued, 5) == pytest.approx([0.5, 1.0, 1.0, 0.1, 0.1])


def test_all_at_once(lib: Any) -> None:
    """Chained schedulers multiply."""
    s, optimizer = lib.optim.lr_scheduler, _optimizer(lib)
    scheduler = s.ChainedScheduler([s.ConstantLR(optimizer, 0.1, 2), s.ExponentialLR(optimizer, 0.9)])
    requested = [0.9**epoch * (0.1 if epoch < 2 else 1.0) for epoch in range(6)]
    assert _run(optimizer, scheduler, 6) == pytest.approx(requested)
    assert len(scheduler.state_dict()["_schedulers"]) == 2


def test_combined_schedulers_belong_together(lib: Any) -> None:
    """They share an optimizer, need no metric, and there is one more than milestones."""
    s, optimizer = lib.optim.lr_scheduler, _optimizer(lib)
    one, foreign = s.ConstantLR(optimizer), s.ConstantLR(_optimizer(lib))
    cases: list[tuple[Any, str]] = [
        (
            lambda: s.SequentialLR(optimizer, [], []),
            "SequentialLR expects at least one scheduler, but got no scheduler",
        ),
        (lambda: s.SequentialLR(optimizer, [one, one], [1, 2]), "got number of schedulers 2"),
        (lambda: s.SequentialLR(optimizer, [one, foreign], [1]), "all schedulers to belong to the same optimizer"),
        (lambda: s.ChainedScheduler([one, foreign]), "all schedulers to belong to the same optimizer"),
        (lambda: s.ChainedScheduler([]), "ChainedScheduler expects at least one scheduler to be chained"),
        (lambda: s.ChainedScheduler([s.ReduceLROnPlateau(optimizer)]), "does not support `ReduceLROnPlateau`"),
    ]
    for make, message in cases:
        with pytest.raises(ValueError, match=message):
            make()
    with pytest.raises(TypeError, match="SequentialLR at index 1 should have `optimizer` as its attribute"):
        s.SequentialLR(optimizer, [one, 3], [1])


def test_restarts_at_fractions_of_epochs(lib: Any) -> None:
    """The cosine may be asked for within an epoch, and for any epoch."""
    optimizer = _optimizer(lib)
    scheduler = lib.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 2, T_mult=2)
    for epoch, height in (
        (0.5, (1 + math.sqrt(0.5)) / 2),
        (2.0, 1.0),
        (4.0, 0.5),
        (7.0, (1 + math.cos(math.pi / 8)) / 2),
    ):
        scheduler.step(epoch)
        assert scheduler.get_last_lr() == pytest.approx([height])
    with pytest.raises(ValueError, match="Expected positive integer T_0, but got 0"):
        lib.optim.lr_scheduler.CosineAnnealingWarmRestarts(optimizer, 0)


def test_a_tensor_stays_the_same_tensor(lib: Any) -> None:
    """A step size that is a tensor is written in place."""
    lr = lib.tensor(1.0)
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=lr)
    _run(optimizer, lib.optim.lr_scheduler.ExponentialLR(optimizer, 0.5), 2)
    assert optimizer.param_groups[0]["lr"] is lr and lr.item() == 0.25


def test_warnings(lib: Any) -> None:
    """get_lr gives the next step sizes, an epoch is deprecated, and a replaced step is not seen."""
    optimizer = _optimizer(lib)
    scheduler = lib.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    with pytest.warns(UserWarning, match=r"please use `get_last_lr\(\)`"):
        assert scheduler.get_lr() == [0.5]
    optimizer.step()
    with pytest.warns(UserWarning, match="epoch parameter"):
        scheduler.step(3)
    assert scheduler.get_last_lr() == [0.125]
    scheduler = lib.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)
    optimizer.step = lambda: None
    with pytest.warns(UserWarning, match=r"`optimizer.step\(\)` has been overridden"):
        scheduler.step()
