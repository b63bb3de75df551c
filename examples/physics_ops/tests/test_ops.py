"""Every op of the package: its formulas, its examples, its generated code, and its values."""

import doctest
import subprocess
import sys
from pathlib import Path

import numpy as np
import physics_ops
import pytest
from physics_ops.generated.registry import BY_NAME

import specgrad as sg
from specgrad.codegen.verify.op import verify_op

SPEC = Path(physics_ops.__file__).with_name("physics_ops.yaml")


@pytest.mark.parametrize("name", BY_NAME)
def test_formulas(name: str) -> None:
    """Gradients, tangents, batches, layouts and dtypes agree with differences of the function and with each other."""
    report = verify_op(BY_NAME[name])
    assert report.checks and not report.lines(list(BY_NAME))


@pytest.mark.parametrize("name", physics_ops.__all__)
def test_examples(name: str) -> None:
    """What a docstring shows is what one sees."""
    names = {"sg": sg, "physics_ops": physics_ops}
    test = doctest.DocTestParser().get_doctest(getattr(physics_ops, name).__doc__ or "", names, name, None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0


def test_generated_code_is_fresh() -> None:
    """generated/ is what the spec says, and what this specgrad makes of it."""
    command = [sys.executable, "-m", "specgrad.codegen", str(SPEC), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_step_is_a_product_with_a_matrix() -> None:
    """The kernel gives what NumPy does with the matrix of the step."""
    rng = np.random.default_rng(0)
    rods, conductivity = rng.normal(size=(5, 4)), rng.uniform(0, 0.5, 3)
    difference = np.diff(np.eye(4), axis=0)
    step = np.eye(4) - difference.T @ np.diag(conductivity) @ difference
    got = physics_ops.heat_step(sg.tensor(rods), sg.tensor(conductivity))
    assert np.allclose(got.numpy(), rods @ step)
    rough = physics_ops.roughness(sg.tensor(rods), sg.tensor(conductivity))
    assert np.allclose(rough.numpy(), (conductivity * np.diff(rods) ** 2).sum(-1))


def test_what_does_not_fit_is_refused() -> None:
    """The error names the op and both shapes."""
    with pytest.raises(RuntimeError, match=r"heat_step\(\): expected rods .* but got \(3,\) and \(3,\)"):
        physics_ops.heat_step(sg.ones(3), sg.ones(3))


def test_register() -> None:
    """Methods are there from when they are asked for until they are taken back."""
    x = sg.ones(3)
    assert not hasattr(x, "bent")
    physics_ops.register()
    assert x.bent().equal(physics_ops.bent(x))
    physics_ops.unregister()
    assert not hasattr(x, "bent")
