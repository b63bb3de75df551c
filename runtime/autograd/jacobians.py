"""Jacobians of a function in three ways: by backward, by forward mode, and by central differences.

Rows stand for the real components of one input, columns for those of one output.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..tensor import TensorBase, adopt
from .backward import grad
from .dual import dual_level, make_dual, unpack_dual


class GradcheckError(RuntimeError):
    """The gradients that backward gives are not the function's slopes."""


def outputs_of(func: Callable[..., Any], inputs: Sequence[Any]) -> tuple[Any, ...]:
    """The differentiable outputs of one call."""
    found = func(*inputs)
    results = (found,) if isinstance(found, TensorBase) else tuple(found)
    return tuple(r for r in results if isinstance(r, TensorBase) and r._rg)


def real_view(array: np.ndarray) -> np.ndarray:
    """The elements as a flat array of real numbers: real and imaginary parts side by side."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(np.float64) if np.iscomplexobj(flat) else flat.astype(np.float64)


def by_backward(func: Any, inputs: Any, x: Any, j: int, check_dtypes: bool) -> np.ndarray:
    """The Jacobian of output j in `x` by backward."""
    output = outputs_of(func, inputs)[j]
    columns = []
    for v in _basis(output):
        (g,) = grad(output, x, v, retain_graph=True, allow_unused=True)
        if check_dtypes and g is not None and g.dtype is not x.dtype:
            raise GradcheckError(f"Gradient has dtype {g.dtype!r}, but the input has {x.dtype!r}")
        columns.append(real_view(np.zeros(x.shape, x.dtype.np) if g is None else g.detach().array))
    count = real_view(x.detach().array).size
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0))


def by_forward_mode(func: Any, inputs: Any, x: Any, j: int) -> np.ndarray:
    """The Jacobian of output j in `x` by forward mode."""
    rows = []
    for direction in _basis(x):
        with dual_level():
            dual = make_dual(x, direction)
            output = outputs_of(func, [dual if value is x else value for value in inputs])[j]
            _, tangent = unpack_dual(output)
        rows.append(real_view(np.zeros(output.shape, output.dtype.np) if tangent is None else tangent.detach().array))
    return np.stack(rows) if rows else np.zeros((0, real_view(outputs_of(func, inputs)[j].detach().array).size))


def _basis(output: Any) -> list[Any]:
    """Unit output gradients, one per real component."""
    units = [1.0, 1.0j] if output.is_complex() else [1.0]
    found = []
    for k in range(output.numel()):
        for unit in units:
            values = np.zeros(output.numel(), output.dtype.np)
            values[k] = unit
            found.append(adopt(values.reshape(output.shape)))
    return found


def by_differences(func: Any, inputs: Any, x: Any, j: int, eps: float) -> np.ndarray:
    """The Jacobian of output j in `x` by central differences."""
    rows = []
    steps = (eps, eps * 1j) if x.is_complex() else (eps,)
    for index in np.ndindex(*x.shape):
        for step in steps:
            rows.append((_at(func, inputs, x, j, index, step) - _at(func, inputs, x, j, index, -step)) / (2 * eps))
    if not rows:
        return np.zeros((0, real_view(outputs_of(func, inputs)[j].detach().array).size))
    return np.stack(rows)


def _at(func: Any, inputs: Any, x: Any, j: int, index: tuple[int, ...], step: complex) -> np.ndarray:
    """Output j with one component of x moved by `step`."""
    array = x.detach().array
    before = array[index]
    try:
        array[index] = before + step
        found = outputs_of(func, inputs)
    finally:
        array[index] = before
    return real_view(found[j].detach().array).copy()
