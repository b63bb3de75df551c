"""The command for a machine with a GPU: its stages run on the simulated device, and say how they fail."""

from __future__ import annotations

from typing import Any

import pytest

import specgrad as sg
from benchmarks.gpu import launches, limits, measurements, stages, steps
from benchmarks.gpu.__main__ import outcome
from tests.places import simulated_device


def test_a_stage_that_fails_prints_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    def fails(seconds: float) -> dict[str, Any]:
        raise ValueError(f"nothing within {seconds} s")

    assert outcome("suite", fails, 3.0)["error"] == "ValueError: nothing within 3.0 s"
    assert capsys.readouterr().out == "suite (0 s): ValueError: nothing within 3.0 s\n"


def test_stages_measure() -> None:
    with simulated_device():
        assert "Simulated" in stages.environment(1.0)["device"]
        assert set(measurements.ceilings(1.0)) == {"copy GB/s"}
        assert measurements.all_of_them(1.0)["specgrad small add us"] > 0


def test_steps_of_training_are_the_same_as_graphs() -> None:
    """What is measured as a graph is what is measured eagerly."""
    with simulated_device():
        eager, captured = steps.step_of(sg, "mlp"), steps.step_of(sg, "mlp")
        losses = [eager().item() for _ in range(5)]
        replay = steps.graph_of(sg, captured)
        replay()
        sg.cuda.synchronize()
        assert captured().item() == pytest.approx(losses[4], rel=1e-5)
        assert set(measurements.steps_measured(sg, ["mlp"], repeats=2)) == {"mlp step us", "mlp graph us"}


def test_ends_of_large_arrays_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    with simulated_device():
        assert measurements.large(1.0) == {"elements": measurements.SIMULATED}
        monkeypatch.setattr(sg.Tensor, "cumsum", lambda x, dim: x)
        assert measurements.large(1.0)["error"] == "wrong at the end of large arrays: cumsum"


def test_limits() -> None:
    """Parts of the copy, and PyTorch's figures: what is missed is named."""
    good = {f"specgrad {name}": 95.0 for name in limits.OF_THE_COPY} | {"specgrad copy GB/s": 100.0}
    steps = {"specgrad mlp step us": 9.0, "specgrad mlp graph us": 5.0, "torch mlp step us": 9.0}
    assert limits.missed(good | steps) == []
    assert limits.missed(good | {"specgrad softmax GB/s": 70.0}) == ["softmax GB/s: 0.70 of the copy instead of 0.8"]
    slow = {"specgrad mlp step us": 10.0, "specgrad mlp graph us": 7.0, "torch mlp step us": 9.0}
    assert limits.missed(good | slow) == [
        "mlp step us: 10.0 beside 9.0 of PyTorch",
        "mlp step us: 7.0 as a graph beside 9.0 of PyTorch's eager step",
    ]
    product = {"specgrad bfloat16 product TFLOP/s": 600.0, "torch bfloat16 product TFLOP/s": 700.0}
    assert limits.missed(good | product) == ["bfloat16 product TFLOP/s: 600.0 beside 700.0 of PyTorch"]


def test_launches_find_what_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    with simulated_device():
        assert launches.differs("mul.Tensor", "self=T(3, 4), other=T(3, 4)") == ""
        ours = launches.run
        monkeypatch.setattr(
            launches, "run", lambda name, text, style: (ours(name, text, style)[0] * len(style.device),)
        )
        assert launches.differs("mul.Tensor", "self=T(3, 4), other=T(3, 4)") == "other values"


def test_a_command_that_takes_too_long_is_an_error() -> None:
    found = stages.last_line(["sleep", "5"], 0.1)
    assert found["error"] == "not done after 0 s"
