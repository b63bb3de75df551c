"""The command for a machine with a GPU: its stages run on the simulated device, and say how they fail."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.gpu import launches, measurements, stages
from benchmarks.gpu.__main__ import outcome

from ..places import simulated_device


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
