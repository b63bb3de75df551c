"""The examples do what their README says (`make demo` runs them whole, with their own requirements)."""

import subprocess
import sys
from pathlib import Path

from tests.repository import ROOT

NEW_OP = ROOT / "examples" / "new_op"
USE = """
import sys

sys.path.insert(0, sys.argv[1])
import specgrad as sg
from my_ops import pswish

x, beta = (sg.randn(shape, dtype=sg.float64, requires_grad=True) for shape in [(2, 3, 4), (3, 1)])
assert sg.autograd.gradcheck(pswish, (x, beta))
assert sg.allclose(pswish(x, sg.ones(1, dtype=sg.float64)), sg.nn.functional.silu(x))
"""


def test_new_op_is_accepted_and_works(tmp_path: Path) -> None:
    """my_ops.yaml passes all checks, and the package it makes computes and differentiates."""
    make = ["-m", "specgrad.codegen", str(NEW_OP / "my_ops.yaml"), "--out", str(tmp_path / "my_ops")]
    for arguments in (make, ["-c", USE, str(tmp_path)]):
        done = subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr


def test_wrong_formula_is_refused() -> None:
    """The slip in wrong_ops.yaml is found, with the line and the argument."""
    done = subprocess.run([sys.executable, NEW_OP / "refused.py"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "wrong_ops.yaml:8" in done.stdout and "gradient of self" in done.stdout


def test_profile_and_draw() -> None:
    """The program profiles what it says, and leaves a trace with arrows and a picture with all parameters."""
    program = ROOT / "examples" / "profile_and_draw" / "profile_and_draw.py"
    done = subprocess.run([sys.executable, "-W", "error", program], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ConvolutionBackward0" in done.stdout
