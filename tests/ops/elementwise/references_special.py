"""References of special functions, from SciPy."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special


def floating(x: Any) -> Any:
    """Integers and bools as floats."""
    return x if np.asarray(x).dtype.kind in "fc" else np.asarray(x, np.float64)


def of_floats(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reference that computes in floats whatever it is given."""

    def reference(**arguments: Any) -> Any:
        names = {"self": "x", "other": "y"}
        given = {names.get(k, k): v if isinstance(v, int | float) else floating(v) for k, v in arguments.items()}
        return function(**given)

    return reference


def logit(x: Any, eps: float | None = None) -> Any:
    """The inverse of the logistic function, of numbers limited to [eps, 1 - eps]."""
    return special.logit(x if eps is None else np.clip(x, eps, 1 - eps))


def sinc(x: Any) -> Any:
    """sin(pi x) / (pi x)."""
    return np.sinc(x)


SPECIAL: dict[str, Callable[..., Any]] = {
    "xlogy": of_floats(lambda x, y: special.xlogy(x, y)),
    "xlog1py": of_floats(lambda x, y: special.xlog1py(x, y)),
    "logaddexp": of_floats(lambda x, y: special.logsumexp(np.stack(np.broadcast_arrays(x, y)), axis=0)),
    "logaddexp2": of_floats(lambda x, y: np.logaddexp2(x, y)),
    "logit": of_floats(logit),
    "log_odds": of_floats(logit),
    "entr": of_floats(lambda x: special.entr(x)),
    "sinc": of_floats(sinc),
    "erfinv": of_floats(lambda x: special.erfinv(x)),
    "erfcx": of_floats(lambda x: special.erfcx(x)),
    "ndtr": of_floats(lambda x: special.ndtr(x)),
    "ndtri": of_floats(lambda x: special.ndtri(x)),
    "log_ndtr": of_floats(lambda x: special.log_ndtr(x)),
    "lgamma": of_floats(lambda x: special.gammaln(x)),
    "mvlgamma": of_floats(lambda x, p: np.vectorize(lambda v: special.multigammaln(v, p))(x)),
    "digamma": of_floats(lambda x: special.digamma(x)),
    "polygamma": of_floats(lambda x, n: special.digamma(x) if n == 0 else polygamma(n, x)),
    "zeta": of_floats(lambda x, y: special.zeta(x, y)),
    "igamma": of_floats(lambda x, y: special.gammainc(x, y)),
    "igammac": of_floats(lambda x, y: special.gammaincc(x, y)),
    "i0": of_floats(lambda x: special.i0(x)),
    "i0e": of_floats(lambda x: special.i0e(x)),
    "i1": of_floats(lambda x: special.i1(x)),
    "i1e": of_floats(lambda x: special.i1e(x)),
    "bessel_j0": of_floats(lambda x: special.j0(x)),
    "airy_ai": of_floats(lambda x: special.airy(x)[0]),
    "modified_bessel_k0": of_floats(lambda x: special.k0(x)),
    "modified_bessel_k1": of_floats(lambda x: special.k1(x)),
    "scaled_modified_bessel_k0": of_floats(lambda x: special.k0e(x)),
    "scaled_modified_bessel_k1": of_floats(lambda x: special.k1e(x)),
    "spherical_bessel_j0": of_floats(lambda x: special.spherical_jn(0, x)),
    "bessel_j1": of_floats(lambda x: special.j1(x)),
    "bessel_y0": of_floats(lambda x: special.y0(x)),
    "bessel_y1": of_floats(lambda x: special.y1(x)),
}


def polygamma(n: int, x: Any) -> Any:
    """The trigamma function of negative numbers by its reflection, which SciPy has not."""
    positive = special.polygamma(n, np.where(x > 0, x, 1 - x))
    return np.where(x > 0, positive, (np.pi / np.sin(np.pi * x)) ** 2 - positive)
