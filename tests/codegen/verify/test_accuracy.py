"""`verify` compares element-wise ops with mpmath: mistakes that only show far out, or at the border of two branches."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from specgrad.codegen.__main__ import main

pytest.importorskip("mpmath")

from mpmath import mp, mpf

from specgrad.codegen.language.scalar_functions import parsed
from specgrad.codegen.proof.exact_values import Expression, exactly
from specgrad.codegen.proof.mpmath_functions import EXACT, is_known
from specgrad.codegen.proof.numbers import FLOAT

ENTRIES: dict[str, tuple[str, ...]] = {
    "slope taken from a rounded result": (
        "unit(Tensor self) -> Tensor",
        "sigmoid(self)",
        "grad * logistic_pdf(self)",
        "grad * result * (1 - result)",
    ),
    "0 times infinity": (
        "swish_of(Tensor self) -> Tensor",
        "weighted_by(self, sigmoid(self))",
        "grad * weighted_by(1 + weighted_by(self, sigmoid(-self)), sigmoid(self))",
        "grad * sigmoid(self) * (1 + self * sigmoid(-self))",
    ),
    "a square that overflows": (
        "inverse_sine(Tensor self) -> Tensor",
        "asinh(self)",
        "grad / hypot_with_one(self)",
        "grad * rsqrt(1 + self * self)",
    ),
    "a second derivative that cancels": (
        "inverse_tangent(Tensor self) -> Tensor",
        "atanh(self)",
        "grad / one_minus_square(self)",
        "grad / ((1 - self) * (1 + self))",
    ),
    "the other branch at a threshold": (
        "hard(Tensor self) -> Tensor",
        "self if self > 3 else self * (self + 3) / 6",
        "grad * where(self > 3, 1, self / 3 + 0.5)",
        "grad * where(self >= 3, 1, self / 3 + 0.5)",
        "kink: left",
    ),
}


def verified(folder: Path, schema: str, expression: str, formula: str, more: str = "") -> str:
    spec = folder / "ops.yaml"
    text = f"""\
        - name: {schema}
          dtypes: [float]
          flags: [precise]
          dtype: float
          elementwise: {expression}
          self: {formula}
          result: auto_element_wise
          {more}
        """
    spec.write_text(dedent(text), encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        main([str(spec), "--out", str(folder / "ops")])
    return out.getvalue()


@pytest.mark.parametrize("mistake", ENTRIES)
def test_mistakes_are_found(mistake: str, tmp_path: Path) -> None:
    schema, expression, right, wrong, *more = ENTRIES[mistake]
    assert "0 wrong" in verified(tmp_path, schema, expression, right, *more)
    assert "nothing was written" in (text := verified(tmp_path, schema, expression, wrong, *more))
    assert "it is " in text and ", not " in text or "the function's derivative is 1.5" in text


def test_an_entry_names_an_exception(tmp_path: Path) -> None:
    schema, expression = "tail(Tensor self) -> Tensor", "exp(2.5 * self)"
    formula = "2.5 * grad * result"
    assert "units of the last digit" in verified(tmp_path, schema, expression, formula)
    reason = "accuracy: 2 units of the argument, because a product is rounded before the exponential"
    assert "0 wrong" in verified(tmp_path, schema, expression, formula, reason)
    said = verified(tmp_path, schema, expression, formula, "accuracy: 2 units")
    assert "expected `N units of the argument, because ...` with the reason" in said


POINTS = np.array([-7.3, -2.6, -1.0, -0.4, 1e-3, 0.3, 0.9, 1.7, 4.2, 9.0, 33.0])


@pytest.mark.parametrize("name", [n for n in EXACT if n in FLOAT and n not in ("isnan", "isinf", "isfinite", "conj")])
def test_functions_agree_with_scipy(name: str) -> None:
    """Two libraries, of which neither is ours, give the same."""
    for others in ((), (np.full(POINTS.size, 2.5),), (np.full(POINTS.size, 0.3), np.full(POINTS.size, 0.2))):
        arguments = (
            (POINTS, *others)
            if name not in ("polygamma", "zeta", "igamma", "igammac")
            else (others[:1] or ()) + (POINTS,)
        )
        if name == "polygamma" and others:
            arguments = (np.full(POINTS.size, 2), POINTS)
        try:
            with np.errstate(all="ignore"):
                right = FLOAT[name](*arguments)
        except (TypeError, ValueError):
            continue
        with mp.workdps(40):
            got = EXACT[name](*arguments).astype(float)
        close = np.isclose(got, np.asarray(right, float), 1e-9, 1e-12, equal_nan=True)
        assert close[np.isfinite(got) & np.isfinite(right)].all(), name
        return
    raise AssertionError(name)


@pytest.mark.parametrize(
    ("expression", "at", "first", "second"),
    [
        ("exp(self)", "-700", mp.exp(-700), mp.exp(-700)),
        ("cos(self)", "1e-300", mpf("-1e-300"), mpf(-1)),
        ("log(self)", "1e300", mpf("1e-300"), None),
        ("tanh(self)", "300", 4 * mp.exp(-600), -8 * mp.exp(-600)),
        ("self if self > 0 else expm1(self)", "0", mpf(1), None),
        ("maximum(self, 0)", "0", None, None),
        ("self * sigmoid(self)", "-inf", mpf(0), None),
        ("atan(self)", "inf", mpf(0), None),
    ],
)
def test_derivatives_are_exact(expression: str, at: str, first: object, second: object) -> None:
    columns = dict(exactly({"self": np.array([float(at)])}))
    truth = Expression(parsed(expression), {}).truth(columns, "self", np.array([float(at) == 0.0]))
    for got, right in ((truth.first[0], first), (truth.second[0], second)):
        if right is None:
            assert got != got or abs(got) < mpf("1e-500")
        elif float(at) > -np.inf:
            assert abs(got - right) <= abs(right) * mpf("1e-14")


def test_draws_are_not_known() -> None:
    assert is_known(parsed("where(self > 0, exp(self), sigmoid(self))"))
    assert not is_known(parsed("standard_gamma_grad(self, 1)"))


@pytest.mark.parametrize("x", ["-601", "-1000.7", "-3e5", "-1e30", "-1e400"])
def test_the_wave_of_airy_ai(x: str) -> None:
    """Far below 0 it is that of mpmath, to the last digits."""
    with mp.workdps(50):
        at = mpf(x)
    with mp.workdps(90):
        expected = mp.airyai(at)
    with mp.workdps(60):
        (found,) = EXACT["airy_ai"](np.array([at], object))
    assert abs(found - expected) <= mpf(10) ** -58 * abs(expected)
