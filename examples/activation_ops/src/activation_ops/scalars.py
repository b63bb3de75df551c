"""Scalar functions of element-wise expressions, compiled for CPU and CUDA."""

from typing import Any

from specgrad.runtime.kernels.declarations import derivatives
from specgrad.runtime.kernels.scalar import exp, log1p, maximum

LOG_2 = 0.6931471805599453
STEPS = 40  # of Newton's method, which begins at x: far from the root each takes a third off


def soft_size(x: Any) -> Any:
    """sqrt(1 + x^2): a smooth |x|. It is an expression, so its derivative is derived."""
    return (type(x)(1) + x * x) ** type(x)(0.5)


@derivatives("sigmoid(x)")
def softplus(x: Any) -> Any:
    """ln(1 + e^x), without overflow: by two parts that meet at 0, where only the derivative given above is right."""
    return maximum(x, type(x)(0)) + log1p(exp(-abs(x)))


@derivatives("tanh(x)")
def log_cosh(x: Any) -> Any:
    """ln(cosh(x)), without overflow."""
    size = abs(x)
    return size + log1p(exp(type(x)(-2) * size)) - type(x)(LOG_2)


@derivatives(
    "1 / (1 + 3 * bend * result * result)",
    "-result * result * result / (1 + 3 * bend * result * result)",
    bend=(0.1, 4),
)
def cubic_root(x: Any, bend: Any) -> Any:
    """The root y of y + bend y^3 = x, by Newton's method: a loop is no expression, so its derivatives are given."""
    three, y = type(x)(3), x
    for _ in range(STEPS):
        y -= (y + bend * y * y * y - x) / (type(x)(1) + three * bend * y * y)
    return y
