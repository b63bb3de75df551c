"""References of the section special of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np
import scipy


def orthogonal_polynomial(self, n, kind, order):
    x = 2.0 * self - 1 if kind >= 8 else self * 1.0
    m = np.trunc(n).astype(int)
    u = lambda k: np.where(k < 0, 0, scipy.special.eval_chebyu(np.maximum(k, 0), x))
    of = np.maximum(m, 0)
    each = [
        scipy.special.eval_chebyt(of, x),
        u(m),
        u(m) - u(m - 1),
        u(m) + u(m - 1),
        scipy.special.eval_hermite(of, x),
        scipy.special.eval_hermitenorm(of, x),
        scipy.special.eval_genlaguerre(of, order, x),
        scipy.special.eval_gegenbauer(of, order, x),
    ]
    return np.where(m < 0, 0.0, each[kind % 8])


def standard_gamma_grad(self, output):
    n = np.arange(300.0)
    a = self[..., None]
    log_x = np.log(output)[..., None]
    parts = np.exp(n * log_x + scipy.special.gammaln(a) - scipy.special.gammaln(a + n + 1))
    return output * np.sum(parts * (scipy.special.digamma(a + n + 1) - log_x), -1)


def dirichlet_grad(x, alpha, total):
    n = np.arange(300.0)
    a = alpha[..., None]
    both = total[..., None]
    level = lambda n: scipy.special.digamma(a + n + 1) - scipy.special.digamma(both + n) - np.log(x)[..., None]
    rises = np.cumprod(x[..., None] * (both + n) / (a + n + 1), -1)
    series = x / alpha * (level(0)[..., 0] + np.sum(rises * level(n + 1), -1))
    return np.where((x >= 0) & (x <= 1) & (alpha > 0) & (total > 0), np.where(total > alpha, series, 0), np.nan)


def von_mises_grad(x, concentration):
    k = np.arange(4001.0)
    weights = (2 + 2 * (k % 2) - (k == 0) - (k == 4000)) / 12000
    angle = x[..., None] * k / 4000
    rise = np.exp(concentration[..., None] * (np.cos(angle) - np.cos(x)[..., None]))
    mean = scipy.special.i1e(concentration) / scipy.special.i0e(concentration)
    return x * np.sum(weights * rise * (mean[..., None] - np.cos(angle)), -1)
