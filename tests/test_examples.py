"""The examples do what their README says (`make demo` runs them whole, with their own requirements)."""

import subprocess
import sys
from pathlib import Path

NEW_OP = Path(__file__).resolve().parents[1] / "examples" / "new_op"


def test_new_op_is_accepted_and_works(tmp_path: Path) -> None:
    """my_ops.yaml passes all checks, and the package it makes computes and differentiates."""
    command = [sys.executable, "-m", "specgrad.codegen", str(NEW_OP / "my_ops.yaml"), "--out", "my_ops"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    code = """
import specgrad as sg
from my_ops import pswish
x, beta = sg.randn(2, 3, 4, dtype=sg.float64), sg.ones(3, 1, dtype=sg.float64)
assert sg.autograd.gradcheck(pswish, (x.requires_grad_(), beta.requires_grad_()))
assert sg.allclose(pswish(x, beta), sg.nn.functional.silu(x))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_wrong_formula_is_refused() -> None:
    """The slip in wrong_ops.yaml is found, with the line and the argument, and nothing is written."""
    done = subprocess.run([sys.executable, NEW_OP / "refused.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "wrong_ops.yaml:8" in done.stdout and "gradient of self" in done.stdout
