"""Proof of gradient formulas: what it is built on is true, what is wrong is found, and what is right is proved."""

from __future__ import annotations

import ast
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from specgrad.codegen.language.scalar_functions import FUNCTIONS
from specgrad.codegen.proof import algebra
from specgrad.codegen.proof.algebra import recognised
from specgrad.codegen.proof.cases import Algebra, Case, cases, numeric
from specgrad.codegen.proof.derivative import ONE, derivative
from specgrad.codegen.proof.derive import load_spec
from specgrad.codegen.proof.numbers import FLOAT, evaluate
from specgrad.codegen.proof.proof import EQUAL, OPEN, PROVED, WRONG, Prover, Verdict
from specgrad.codegen.spec.model import Entry, Spec
from specgrad.codegen.verify.proofs import disproved, verdicts
from tests.repository import ROOT

SPEC = ROOT / "derivatives.yaml"
ANYWHERE = Case(np.arange(1))
IN_UNIT = ("asin", "acos", "atanh", "erfinv", "log_odds", "ndtri")
POSITIVE = (
    "log",
    "log2",
    "log10",
    "sqrt",
    "rsqrt",
    "pow",
    "pow_number",
    "entr",
    "lgamma",
    "digamma",
    "polygamma",
    "zeta",
)
POSITIVE += ("zeta_derivative", "gamma_log_prob", "log_minus_digamma", "binomial_log_prob")
POSITIVE += ("igamma", "igammac", "bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1")
POSITIVE += ("fmod", "remainder", "floor_divide", "trunc_divide")
POSITIVE += ("scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "k0e_derivative", "log1p")


def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def value(text: str) -> algebra.Sum:
    return Algebra(ANYWHERE).value(parsed(text))


# ---- what it is built on ---------------------------------------------------------------------------------------------


def numbers_for(name: str, parameter: str) -> np.ndarray:
    """Points in the domain of a function, away from kinks and steps."""
    draw = np.random.default_rng(len(name) + ord(parameter[0])).uniform
    if parameter in ("n", "decimals"):
        return np.arange(40) % 3 + 1.0 if parameter == "n" else np.zeros(40)
    if name in IN_UNIT:
        return draw(0.05, 0.95, 40)
    if name in POSITIVE:
        return draw(1.1, 4.0, 40)
    return draw(1.1, 3.9, 40) if name == "acosh" else draw(-2.9, 2.9, 40)


@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) & set(FLOAT)))
def test_slopes_are_those_of_scipys_functions(name: str) -> None:
    """A slope is the central difference, of fourth order, of NumPy's or SciPy's function."""
    known = FUNCTIONS[name]
    points = {p: numbers_for(name, p) for p in known.parameters}
    result = np.asarray(FLOAT[name](*points.values()), float)
    for i, parameter in enumerate(known.parameters):
        own = known.derivative(i)
        if own is None:
            continue
        values = []
        for step in (-2, -1, 1, 2):
            moved = {**points, parameter: points[parameter] + step * 2.0**-11}
            values.append(np.asarray(FLOAT[name](*moved.values()), float))
        expected = (8 * (values[2] - values[1]) - (values[3] - values[0])) / (12 * 2.0**-11)
        found = np.broadcast_to(np.asarray(evaluate(own, {**points, "result": result}), float), expected.shape)
        smooth = np.abs(values[3] - 4 * values[2] + 6 * result - 4 * values[1] + values[0]) < 1e-6
        assert smooth.sum() > 30
        np.testing.assert_allclose(found[smooth], expected[smooth], rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("name", sorted(name for name, known in FUNCTIONS.items() if known.meaning))
def test_slopes_follow_from_meanings(name: str) -> None:
    """The slope of what a function stands for is its slope, in every case."""
    known = FUNCTIONS[name]
    points = {p: np.concatenate([numbers_for(name, p), -numbers_for(name, p)[:20]]) for p in known.parameters}
    if name in POSITIVE:
        points = {p: np.abs(array) for p, array in points.items()}
    meaning = parsed(known.meaning or "")
    for i, parameter in enumerate(known.parameters):
        own = known.derivative(i)
        if own is None or isinstance(meaning, ast.Constant | ast.Compare):
            continue

        def compared(case: Case, own: ast.expr = own, parameter: str = parameter) -> bool:
            here = Algebra(case)
            call = parsed(f"{name}({', '.join(known.parameters)})")
            scope = {"result": call}
            written = ast.fix_missing_locations(_Replaced(scope).visit(ast.parse(ast.unparse(own), mode="eval").body))
            return algebra.is_zero(here.value(derivative(meaning, {parameter: ONE})) - here.value(written))

        assert all(proved for case, proved in cases(compared, points) if case.is_open)


class _Replaced(ast.NodeTransformer):
    def __init__(self, scope: dict[str, ast.expr]) -> None:
        self.scope = scope

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.scope.get(node.id, node)


ZEROS = [
    "sin(x) * sin(x) + cos(x) * cos(x) - 1",
    "exp(x + y) - exp(x) * exp(y)",
    "tanh(x) - (1 - 2 / (exp(2 * x) + 1))",
    "sigmoid(x) + sigmoid(-x) - 1",
    "sqrt(1 + x * x) * sqrt(1 + x * x) - 1 - x * x",
    "1 / (1 - x) - 1 / (1 + x) - 2 * x / ((1 - x) * (1 + x))",
    "divide(exp2(x), exp(0.6931471805599453 * x)) - 1",
    "cosh(x) * cosh(x) - sinh(x) * sinh(x) - 1",
    "erfc(x) + erf(x) - 1",
    "0.7071067811865476 * 0.7071067811865476 - 0.5",
    "pow(x, y + 1) - x * pow(x, y)",
    "tan(x) * cos(x) - sin(x)",
]
NO_ZEROS = [
    "sin(x) * sin(x) - cos(x) * cos(x)",
    "exp(x + y) - exp(x) * exp(x)",
    "sqrt(x * x) - x",
    "log(x * y) - log(x)",
    "exp2(x) - exp(0.6931471805 * x)",
    "0.7071067811 * 0.7071067811 - 0.5",
    "1 / (1 + x) - 1 / (1 + y)",
    "bessel_j0(x) - bessel_j1(x)",
]


@pytest.mark.parametrize("text", ZEROS)
def test_identities_are_proved(text: str) -> None:
    """What is zero for mathematicians is zero, and in numbers."""
    assert algebra.is_zero(value(text))
    points = {"x": np.linspace(0.1, 0.9, 9), "y": np.linspace(-1, 2, 9)}
    np.testing.assert_allclose(numeric(value(text), points), 0, atol=1e-12)


@pytest.mark.parametrize("text", NO_ZEROS)
def test_what_is_not_zero_is_not_proved(text: str) -> None:
    """Also where it is nearly zero, or zero for positive numbers only."""
    assert not algebra.is_zero(value(text))


def test_random_sums_keep_their_numbers() -> None:
    """Sums, products and powers in the algebra are those of the numbers."""
    rng = np.random.default_rng(5)
    points = {"x": rng.uniform(0.2, 2, 30), "y": rng.uniform(0.2, 2, 30)}
    for _ in range(60):
        text = "x"
        for _ in range(6):
            other = rng.choice(["x", "y", "2", "exp(x)", "sqrt(1 + y)", "sin(x)", "0.5"])
            text = rng.choice(
                [f"({text} + {other})", f"({text} * {other})", f"divide({text}, {other})", f"({other} - {text})"]
            )
        with np.errstate(all="ignore"):
            expected = np.broadcast_to(evaluate(parsed(text), points), 30)
        found = numeric(value(text), points)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_constants_are_recognised_to_the_last_digit() -> None:
    """log(2) is log(2); what differs in the tenth digit is a number of its own, and 0.5 is a half."""
    assert recognised(0.6931471805599453).key == algebra.function("log", algebra.number(2)).key
    assert recognised(0.69314718056).constant == Fraction("0.69314718056")
    assert recognised(-0.5).constant == Fraction(-1, 2)
    assert recognised(3.141592653589793).key == algebra.variable("PI").key


# ---- formulas --------------------------------------------------------------------------------------------------------


def verdict(spec: Spec, text: str, tmp_path: Path, argument: str = "self") -> Verdict:
    """The verdict on an entry that is written beside those of the tree."""
    path = tmp_path / "spec.yaml"
    path.write_text(text)
    own, problems = load_spec(path)
    assert problems == []
    prover = Prover({e.name: e for e in (*spec.entries, *own.entries)})
    return next(v for v in prover.verdicts(own.entries[0]) if v.argument == argument)


def entry(expression: str, formula: str, more: str = "", arguments: str = "Tensor self") -> str:
    return f"- name: my_op({arguments}) -> Tensor\n  elementwise: {expression!r}\n  self: {formula!r}\n  {more}\n"


RIGHT = [
    entry("exp(-self * self)", "-2 * self * result * grad"),
    entry(
        "self * tanh(log1p(exp(self)))",
        "grad * (tanh(log1p(exp(self))) + self * sigmoid(self) * (1 - square(tanh(log1p(exp(self))))))",
    ),
    entry("log(cosh(self))", "grad * tanh(self)"),
    entry("abs(self) * self", "2 * grad * abs(self)"),
    entry("maximum(self, 0) * maximum(self, 0)", "2 * grad * clamp_min(self, 0)"),
    entry("self if self > 1 else (self * self + 1) / 2", "grad * where(self > 1, 1, self)"),
    entry("minimum(maximum(self, -1), 1)", "where((self >= -1) & (self <= 1), grad, 0)", "kink: larger"),
]
WRONG_ONES = {
    "a sign": entry("cos(self)", "grad * sin(self)"),
    "a constant in the tenth digit": entry("exp2(self)", "0.6931471806 * grad * result"),
    "a threshold": entry("self if self > 20 else log1p(exp(self))", "where(self > 19.5, grad, grad * 0.5)"),
    "a bound that is left out": entry("0 if (self >= -1) & (self <= 1) else self", "where(self <= 1, 0, grad)"),
    "a tie": entry("self if self > 0 else 2 * self", "where(self > 0, grad, 2 * grad)"),
    "the other side of a tie": entry("abs(self)", "where(self > 0, grad, -grad)"),
    "a pole": entry("1 if self == 0 else divide(sin(self), self)", "grad * (cos(self) - result) / self"),
    "a second slope": entry(
        "1 if self == 0 else divide(sin(self), self)", "grad * (cos(self) - result) / where(self == 0, 1, self)"
    ),
    "a slope at one point": entry("self * self * self", "where(self == 0, grad, 3 * grad * self * self)"),
    "a branch cut": entry("self if self > 1 else 1", "where(self > 1.000000001, grad, 0)", "kink: left"),
}


@pytest.mark.parametrize("text", RIGHT)
def test_right_formulas_are_proved(text: str, spec: Spec, tmp_path: Path) -> None:
    """Also those that are written in another way than the chain rule gives."""
    found = verdict(spec, text, tmp_path)
    assert found.state == PROVED, found


@pytest.mark.parametrize("mistake", WRONG_ONES)
def test_wrong_formulas_are_refused(mistake: str, spec: Spec, tmp_path: Path) -> None:
    """With the point at which they are wrong."""
    found = verdict(spec, WRONG_ONES[mistake], tmp_path)
    assert found.state == WRONG
    assert "self=" in found.reason


def test_a_wrong_formula_is_a_finding_at_its_place(tmp_path: Path) -> None:
    """File, line and column are those of the formula."""
    path = tmp_path / "spec.yaml"
    path.write_text(entry("sin(self)", "grad * (1 + self)"))
    own, _ = load_spec(path, "spec.yaml")
    base, _ = load_spec(SPEC)
    (finding,) = disproved(own, base)
    assert str(finding).startswith("spec.yaml:3:10: my_op, gradient of self: at self=")


def test_the_spec_is_proved(spec: Spec) -> None:
    """Nine of ten gradients of element-wise ops at least; the others are these, for these reasons."""
    found = list(verdicts(Prover(spec.by_name()), spec.entries))
    states = Counter(v.state for _, v in found)
    assert states[WRONG] == 0
    assert states[PROVED] >= 0.9 * len(found)
    equal = {e.name for e, v in found if v.state == EQUAL}
    left = {e.name for e, v in found if v.state == OPEN}
    # by the logarithm of a product; by bounds beyond which nothing changes; beside infinities
    assert equal == {"gamma_log_prob", "gelu_tanh", "softsign", "logaddexp", "logaddexp2"}
    # complex numbers alone; a sum; an inverse; noise; polynomials of other kinds; integrals by their shapes
    shapes = {"gamma_moved", "igamma", "igammac", "standard_gamma_grad"}
    assert left == {"imag_copy", "fill_.Tensor", "noise_scale", "orthogonal_polynomial"} | shapes


def changed(tree: ast.expr) -> list[ast.expr]:
    """The formula with one number, or one sign, changed."""
    found = []
    for i, node in enumerate(list(ast.walk(tree))):
        copy = ast.parse(ast.unparse(tree), mode="eval").body
        twin = list(ast.walk(copy))[i]
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value * 2 != node.value:
            assert isinstance(twin, ast.Constant)
            twin.value = node.value * (1 + 1e-7)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            assert isinstance(twin, ast.BinOp)
            twin.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        else:
            continue
        found.append(copy)
    return found


def test_changed_formulas_of_the_spec_are_refused(spec: Spec) -> None:
    """Of formulas with one constant changed in the seventh digit, or one sign, all are found to be wrong."""
    prover, count = Prover(spec.by_name()), 0
    for each in spec.entries:
        if each.compute.kind != "elementwise" or each.name in (
            "clamp.both",
            *("pow.Scalar", "divergence_of_logs"),  # a number or term counts beside infinities alone
            "bernoulli_loss",  # its least variance counts below 1e-12 alone
            "times_power_of_two",  # both sides of its condition are equal
            "mish",  # where its conditions stand in each other, one side is never taken
            "softsign",  # a term is 0 for real numbers
            "fill_.Tensor",
            "gamma_moved",
            "igamma",
            "igammac",
            "standard_gamma_grad",
        ):
            continue
        for argument, formula in each.gradients.items():
            for tree in changed(formula.tree) if formula.tree is not None and not _ties(each) else []:
                other = type(formula)(ast.unparse(tree), tree, formula.where)
                found = prover.verdict(each, argument, other)
                assert found.state == WRONG, (each.name, argument, ast.unparse(tree), found)
                count += 1
    assert count > 80


def _ties(each: Entry) -> bool:
    """Whether a number of the formula matters at ties alone, or for another kind of numbers."""
    return each.name in ("maximum", "minimum", "imag_copy")
