"""Every op of the package: its formulas, its generated code, and its values on the CPU and on a simulated device."""

import subprocess
import sys
from pathlib import Path

import norm_ops
import numpy as np
import pytest
from norm_ops.generated.registry import BY_NAME

import specgrad as sg
from specgrad.codegen.verify.op import verify_op
from specgrad.runtime.device.cuda import driver

SPEC = Path(norm_ops.__file__).with_name("norm_ops.yaml")
RNG = np.random.default_rng(0)
X, GAIN = RNG.normal(size=(3, 5, 4)), RNG.normal(size=4)
CALLS = {
    "gained_rms": (
        lambda x: norm_ops.gained_rms(x, sg.tensor(GAIN, dtype=x.dtype, device=x.device), eps=0.5),
        X * GAIN / np.sqrt(np.mean(X**2, -1, keepdims=True) + 0.5),
    ),
    "spread": (lambda x: norm_ops.spread(x, (0, 2)).width, np.ptp(X, (0, 2))),
}


@pytest.mark.parametrize("name", BY_NAME)
def test_formulas(name: str) -> None:
    """Gradients, layouts, dtypes and devices agree with differences of the function and with each other."""
    report = verify_op(BY_NAME[name])
    assert report.checks and not report.lines(list(BY_NAME))


@pytest.mark.parametrize("device", ["cpu", "cuda"])
@pytest.mark.parametrize("name", CALLS)
def test_values(name: str, device: str) -> None:
    """In float32 and float64, against NumPy; one program gives both devices."""
    driver.simulate()
    function, expected = CALLS[name]
    for dtype, tolerance in ((sg.float64, 1e-12), (sg.float32, 2e-5)):
        found = function(sg.tensor(X, dtype=dtype, device=device))
        assert found.dtype is dtype
        np.testing.assert_allclose(found.cpu().numpy(), expected, rtol=tolerance, atol=tolerance)


def test_generated_code_is_current() -> None:
    """`generated/` is what the generator writes now."""
    done = subprocess.run([sys.executable, "-m", "specgrad.codegen", SPEC, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
