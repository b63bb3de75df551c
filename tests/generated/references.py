"""What each op must compute, in NumPy and SciPy: independent of specgrad's kernels and formulas.

REFERENCES maps the name of an entry (without its overload, where that makes no difference) to a function of the entry's
arguments, by name. Arrays may be float64, complex128, int64 or bool.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from tests.ops.collective.references import COLLECTIVES
from tests.ops.conv.references import NETWORK
from tests.ops.distance.references import DISTANCES
from tests.ops.elementwise.references import ACTIVATIONS, PARTS
from tests.ops.elementwise.references_formulas import FORMULAS
from tests.ops.elementwise.references_special import SPECIAL
from tests.ops.fft.references import FOURIER
from tests.ops.image.references import IMAGES
from tests.ops.indexing.references import READING_AND_WRITING
from tests.ops.linalg.references import LINALG
from tests.ops.linalg.references_decompositions import DECOMPOSITIONS
from tests.ops.linalg.references_ldl import LDL
from tests.ops.loss.references import LOSSES
from tests.ops.loss.references_ctc import CTC
from tests.ops.loss.references_pairs import PAIRS
from tests.ops.pooling.references import POOLING
from tests.ops.recurrent.references import SEQUENCES
from tests.ops.reduction.references import REDUCTIONS
from tests.ops.reduction.references_statistics import STATISTICS
from tests.ops.shape.references import SHAPES
from tests.ops.shape.references_joining import JOINING
from tests.ops.sorting.references import SORTING
from tests.ops.sorting.references_counting import COUNTING

from .references_forms import FORMS

Reference = Callable[..., Any]


def unary(function: Callable[[Any], Any]) -> Reference:
    """A reference of one argument."""
    return lambda self: function(self)


def binary(function: Callable[[Any, Any], Any]) -> Reference:
    """A reference of two arguments."""
    return lambda self, other: function(self, other)


def as_float(x: Any) -> Any:
    """Integers and bools as floats."""
    return x if x.dtype.kind in "fc" else x.astype(np.float64)


def floating(function: Callable[[Any], Any]) -> Reference:
    """A reference that computes in floats whatever it is given."""
    return lambda self: function(as_float(self))


def sgn(x: Any) -> Any:
    """x / |x|, 0 at 0."""
    return np.where(x == 0, 0, x / np.where(x == 0, 1, abs(x))) if x.dtype.kind == "c" else np.sign(x)


def power(self: Any, exponent: Any) -> Any:
    """x^e; an integer to a negative integer power rounds towards zero."""
    if np.asarray(self).dtype.kind == "i" and np.asarray(exponent).dtype.kind == "i":
        return np.trunc(np.power(np.asarray(self, float), exponent)).astype(np.int64)
    return np.power(self, exponent)


def truncated(self: Any, other: Any) -> Any:
    """The quotient, rounded towards zero."""
    ratio = np.trunc(np.true_divide(self, other))
    return ratio.astype(np.result_type(self, other))


def gelu(self: Any, approximate: str = "none") -> Any:
    """x times the normal distribution function, exact or by tanh."""
    if approximate == "none":
        return self * special.ndtr(self)
    return 0.5 * self * (1 + np.tanh(np.sqrt(2 / np.pi) * (self + 0.044715 * self**3)))


def elu(self: Any, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Any:
    """scale * (x, or alpha (e^(input_scale x) - 1) below 0)."""
    return scale * np.where(self > 0, self, alpha * np.expm1(input_scale * np.minimum(self, 0)))


def softplus(self: Any, beta: float = 1, threshold: float = 20) -> Any:
    """log(1 + e^(beta x)) / beta, x itself beyond the threshold."""
    return np.where(self * beta > threshold, self, np.logaddexp(0, beta * self) / beta)


def divide(self: Any, other: Any, rounding_mode: str | None) -> Any:
    """Quotients by rounding mode."""
    functions: dict[Any, Any] = {None: np.true_divide, "floor": np.floor_divide, "trunc": truncated}
    return functions[rounding_mode](self, other)


def clip(self: Any, min: Any = None, max: Any = None) -> Any:
    """Limited from below, then from above."""
    found = self if min is None else np.maximum(self, min)
    return found if max is None else np.minimum(found, max)


def lerp(self: Any, end: Any, weight: Any) -> Any:
    """From self to end."""
    return self * (1 - weight) + end * weight


def expm1(x: Any) -> Any:
    """e^x - 1; of complex x by parts, without cancellation."""
    if x.dtype.kind != "c":
        return np.expm1(x)
    a, b = x.real, x.imag
    return np.expm1(a) * np.cos(b) - 2 * np.sin(b / 2) ** 2 + 1j * np.exp(a) * np.sin(b)


ELEMENTWISE: dict[str, Reference] = {
    "abs": unary(np.abs),
    "neg": unary(np.negative),
    "sign": unary(lambda x: x if x.dtype == bool else np.sign(x)),
    "sgn": unary(lambda x: x if x.dtype == bool else sgn(x)),
    "square": unary(lambda x: x * x),
    "sqrt": floating(np.sqrt),
    "rsqrt": floating(lambda x: x**-0.5),
    "reciprocal": floating(lambda x: 1 / x),
    "pow": power,
    "exp": floating(np.exp),
    "exp2": floating(lambda x: np.power(2, x)),
    "expm1": floating(expm1),
    "log": floating(np.log),
    "log2": floating(np.log2),
    "log10": floating(np.log10),
    "log1p": floating(np.log1p),
    "sin": floating(np.sin),
    "cos": floating(np.cos),
    "tan": floating(np.tan),
    "asin": floating(np.arcsin),
    "acos": floating(np.arccos),
    "atan": floating(np.arctan),
    "sinh": floating(np.sinh),
    "cosh": floating(np.cosh),
    "tanh": floating(np.tanh),
    "asinh": floating(np.arcsinh),
    "acosh": floating(np.arccosh),
    "atanh": floating(np.arctanh),
    "atan2": binary(np.arctan2),
    "hypot": binary(np.hypot),
    "erf": floating(special.erf),
    "erfc": floating(special.erfc),
    "sigmoid": floating(lambda x: special.expit(x) if x.dtype.kind == "f" else 1 / (1 + np.exp(-x))),
    "logsigmoid": unary(special.log_expit),
    "relu": unary(lambda x: np.maximum(x, 0)),
    "leaky_relu": lambda self, negative_slope=0.01: np.where(self > 0, self, self * negative_slope),
    "elu": elu,
    "silu": unary(lambda x: x * special.expit(x) if x.dtype.kind == "f" else x / (1 + np.exp(-x))),
    "gelu_erf": gelu,
    "gelu_tanh": lambda self: gelu(self, "tanh"),
    "gelu": gelu,
    "softplus": softplus,
    "hardtanh": lambda self, min_val=-1, max_val=1: clip(self, min_val, max_val),
    "floor": unary(np.floor),
    "ceil": unary(np.ceil),
    "round": lambda self, decimals=0: np.round(self, decimals),
    "trunc": unary(np.trunc),
    "frac": unary(lambda x: x - np.trunc(x)),
    "isnan": unary(np.isnan),
    "isinf": unary(np.isinf),
    "isfinite": unary(np.isfinite),
    "conj": unary(lambda x: x if x.dtype == bool else np.conj(x)),
    "real": unary(np.real),
    "real_copy": unary(np.real),
    "imag": unary(np.imag),
    "imag_copy": unary(np.imag),
    "add": lambda self, other, alpha=1: self + alpha * other if alpha != 1 else np.add(self, other),
    "sub": lambda self, other, alpha=1: self - alpha * other,
    "rsub": lambda self, other, alpha=1: other - alpha * self,
    "mul": binary(np.multiply),
    "div": lambda self, other, rounding_mode=None: divide(self, other, rounding_mode),
    "floor_divide": binary(np.floor_divide),
    "trunc_divide": binary(truncated),
    "remainder": binary(np.remainder),
    "fmod": binary(np.fmod),
    "addcmul": lambda self, tensor1, tensor2, value=1: self + value * tensor1 * tensor2,
    "addcdiv": lambda self, tensor1, tensor2, value=1: self + value * tensor1 / tensor2,
    "lerp": lerp,
    "maximum": binary(np.maximum),
    "minimum": binary(np.minimum),
    "fmax": binary(np.fmax),
    "fmin": binary(np.fmin),
    "where": lambda condition, self=None, other=None: (
        np.nonzero(np.atleast_1d(condition)) if self is None else np.where(condition, self, other)
    ),
    "clamp": clip,
    "clamp_both": clip,
    "clamp_min": clip,
    "clamp_max": clip,
    "eq": binary(np.equal),
    "ne": binary(np.not_equal),
    "lt": binary(np.less),
    "le": binary(np.less_equal),
    "gt": binary(np.greater),
    "ge": binary(np.greater_equal),
    "logical_and": binary(np.logical_and),
    "logical_or": binary(np.logical_or),
    "logical_xor": binary(np.logical_xor),
    "logical_not": unary(np.logical_not),
    "bitwise_and": binary(np.bitwise_and),
    "bitwise_or": binary(np.bitwise_or),
    "bitwise_xor": binary(np.bitwise_xor),
    "bitwise_not": unary(np.invert),
    "masked_fill": lambda self, mask, value: np.where(mask, value, self),
    "masked_scale": lambda self, mask, scale: np.where(mask, self * scale, 0),
    "fill_": lambda self, value: np.broadcast_to(value, self.shape),
    "zero_": unary(np.zeros_like),
    "copy_": lambda self, src, non_blocking=False: np.broadcast_to(src, self.shape),
}

REFERENCES: dict[str, Reference] = {
    **ELEMENTWISE,
    **ACTIVATIONS,
    **PARTS,
    **FORMS,
    **SPECIAL,
    **FORMULAS,
    **REDUCTIONS,
    **PAIRS,
    **DISTANCES,
    **COUNTING,
    **SHAPES,
    **JOINING,
    **READING_AND_WRITING,
    **IMAGES,
    **SORTING,
    **STATISTICS,
    **LINALG,
    **DECOMPOSITIONS,
    **LDL,
    **NETWORK,
    **POOLING,
    **SEQUENCES,
    **LOSSES,
    **CTC,
    **FOURIER,
    **COLLECTIVES,
}
