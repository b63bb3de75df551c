"""Update rules of optimizers as their papers state them, in NumPy: `rule(start, gradients, **options)`."""

from typing import Any

import numpy as np


def _uphill(p: Any, g: Any, o: dict[str, Any]) -> Any:
    return (-g if o.get("maximize") else g) + o.get("weight_decay", 0) * p


def _decoupled(p: Any, g: Any, o: dict[str, Any], lr: float) -> tuple[Any, Any]:
    """The parameter after decay, and the gradient, for rules with `decoupled_weight_decay`."""
    if not o.get("decoupled_weight_decay"):
        return p, _uphill(p, g, o)
    return p * (1 - lr * o["weight_decay"]), -g if o.get("maximize") else g


def rmsprop(p: Any, grads: Any, lr: float = 0.01, alpha: float = 0.99, eps: float = 1e-8, **o: Any) -> Any:
    v = a = b = 0 * p
    for g in grads:
        g = _uphill(p, g, o)
        v = alpha * v + (1 - alpha) * g**2
        a = alpha * a + (1 - alpha) * g
        d = g / (np.sqrt(v - a**2 if o.get("centered") else v) + eps)
        b = o.get("momentum", 0) * b + d
        p = p - lr * b
    return p


def adagrad(p: Any, grads: Any, lr: float = 0.01, lr_decay: float = 0, eps: float = 1e-10, **o: Any) -> Any:
    s = 0 * p + o.get("initial_accumulator_value", 0)
    for t, g in enumerate(grads):
        g = _uphill(p, g, o)
        s = s + g**2
        p = p - lr / (1 + t * lr_decay) * g / (np.sqrt(s) + eps)
    return p


def adadelta(p: Any, grads: Any, lr: float = 1.0, rho: float = 0.9, eps: float = 1e-6, **o: Any) -> Any:
    v = u = 0 * p
    for g in grads:
        g = _uphill(p, g, o)
        v = rho * v + (1 - rho) * g**2
        d = np.sqrt(u + eps) / np.sqrt(v + eps) * g
        u = rho * u + (1 - rho) * d**2
        p = p - lr * d
    return p


def adamax(p: Any, grads: Any, lr: float = 2e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, **o: Any) -> Any:
    m = u = 0 * p
    for t, g in enumerate(grads, 1):
        g = _uphill(p, g, o)
        m = betas[0] * m + (1 - betas[0]) * g
        u = np.maximum(betas[1] * u, abs(g) + eps)
        p = p - lr / (1 - betas[0] ** t) * m / u
    return p


def nadam(p: Any, grads: Any, lr: float = 2e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, **o: Any) -> Any:
    m = v = 0 * p
    decay = o.get("momentum_decay", 4e-3)
    mu = [betas[0] * (1 - 0.5 * 0.96 ** (t * decay)) for t in range(len(grads) + 2)]
    for t, g in enumerate(grads, 1):
        p, g = _decoupled(p, g, o, lr)
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g**2
        ahead = mu[t + 1] * m / (1 - np.prod(mu[1 : t + 2])) + (1 - mu[t]) * g / (1 - np.prod(mu[1 : t + 1]))
        p = p - lr * ahead / (np.sqrt(v / (1 - betas[1] ** t)) + eps)
    return p


def radam(p: Any, grads: Any, lr: float = 1e-3, betas: Any = (0.9, 0.999), eps: float = 1e-8, **o: Any) -> Any:
    m = v = 0 * p
    max_count = 2 / (1 - betas[1]) - 1
    for t, g in enumerate(grads, 1):
        p, g = _decoupled(p, g, o, lr)
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g**2
        step = lr * m / (1 - betas[0] ** t)
        rho = max_count - 2 * t * betas[1] ** t / (1 - betas[1] ** t)
        if rho > 5:
            r = np.sqrt((rho - 4) * (rho - 2) * max_count / ((max_count - 4) * (max_count - 2) * rho))
            step = step * r * np.sqrt(1 - betas[1] ** t) / (np.sqrt(v) + eps)
        p = p - step
    return p


def asgd(p: Any, grads: Any, lr: float = 0.01, lambd: float = 1e-4, alpha: float = 0.75, **o: Any) -> Any:
    eta = lr
    for t, g in enumerate(grads, 1):
        g = _uphill(p, g, o)
        p = p * (1 - lambd * eta) - eta * g
        eta = lr / (1 + lambd * lr * t) ** alpha
    return p


def rprop(p: Any, grads: Any, lr: float = 0.01, etas: Any = (0.5, 1.2), **o: Any) -> Any:
    before, size = 0 * p, 0 * p + lr
    for g in grads:
        g = -g if o.get("maximize") else g
        change = np.where(g * before > 0, etas[1], np.where(g * before < 0, etas[0], 1.0))
        size = np.clip(size * change, *o.get("step_sizes", (1e-6, 50)))
        before = np.where(g * before < 0, 0, g)
        p = p - np.sign(before) * size
    return p


def adafactor(p: Any, grads: Any, lr: float = 0.01, eps: Any = (None, 1e-3), d: float = 1.0, **o: Any) -> Any:
    """For matrices."""
    rows = columns = 0.0
    min_value = np.finfo(p.dtype).eps if eps[0] is None else eps[0]
    for t, g in enumerate(grads, 1):
        g = -g if o.get("maximize") else g
        new = t ** o.get("beta2_decay", -0.8)
        step = max(eps[1], np.sqrt(np.mean(p**2))) * min(lr, t**-0.5)
        p = p * (1 - lr * o.get("weight_decay", 0))
        rows = (1 - new) * rows + new * np.mean(g**2, axis=1)
        columns = (1 - new) * columns + new * np.mean(g**2, axis=0)
        u = g / np.maximum(np.sqrt(np.outer(rows, columns) / max(np.mean(rows), min_value)), min_value)
        p = p - step * u / max(1.0, np.sqrt(np.mean(u**2)) / d)
    return p
