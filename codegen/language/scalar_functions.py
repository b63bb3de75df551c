"""The scalar functions of expressions: their derivatives, and what some of them are in terms of others (meanings).

Each is a formula over the parameters and `result`. Where there is a meaning the derivative is proved from it, else it
is compared with differences of SciPy's function (tests/codegen/proof/test_proof.py). Source: Abramowitz and Stegun,
Handbook of Mathematical Functions; DLMF. A user's own functions are the argument `own` of everything here.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .row_programs import ELEMENT_AT


@dataclass(frozen=True)
class Scalar:
    """A scalar function: its parameters, its derivative by each (None: there is none in closed form), and its meaning.

    `numbers` computes one of a user's; those of NumPy and SciPy are in `numbers.FLOAT`.
    """

    parameters: tuple[str, ...]
    derivatives: tuple[str | None, ...]
    meaning: str | None = None
    numbers: Callable[..., Any] | None = None

    def derivative(self, i: int) -> ast.expr | None:
        text = self.derivatives[i]
        return None if text is None else parsed(text)


Functions = Mapping[str, Scalar]  # by name
NONE: Functions = {}


def known_function(name: str, own: Functions) -> Scalar | None:
    return FUNCTIONS.get(name) or own.get(name)


def parsed(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def _of_x(derivative: str | None, meaning: str | None = None) -> Scalar:
    return Scalar(("x",), (derivative,), meaning)


def _of_order_n(derivative: str) -> Scalar:
    return Scalar(("n", "x"), (None, derivative))


FUNCTIONS: dict[str, Scalar] = {
    # exponentials and logarithms
    "exp": _of_x("result"),
    "exp2": _of_x("log(2) * result", "exp(log(2) * x)"),
    "expm1": _of_x("result + 1", "exp(x) - 1"),
    "log": _of_x("divide(1, x)"),
    "log2": _of_x("divide(1, log(2) * x)", "divide(log(x), log(2))"),
    "log10": _of_x("divide(1, log(10) * x)", "divide(log(x), log(10))"),
    "log1p": _of_x("divide(1, 1 + x)", "log(1 + x)"),
    "log1p_exp": _of_x("sigmoid(x)", "log(1 + exp(x))"),
    "log_sigmoid": _of_x("sigmoid(-x)", "-log(1 + exp(-x))"),
    "log_odds": _of_x("divide(1, x) + divide(1, 1 - x)", "log(divide(x, 1 - x))"),
    "sigmoid": _of_x("result * (1 - result)", "divide(1, 1 + exp(-x))"),
    "logistic_pdf": _of_x("-result * tanh(divide(x, 2))", "divide(exp(-x), (1 + exp(-x)) * (1 + exp(-x)))"),
    # powers
    "sqrt": _of_x("divide(1, 2 * result)"),
    "rsqrt": _of_x("-0.5 * result * result * result", "divide(1, sqrt(x))"),
    "divide": Scalar(("x", "y"), ("divide(1, y)", "-divide(divide(x, y), y)")),
    "pow": Scalar(("x", "y"), ("y * pow(x, y - 1)", "result * log(x)"), "exp(y * log(x))"),
    "pow_number": Scalar(("x", "y"), ("y * pow_number(x, y - 1)", "result * log(x)"), "exp(y * log(x))"),
    "ldexp": Scalar(("x", "y"), ("exp2(y)", "log(2) * result"), "x * exp(log(2) * y)"),
    "hypot": Scalar(("x", "y"), ("divide(x, result)", "divide(y, result)"), "sqrt(x * x + y * y)"),
    "direction": Scalar(
        ("x", "y"),
        (
            "divide(y * y, (x * x + y * y) * sqrt(x * x + y * y))",
            "-divide(x * y, (x * x + y * y) * sqrt(x * x + y * y))",
        ),
        "divide(x, sqrt(x * x + y * y))",
    ),
    "weighted_by": Scalar(("x", "weight"), ("weight", "x"), "x * weight"),  # and 0 for a weight of 0
    # circular and hyperbolic functions, and their inverses
    "sin": _of_x("cos(x)"),
    "cos": _of_x("-sin(x)"),
    "tan": _of_x("1 + result * result", "divide(sin(x), cos(x))"),
    "sinc": _of_x("sinc_derivative(1, x)"),
    "sinc_derivative": _of_order_n("sinc_derivative(n + 1, x)"),
    "asin": _of_x("rsqrt(one_minus_square(x))"),
    "acos": _of_x("-rsqrt(one_minus_square(x))"),
    "atan": _of_x("inverse_one_plus_square(x)"),
    "atan2": Scalar(("y", "x"), ("divide(x, x * x + y * y)", "-divide(y, x * x + y * y)")),
    "sinh": _of_x("cosh(x)", "divide(exp(x) - exp(-x), 2)"),
    "cosh": _of_x("sinh(x)", "divide(exp(x) + exp(-x), 2)"),
    "tanh": _of_x("1 - result * result", "divide(exp(2 * x) - 1, exp(2 * x) + 1)"),
    "tanhshrink": _of_x("tanh(x) * tanh(x)", "x - tanh(x)"),
    "asinh": _of_x("divide(1, hypot_with_one(x))", "log(x + sqrt(1 + x * x))"),
    "acosh": _of_x("rsqrt(x - 1) * rsqrt(x + 1)"),
    "atanh": _of_x("divide(1, one_minus_square(x))", "divide(log(1 + x) - log(1 - x), 2)"),
    # ops of formulas: their derivatives lose no digits
    "one_minus_square": _of_x("-2 * x", "(1 - x) * (1 + x)"),
    "inverse_one_plus_square": _of_x("-2 * x * result * result", "divide(1, 1 + x * x)"),
    "hypot_with_one": _of_x("divide(x, result)", "hypot(x, 1)"),
    # the normal distribution and the error function
    "gaussian": _of_x("-2 * (0 if result == 0 else x) * result", "exp(-x * x)"),
    "normal_pdf": _of_x("-(0 if result == 0 else x) * result", "divide(exp(-divide(x * x, 2)), sqrt(2 * PI))"),
    "normal_cdf": _of_x("normal_pdf(x)"),
    "gelu": _of_x("normal_cdf(x) + weighted_by(x, normal_pdf(x))", "x * normal_cdf(x)"),
    "erf": _of_x("divide(2, sqrt(PI)) * gaussian(x)", "2 * normal_cdf(sqrt(2) * x) - 1"),
    "erfc": _of_x("-divide(2, sqrt(PI)) * gaussian(x)", "2 * normal_cdf(-sqrt(2) * x)"),
    "erfcx": _of_x("erfcx_derivative(1, x)"),
    "erfcx_derivative": _of_order_n("erfcx_derivative(n + 1, x)"),
    "erfinv": _of_x("erfinv_derivative(x)"),
    "erfinv_derivative": _of_x("2 * erfinv(x) * result * result", "divide(sqrt(PI), 2) * exp(erfinv(x) * erfinv(x))"),
    "ndtri": _of_x("ndtri_derivative(x)"),
    "ndtri_derivative": _of_x("ndtri(x) * result * result", "sqrt(2 * PI) * exp(divide(ndtri(x) * ndtri(x), 2))"),
    "log_ndtr": _of_x(
        "sqrt(2) * erfc_ratio(1, -divide(x, sqrt(2))) - x if x < 0 else divide(normal_pdf(x), normal_cdf(x))"
    ),
    "erfc_ratio": _of_order_n("2 * result * (n * result - (n + 1) * erfc_ratio(n + 1, x))"),
    "entr": _of_x("-log(x) - 1", "-x * log(x)"),
    # gamma and zeta functions
    "lgamma": _of_x("digamma(x)"),
    "digamma": _of_x("polygamma(1, x)"),
    "polygamma": _of_order_n("polygamma(n + 1, x)"),
    "zeta": Scalar(("s", "q"), (None, "zeta_derivative(1, s, q)")),
    "zeta_derivative": Scalar(("n", "s", "q"), (None, None, "zeta_derivative(n + 1, s, q)")),
    "igamma": Scalar(("a", "x"), (None, "exp(gamma_log_prob(x, a, 1))")),
    "igammac": Scalar(("a", "x"), (None, "-exp(gamma_log_prob(x, a, 1))"), "1 - igamma(a, x)"),
    "gamma_log_prob": Scalar(
        ("x", "a", "rate"),
        ("divide(a - 1 - rate * x, x)", "log(rate) + log_minus_digamma(a, x)", "divide(a - rate * x, rate)"),
        "a * log(rate) + (0 if a == 1 else (a - 1) * log(x)) - rate * x - lgamma(a)",
    ),
    "log_minus_digamma": Scalar(("a", "x"), ("-polygamma(1, a)", "divide(1, x)"), "log(x) - digamma(a)"),
    "binomial_log_prob": Scalar(
        ("k", "j", "p", "q"),
        (
            "digamma(k + j + 1) - digamma(k + 1) + log(p) + 1 - p - q",
            "digamma(k + j + 1) - digamma(j + 1) + log(q) + 1 - p - q",
            "divide(k, p) - k - j",
            "divide(j, q) - k - j",
        ),
        "lgamma(k + j + 1) - lgamma(k + 1) - lgamma(j + 1) - (k + j) * (p + q - 1) + (0 if k == 0 else k * log(p)) "
        "+ (0 if j == 0 else j * log(q))",
    ),
    "orthogonal": Scalar(("x", "n", "kind", "order"), (None, None, None, None)),  # of each kind by another
    # draws by their parameters: implicit reparameterisation, whose slopes are computed and not differentiated
    "standard_gamma_grad": Scalar(("a", "x"), (None, None)),
    "standard_gamma_grad_by_shape": Scalar(("a", "x"), (None, None)),
    "dirichlet_grad": Scalar(("x", "a", "total"), (None, None, None)),
    "von_mises_grad": Scalar(("x", "concentration"), (None, None)),
    "gamma_moved": Scalar(("a", "anchor", "x"), (None, None, None)),
    # Bessel functions
    "bessel_j0": _of_x("-bessel_j1(x)"),
    "bessel_j1": _of_x("bessel_j1_derivative(1, x)"),
    "bessel_j1_derivative": _of_order_n("bessel_j1_derivative(n + 1, x)"),
    "bessel_y0": _of_x("-bessel_y1(x)"),
    "bessel_y1": _of_x("bessel_y0(x) - divide(result, x)"),
    "i0": _of_x("i1(x)"),
    "i1": _of_x("i1_derivative(1, x)"),
    "i1_derivative": _of_order_n("i1_derivative(n + 1, x)"),
    "i0e": _of_x("sgn(x) * i0e_derivative(1, x)"),
    "i1e": _of_x("i1e_derivative(1, x)"),
    "i0e_derivative": _of_order_n("sgn(x) * i0e_derivative(n + 1, x)"),  # at |x|
    "i1e_derivative": _of_order_n("sgn(x) * i1e_derivative(n + 1, x)"),
    "modified_bessel_k0": _of_x("-modified_bessel_k1(x)"),
    "modified_bessel_k1": _of_x("-modified_bessel_k0(x) - divide(result, x)"),
    "scaled_modified_bessel_k0": _of_x("k0e_derivative(1, x)"),
    "scaled_modified_bessel_k1": _of_x("k0e_derivative(1, x) - k0e_derivative(2, x)"),
    "k0e_derivative": _of_order_n("k0e_derivative(n + 1, x)"),
    "spherical_bessel_j0": _of_x("spherical_bessel_j0_derivative(1, x)"),
    "spherical_bessel_j0_derivative": _of_order_n("spherical_bessel_j0_derivative(n + 1, x)"),
    # choices: conditions tell the cases apart
    "abs": _of_x("sgn(x)", "x if x >= 0 else -x"),
    "sgn": _of_x("0", "1 if x > 0 else (-1 if x < 0 else 0)"),
    "sign": _of_x("0", "1 if x > 0 else (-1 if x < 0 else 0)"),
    "maximum": Scalar(("x", "y"), ("1 if x > y else 0", "0 if x > y else 1"), "x if x > y else y"),
    "minimum": Scalar(("x", "y"), ("1 if x < y else 0", "0 if x < y else 1"), "x if x < y else y"),
    "fmax": Scalar(("x", "y"), ("1 if x > y else 0", "0 if x > y else 1"), "x if x > y else y"),
    "fmin": Scalar(("x", "y"), ("1 if x < y else 0", "0 if x < y else 1"), "x if x < y else y"),
    "copysign": Scalar(
        ("x", "y"), ("sgn(x) * (-1 if signbit(y) else 1)", "0"), "(x if x >= 0 else -x) * (-1 if signbit(y) else 1)"
    ),
    "lerp": Scalar(("a", "b", "w"), ("1 - w", "w", "b - a"), "a + w * (b - a)"),
    # steps: flat where they have a derivative
    **{name: _of_x("0") for name in ("floor", "ceil", "round", "trunc", "octave")},
    "round_decimals": Scalar(("x", "decimals"), ("0", None)),
    "floor_divide": Scalar(("x", "y"), ("0", "0")),
    "trunc_divide": Scalar(("x", "y"), ("0", "0")),
    "remainder": Scalar(("x", "y"), ("1", "-floor_divide(x, y)"), "x - y * floor_divide(x, y)"),
    "fmod": Scalar(("x", "y"), ("1", "-trunc_divide(x, y)"), "x - y * trunc_divide(x, y)"),
    # of real numbers
    "angle": _of_x("0", "0 if x >= 0 else PI"),
    "conj": _of_x("1", "x"),
    "real": _of_x("1", "x"),
    "imag": _of_x("0", "0"),
    "unfused": _of_x("1", "x"),
    "isnan": _of_x("0", "False"),
    "isinf": _of_x("0", "False"),
    "isfinite": _of_x("0", "True"),
    "isposinf": _of_x("0", "False"),
    "isneginf": _of_x("0", "False"),
    "signbit": _of_x("0", "x < 0"),
}


# Those that are no dearer than a load.
CHEAP = ("abs", "where", "maximum", "minimum", "select", "conj", "sqrt", "rsqrt", "sign", "sgn", "rounded")


def is_expensive(tree: ast.expr) -> bool:
    calls = [node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    power = any(isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) for node in ast.walk(tree))
    return power or any(name not in CHEAP and name != ELEMENT_AT and not name.startswith("is") for name in calls)
