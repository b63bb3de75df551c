"""Formulas that are left out: they are derived, and what cannot be derived is said."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from specgrad.codegen.check.validate import validate
from specgrad.codegen.library.op_library import read_known
from specgrad.codegen.proof.derive import derive_command, load_spec
from specgrad.codegen.proof.proof import PROVED, Prover
from specgrad.codegen.spec.model import Entry, Spec
from tests.repository import ROOT

SPEC = ROOT / "derivatives.yaml"


def read(tmp_path: Path, expression: str, more: str = "", arguments: str = "Tensor self, Scalar a=2") -> Entry:
    """An entry without formulas."""
    path = tmp_path / "spec.yaml"
    path.write_text(f"- name: my_op({arguments}) -> Tensor\n  elementwise: {expression!r}\n  {more}\n")
    spec, problems = load_spec(path)
    assert problems == []
    return spec.entries[0]


FORMULAS = {
    "a * self": "grad * a",
    "self": "grad",
    "3": "zeros_like(grad)",
    "exp(a * self)": "grad * (result * a)",
    "log(self)": "grad / self",
    "self * self": "grad * (2 * self)",
    "sin(self) * sin(self)": "grad * (2 * (cos(self) * sin(self)))",
    "self if self > 0 else a * self": "where(self > 0, grad, grad * a)",
    "self if (self > 0) & (self < 1) else 0": "where((self > 0) & (self < 1), grad, 0)",
    "self if a > 0 else -self": "grad if a > 0 else -grad",
    "exp2(self)": "grad * (0.6931471805599453 * result)",
    "floor(self)": "zeros_like(grad)",
}


@pytest.mark.parametrize("expression", FORMULAS)
def test_formulas(expression: str, tmp_path: Path, spec: Spec) -> None:
    """What is derived is what one would write, it is proved, and it stands where the expression stands."""
    entry = read(tmp_path, expression, "dtypes: [float]")
    formula = entry.gradients["self"]
    assert formula.text == FORMULAS[expression] and formula.derived
    assert formula.tree is not None
    assert {(n.lineno, n.col_offset) for n in ast.walk(formula.tree) if isinstance(n, ast.expr)} == {(2, 16)}
    assert entry.forward["result"].keyword == "auto_element_wise"
    (verdict,) = Prover({e.name: e for e in (*spec.entries, entry)}).verdicts(entry)
    assert verdict.state == PROVED


def test_complex_slopes_are_conjugated(tmp_path: Path) -> None:
    """Also where a number is the slope, which has no method."""
    assert read(tmp_path, "self * sin(self)").gradients["self"].text == "grad * (sin(self) + self * cos(self)).conj()"
    assert read(tmp_path, "a * self").gradients["self"].text == "(grad.conj() * a).conj()"
    assert read(tmp_path, "1 / self").gradients["self"].text == "-(grad * (1 / self / self).conj())"


@pytest.mark.parametrize(
    ("expression", "policy"),
    [
        ("self if self > 0 else a * self", "left"),
        ("self if self >= 0 else a * self", "right"),
        ("maximum(self, 0)", "left"),
        ("abs(self)", "average"),
        ("exp(self)", "average"),
    ],
)
def test_kinks_are_as_the_expression_has_them(expression: str, policy: str, tmp_path: Path) -> None:
    """The policy is that of the formula, unless the entry gives one."""
    assert read(tmp_path, expression, "dtypes: [float]").kink == (policy,)
    assert read(tmp_path, expression, "dtypes: [float]\n  kink: larger").kink == ("larger",)


def test_what_is_written_stays(tmp_path: Path) -> None:
    """Only what is left out is derived; forward mode stays as it is where there is one."""
    entry = read(tmp_path, "self * other", "self: grad * other", "Tensor self, Tensor other")
    assert not entry.gradients["self"].derived and entry.gradients["other"].derived
    masked = read(tmp_path, "self if mask else 0", "mask: non_differentiable", "Tensor self, Tensor mask")
    assert masked.gradients["mask"].keyword == "non_differentiable"
    assert masked.gradients["self"].text == "where(mask, grad, 0)"


@pytest.mark.parametrize(
    ("expression", "more", "reason"),
    [
        ("airy_ai(self)", "dtypes: [float]", "the derivative of airy_ai by its argument 1"),
        ("abs(self)", "", "abs is no analytic function of complex numbers"),
        ("self if self > 0 else 0", "", "self > 0 is no analytic function of complex numbers"),
    ],
)
def test_what_has_no_slope_needs_a_formula(expression: str, more: str, reason: str, tmp_path: Path, spec: Spec) -> None:
    """And the message says why."""
    entry = read(tmp_path, expression, more, "Tensor self")
    problems = validate(Spec("spec.yaml", (entry,)), {}, spec)
    message = "a differentiable argument needs a formula, or non_differentiable; none can be derived: "
    assert any(problem.message == message + reason for problem in problems)


@pytest.mark.parametrize("expression", ["self * sign()", "sign(self, 1, 2) * self", "self * exp(1, 2)"])
def test_a_call_of_too_few_or_too_many_is_a_problem_and_no_crash(expression: str, tmp_path: Path, spec: Spec) -> None:
    """Deriving comes before the calls are checked, and must leave them to that check."""
    entry = read(tmp_path, expression, "dtypes: [float]", "Tensor self")
    known = read_known()
    assert any(re.search(r"takes .* got \d", p.message) for p in validate(Spec("spec.yaml", (entry,)), known, spec))


def test_the_spec_leaves_out_what_can_be_derived(spec: Spec) -> None:
    """The formulas of a third of the element-wise ops with one argument are none of ours to write."""
    derived = [e.name for e in spec.entries if any(formula.derived for formula in e.gradients.values())]
    assert len(derived) >= 35 and {"exp", "sigmoid_by_result", "leaky_relu", "lerp.Tensor"} <= set(derived)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    """An entry to copy, or a sentence."""
    assert derive_command(["self * sigmoid(beta * self)", "--numbers", "beta"]) == 0
    shown = capsys.readouterr().out
    assert shown.splitlines() == [
        "- name: my_op(Tensor self, Scalar beta) -> Tensor",
        "  dtypes: [float]",
        "  elementwise: self * sigmoid(beta * self)",
        "  self: grad * (sigmoid(beta * self) + self * (sigmoid(beta * self) * (1 - sigmoid(beta * self)) * beta))",
        "  result: auto_element_wise",
    ]
    assert derive_command(["airy_ai(self)"]) == 1
    assert capsys.readouterr().err == "derive: no formula: the derivative of airy_ai by its argument 1\n"
    assert derive_command(["self +"]) == 1
    assert capsys.readouterr().err == "derive: syntax error: the expression ends too early\n"
