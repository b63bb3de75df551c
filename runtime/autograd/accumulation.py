"""Adding gradients up at a leaf, also where several threads run backward over it at the same time."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from ..kernels.jit import jit
from .grad_mode import mode

_adding = threading.Lock()


def accumulate(leaf: Any, grad: Any, owned: bool) -> None:
    """Add to `leaf.grad`: take the gradient itself where nobody else can hold it, else a copy."""
    if leaf._grad is None:
        if not (mode.grad or (owned and grad._base is None and grad._fn is None)):
            grad = grad.detach().clone()
        if leaf._grad is None:  # no other thread has come first meanwhile
            leaf._grad = grad
            return
    if mode.grad:
        leaf._grad = leaf._grad + grad
    else:
        add_to(leaf._grad, grad)


def add_to(held: Any, grad: Any) -> None:
    """held += grad, without the in-place op's checks where both are plain arrays of one dtype."""
    a, b = held._flat, grad._flat
    if a is not None and b is not None and held._dtype is grad._dtype and held._dtype.native:
        add_into(a, b)
        held._bump_version("backward")
    else:
        with _adding:
            held.add_(grad)


@jit(nogil=False)
def add_into(total: np.ndarray, part: np.ndarray) -> None:
    """total += part; the interpreter lock is kept, so that no other thread adds at the same time."""
    for i in range(total.size):
        total[i] += part[i]
