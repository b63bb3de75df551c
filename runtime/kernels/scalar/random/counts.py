"""Random counts, Poisson and binomial, and gamma numbers, in float64: by searching along a distribution or rejection.
That of counts is Hoermann's: "The transformed rejection method for generating Poisson random variables" and "The
generation of binomial random variates" (both 1993), that of gamma numbers Marsaglia's and Tsang's, "A simple method for
generating gamma variables" (2000). Each element makes its attempts with words of its own (`philox.attempt`)."""

import math
from typing import Any

import numpy as np

from ....compiler.passes.primitives import pick, root
from ..exp import exp
from ..log import log, log1p
from .philox import attempt, exponential_double, normal_double, uniform_double

# log k! - ((k + 1/2) log k - k + log(2 pi) / 2), k = 0 to 15; that of 0 stands for nothing
REST_OF_FACTORIAL = (
    0.0, 0.08106146679532726, 0.0413406959554093, 0.02767792568499834,
    0.020790672103765093, 0.016644691189821193, 0.013876128823070748, 0.01189670994589177,
    0.010411265261972096, 0.009255462182712733, 0.00833056343336287, 0.007573675487951841,
    0.00694284010720953, 0.006408994188004207, 0.0059513701127588475, 0.005554733551962801,
)  # fmt: skip
TWO_PI = 6.283185307179586
REJECTION_THRESHOLD = 10.0  # expected: below, a search takes fewer steps than rejection
NO_MORE = 2.0**-60  # of the sum so far: what follows does not change it


def poisson(seed: Any, counter: Any, rate: Any) -> Any:
    """A number of events where `rate` are expected."""
    return poisson_search(seed, counter, rate) if rate < REJECTION_THRESHOLD else poisson_rejection(seed, counter, rate)


def poisson_search(seed: Any, counter: Any, rate: Any) -> Any:
    u = uniform_double(np.int64(attempt(seed, counter, 0)[0]))
    k, mass = 0.0, exp(-rate)
    total = mass
    while u >= total and mass > NO_MORE * total:
        k += 1.0
        mass *= rate / k
        total += mass
    return k


def poisson_rejection(seed: Any, counter: Any, rate: Any) -> Any:
    width = 0.931 + 2.53 * root(rate)
    coefficient = 0.02483 * width - 0.059
    top, scale = 0.9277 - 3.6224 / (width - 2.0), 1.1239 + 1.1328 / (width - 3.4)
    tries = 0
    while True:
        four = attempt(seed, counter, tries)
        tries += 1
        u, v = uniform_double(np.int64(four[0])) - 0.5, uniform_double(np.int64(four[1]))
        edge = 0.5 - abs(u)
        k = math.floor((2.0 * coefficient / edge + width) * u + rate + 0.43) if edge > 0 else -1.0
        if edge >= 0.07 and v <= top:
            return np.float64(k)
        if k >= 0 and log(v * scale / (coefficient / (edge * edge) + width)) <= log_poisson(np.float64(k), rate):
            return np.float64(k)


def log_poisson(k: Any, rate: Any) -> Any:
    """The logarithm of e^-rate rate^k / k!, after Loader: no large numbers cancel."""
    if k == 0:
        return -rate
    return -deviance(k, rate) - rest_of_factorial(k) - 0.5 * log(TWO_PI * k)


def deviance(k: Any, mean: Any) -> Any:
    y = (k - mean) / mean
    return mean * ((1.0 + y) * log1p(y) - y)


def rest_of_factorial(k: Any) -> Any:
    """log k! without the first terms of Stirling's series, for k > 0."""
    if k < 16.0:
        return pick(REST_OF_FACTORIAL, np.int64(k))
    part = 1.0 / (k * k)
    return (1.0 / 12.0 - (1.0 / 360.0 - part / 1260.0) * part) / k


def binomial(seed: Any, counter: Any, trials: Any, value: Any) -> Any:
    """A number of successes in so many trials, rounded down; a chance outside of [0, 1] is the nearer bound."""
    count, chance = np.float64(math.floor(trials)), min(max(value, 0.0), 1.0)
    rare = chance if chance <= 0.5 else 1.0 - chance
    uses_search = count * rare < REJECTION_THRESHOLD
    result = (
        binomial_search(seed, counter, count, rare) if uses_search else binomial_rejection(seed, counter, count, rare)
    )
    return result if chance <= 0.5 else count - result


def binomial_search(seed: Any, counter: Any, count: Any, chance: Any) -> Any:
    u = uniform_double(np.int64(attempt(seed, counter, 0)[0]))
    k, mass, odds = 0.0, exp(count * log1p(-chance)), chance / (1.0 - chance)
    total = mass
    while u >= total and mass > NO_MORE * total and k < count:
        mass *= odds * (count - k) / (k + 1.0)
        k += 1.0
        total += mass
    return k


def binomial_rejection(seed: Any, counter: Any, count: Any, chance: Any) -> Any:
    std = root(count * chance * (1.0 - chance))
    width = 1.15 + 2.53 * std
    coefficient, top = 0.0248 * width + 0.01 * chance - 0.0873, 0.92 - 4.2 / width
    mode_estimate = count * chance + 0.5
    tries = 0
    while True:
        four = attempt(seed, counter, tries)
        tries += 1
        u, v = uniform_double(np.int64(four[0])) - 0.5, uniform_double(np.int64(four[1]))
        edge = 0.5 - abs(u)
        k = math.floor((2.0 * coefficient / edge + width) * u + mode_estimate) if edge > 0 else -1.0
        if edge >= 0.07 and v <= top:
            return np.float64(k)
        if 0 <= k <= count:
            height = v * (2.83 + 5.1 / width) * std / (coefficient / (edge * edge) + width)
            mode = math.floor((count + 1.0) * chance)
            if log(height) <= log_binomial(k, count, chance) - log_binomial(mode, count, chance):
                return np.float64(k)


def log_binomial(successes: Any, count: Any, chance: Any) -> Any:
    k = np.float64(successes)
    others = count - k
    if k == 0 or others == 0:
        return count * (log1p(-chance) if k == 0 else log(chance))
    rest = rest_of_factorial(count) - rest_of_factorial(k) - rest_of_factorial(others)
    total_deviance = deviance(k, count * chance) + deviance(others, count * (1.0 - chance))
    return rest - total_deviance + 0.5 * log(count / (TWO_PI * k * others))


def log_gamma_number(seed: Any, counter: Any, shape: Any) -> Any:
    """The logarithm of a number of the density x^(shape - 1) e^-x / gamma(shape): small shapes give tiny numbers. One
    of shape + 1 times the root of degree `shape` of a uniform number has it."""
    if not shape > 0:
        return -math.inf if shape == 0 else math.nan
    mean = shape + 2.0 / 3.0 if shape < 1 else shape - 1.0 / 3.0
    width = 1.0 / (3.0 * root(mean))
    tries = 0
    while True:
        four = attempt(seed, counter, tries)
        tries += 1
        x = normal_double(np.int64(four[0]))
        side = 1.0 + width * x
        cube = 3.0 * log(side) if side > 0 else -math.inf
        if -exponential_double(np.int64(four[1])) < 0.5 * x * x + mean * (1.0 - side * side * side + cube):
            result = log(mean) + cube
            return result - exponential_double(np.int64(four[2])) / shape if shape < 1 else result
