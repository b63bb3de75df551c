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


def standard_gamma_grad_by_shape(self, output):
    n = np.arange(300.0)
    a = self[..., None]
    log_x = np.log(output)[..., None]
    parts = np.exp(n * log_x + scipy.special.gammaln(a) - scipy.special.gammaln(a + n + 1))
    level = scipy.special.digamma(a + n + 1)
    falls = (level - scipy.special.digamma(a)) * (level - log_x)
    return output * np.sum(parts * (scipy.special.polygamma(1, a + n + 1) - falls), -1)


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


def sinc_derivative(n, self):
    rule = scipy.special.roots_legendre(60)
    angle = np.pi * (rule[0] + 1) / 2
    wave = np.sin if n % 2 else np.cos
    near = (-1.0) ** ((n + 1) // 2) * np.sum(rule[1] / 2 * angle**n * wave(angle * self[..., None]), -1)
    k = np.arange(n + 1)
    factors = (-1.0) ** k * scipy.special.binom(n, k) * scipy.special.factorial(k) * np.pi ** (n - k - 1.0)
    turn = self - 2 * np.floor(self.real / 2)
    sines = np.sin(np.pi * (turn[..., None] + (n - k) / 2))
    far = np.sum(factors * sines / np.where(np.abs(self) < 8, 8, self)[..., None] ** (k + 1), -1)
    return np.where(np.abs(self) < 8, near, far)


def erfcx_derivative(n, self):
    rule = scipy.special.roots_legendre(200)
    reach = np.where(self > 0, 50 / (self + np.hypot(self, 50**0.5)), 7 - self)[..., None]
    t = reach * (rule[0] + 1) / 2
    return np.sum(reach * rule[1] * (-2 * t) ** n * np.exp(-t * (t + 2 * self[..., None])), -1) / np.pi**0.5


def erfc_ratio(n, self):
    rule = scipy.special.roots_legendre(200)
    reach = np.where(self > 0, 50 / (self + np.hypot(self, 50**0.5)), 7 - self)[..., None]
    t = reach * (rule[0] + 1) / 2
    moment = lambda k: np.sum(rule[1] * t**k * np.exp(-t * (t + 2 * self[..., None])), -1)
    return moment(n) / (n * moment(n - 1))


def i1e_derivative(n, self):
    x = np.abs(self)
    of = lambda k: (-2.0) ** k * scipy.special.poch(1.5, k) / scipy.special.poch(3, k)
    f = lambda k: of(k) * scipy.special.hyp1f1(1.5 + k, 3.0 + k, -2 * x)
    return (x * f(n) + n * f(n - 1)) / 2


def k0e_derivative(n, self):
    rule = scipy.special.roots_legendre(200)
    reach = np.arccosh(1 + 50 / self)[..., None]
    rise = 2 * np.sinh(reach * (rule[0] + 1) / 4) ** 2
    return np.sum(reach / 2 * rule[1] * (-rise) ** n * np.exp(-self[..., None] * rise), -1)


def spherical_bessel_j0_derivative(n, self):
    k = np.arange(n % 2, n + 1, 2)
    factors = scipy.special.factorial(n) / (2.0 ** ((n - k) // 2) * scipy.special.factorial((n - k) // 2))
    weights = (-1.0) ** ((n + k) // 2) * (2 * k + 1) / scipy.special.factorial2(n + k + 1)
    return np.sum(factors * weights * scipy.special.spherical_jn(k, self[..., None]), -1)
