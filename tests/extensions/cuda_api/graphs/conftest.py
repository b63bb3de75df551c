"""Every test has a simulated device of its own, on which calls of any size are computed by kernels."""

from collections.abc import Iterator

import pytest

from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from tests.device.cuda.simulator import simulated


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimulatedDriver]:
    monkeypatch.setenv("SPECGRAD_CUDA_SIMULATED_ELEMENTS", "1000000")
    with simulated() as found:
        yield found
