"""`slope_of`: an element-wise op with the value of one expression and the derivative of another, in a package."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

import specgrad as sg
from specgrad.codegen.__main__ import main
from specgrad.codegen.proof.proof import PROVED, Prover

SPEC = """\
- name: round_through(Tensor self) -> Tensor
  dtypes: [float]
  elementwise: round(self)
  slope_of: self
  doc: "round(x), with the gradient of x."

- name: soft_step(Tensor self, Tensor scale, *, float beta=2.0) -> Tensor
  dtypes: [float]
  where: {inner: beta * self}
  elementwise: scale if self > 0 else 0
  slope_of: scale * sigmoid(inner)
  doc: "scale where x > 0, with the gradient of scale * sigmoid(beta x)."
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory, build: Callable[..., ModuleType]) -> ModuleType:
    """The package of both ops, which `verify` has passed before it was written."""
    folder = tmp_path_factory.mktemp("slopes")
    (folder / "spec.yaml").write_text(SPEC, encoding="utf-8")
    return build(folder / "spec.yaml", "slope_ops")


def test_value_gradient_and_tangent(package: ModuleType) -> None:
    """The value is that of `elementwise`; reverse and forward mode have the derivative of `slope_of`."""
    x = sg.tensor([-1.6, 0.2, 2.5], requires_grad=True)
    weights = sg.tensor([1.0, 2.0, 3.0])
    y = package.round_through(x)
    assert y.tolist() == [-2.0, 0.0, 2.0]
    (y * weights).sum().backward()
    assert x.grad.tolist() == weights.tolist()
    value, tangent = sg.func.jvp(package.round_through, (x.detach(),), (weights,))
    assert (value.tolist(), tangent.tolist()) == ([-2.0, 0.0, 2.0], weights.tolist())


def test_of_several_arguments_and_twice(package: ModuleType) -> None:
    """Each argument has its derivative of `slope_of`, and this is differentiated again."""
    x = sg.tensor([-0.7, 0.0, 1.3], dtype=sg.float64, requires_grad=True)
    scale = sg.tensor([2.0, 3.0, 4.0], dtype=sg.float64, requires_grad=True)
    y = package.soft_step(x, scale, beta=1.5)
    assert y.tolist() == [0.0, 0.0, 4.0]
    of_x, of_scale = sg.autograd.grad(y.sum(), (x, scale), create_graph=True)
    s = sg.sigmoid(1.5 * x.detach())
    sg.testing.assert_close(of_x, scale.detach() * 1.5 * s * (1 - s))
    sg.testing.assert_close(of_scale, s)
    (again,) = sg.autograd.grad(of_x.sum(), x)
    sg.testing.assert_close(again, scale.detach() * 2.25 * s * (1 - s) * (1 - 2 * s))


def test_a_wrong_formula_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A written gradient is compared with differences of `slope_of`, not of the value."""
    first = SPEC.partition("\n\n")[0] + "\n"
    wrong = first.replace("slope_of: self\n", "slope_of: self\n  self: grad * 2\n  result: auto_element_wise\n")
    (tmp_path / "spec.yaml").write_text(wrong, encoding="utf-8")
    assert main([str(tmp_path / "spec.yaml"), "--out", str(tmp_path / "wrong_ops")]) == 1
    printed = capsys.readouterr()
    assert "round_through, gradient of self" in printed.out + printed.err
    assert "the formula gives 2" in printed.out + printed.err
    assert not (tmp_path / "wrong_ops").exists()


def test_a_written_formula_is_proved(load) -> None:
    """The derivative of `slope_of` is proved, though the value is a step."""
    written = SPEC.replace("slope_of: self\n", "slope_of: self\n  self: grad\n  result: auto_element_wise\n", 1)
    spec, problems = load(written)
    assert problems == []
    assert [v.state for v in Prover(spec.by_name()).verdicts(spec.entries[0])] == [PROVED]


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("slope_of: self\n", "slope_of: slef\n", "slope_of: unknown name 'slef' (did you mean 'self'?)"),
        ("[float]\n  elementwise: round", "[float, complex]\n  elementwise: round", "leave complex out of dtypes"),
        ("elementwise: round(self)", "composite: round(self)", "only an elementwise op has the derivative of another"),
    ],
)
def test_what_it_cannot_be(load, right: str, wrong: str, says: str) -> None:
    """It is an expression of numbers, for an element-wise op of real numbers."""
    from specgrad.codegen.check.validate import validate
    from specgrad.codegen.library.op_library import read_known

    spec, problems = load(SPEC.replace(right, wrong, 1))
    assert problems == []
    assert any(says in str(problem) for problem in validate(spec, read_known()))
