"""Numerical checks of gradients: `gradcheck` compares backward with central differences, `gradgradcheck` once more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dtypes import float64
from ..tensor import TensorBase, adopt
from .backward import grad


class GradcheckError(RuntimeError):
    """The gradients that backward gives are not the function's slopes."""


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 0.001,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
) -> bool:
    """Check backward's Jacobian against central differences (f(x + eps) - f(x - eps)) / (2 eps).

    Args:
        func: a function of tensors to one tensor or several.
        inputs: a Tensor or a tuple; those that require grad are checked and should be float64 or complex128.
        eps: the step of the differences.
        atol, rtol: allowed error: |a - n| <= atol + rtol |n|.
        raise_exception: raise GradcheckError with both Jacobians; else return False.
        nondet_tol: how much two backward runs may differ.
        check_undefined_grad: also run backward with missing output gradients.
        check_grad_dtypes: also require that gradients have the dtype of their inputs.

    Raises:
        RuntimeError: (GradcheckError) the Jacobians differ.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([0.3, -1.2], dtype=sg.float64, requires_grad=True)
        >>> sg.autograd.gradcheck(sg.tanh, x)
        True
    """
    given = (inputs,) if isinstance(inputs, TensorBase) else tuple(inputs)
    try:
        _check(func, given, eps, atol, rtol, nondet_tol, check_grad_dtypes)
        if check_undefined_grad:
            _check_undefined(func, given)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 0.001,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = False,
    gen_non_contig_grad_outputs: bool = False,
) -> bool:
    """Check the gradients of the gradients: `gradcheck` of the function from (inputs, output gradients) to gradients.

    Args:
        func, inputs: as of `gradcheck`; the function's gradients are recorded and must differentiate again.
        grad_outputs: the gradients of the outputs, with respect to which is differentiated too; random when not given.
        eps, atol, rtol, raise_exception, nondet_tol, check_undefined_grad: as of `gradcheck`.
        gen_non_contig_grad_outputs: accepted for PyTorch's sake; without effect.

    Raises:
        RuntimeError: (GradcheckError) the second derivatives are wrong.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([0.3, -1.2], dtype=sg.float64, requires_grad=True)
        >>> sg.autograd.gradgradcheck(sg.tanh, x)
        True
    """
    given = (inputs,) if isinstance(inputs, TensorBase) else tuple(inputs)
    outputs = _outputs(func, given)
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        grad_outputs = tuple(_random_like(o, rng).requires_grad_() for o in outputs)
    elif isinstance(grad_outputs, TensorBase):
        grad_outputs = (grad_outputs,)

    def gradients(*args: Any) -> Any:
        xs, vs = args[: len(given)], args[len(given) :]
        results = _outputs(func, xs)
        wanted = tuple(x for x in xs if isinstance(x, TensorBase) and x._rg)
        found = grad(results, wanted, vs, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None and g.requires_grad)

    return gradcheck(
        gradients,
        (*given, *grad_outputs),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
    )


def _outputs(func: Callable[..., Any], inputs: Sequence[Any]) -> tuple[Any, ...]:
    """The differentiable outputs of one call."""
    found = func(*inputs)
    results = (found,) if isinstance(found, TensorBase) else tuple(found)
    return tuple(r for r in results if isinstance(r, TensorBase) and r._rg)


def _random_like(t: Any, rng: np.random.Generator) -> Any:
    values = rng.standard_normal(t.shape)
    if t.is_complex():
        values = values + 1j * rng.standard_normal(t.shape)
    return adopt(np.asarray(values), t.dtype)


def _check(func: Any, inputs: Any, eps: float, atol: float, rtol: float, nondet: float, check_dtypes: bool) -> None:
    wanted = [x for x in inputs if isinstance(x, TensorBase) and x._rg]
    if not wanted:
        raise ValueError("gradcheck(): expected at least one input that requires grad")
    for x in wanted:
        if x.dtype.to_real() is not float64:
            raise ValueError(f"gradcheck(): expected inputs of double precision, but got {x.dtype!r}")
    outputs = _outputs(func, inputs)
    for i, x in enumerate(wanted):
        for j in range(len(outputs)):
            analytical = _analytical(func, inputs, x, j, check_dtypes)
            if (
                nondet < np.inf
                and analytical.size
                and _differs(analytical, _analytical(func, inputs, x, j, False), nondet)
            ):
                raise GradcheckError(f"Backward is not reentrant: two runs differ for output {j}, input {i}")
            _compare(analytical, _numerical(func, inputs, x, j, eps), atol, rtol, i, j)


def _differs(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    return bool(np.nanmax(np.abs(a - b)) > tolerance)


def _compare(analytical: np.ndarray, numerical: np.ndarray, atol: float, rtol: float, i: int, j: int) -> None:
    if np.allclose(analytical, numerical, rtol=rtol, atol=atol, equal_nan=True):
        return
    error = np.abs(analytical - numerical)
    worst = np.unravel_index(np.nanargmax(error), error.shape)
    raise GradcheckError(
        f"Jacobian mismatch for output {j} with respect to input {i},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
        f"worst entry {tuple(map(int, worst))}: {analytical[worst]} is not {numerical[worst]}"
    )


def real_view(array: np.ndarray) -> np.ndarray:
    """The elements as a flat array of real numbers: real and imaginary parts side by side."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(np.float64) if np.iscomplexobj(flat) else flat.astype(np.float64)


def _analytical(func: Any, inputs: Any, x: Any, j: int, check_dtypes: bool) -> np.ndarray:
    """Rows: real components of x; columns: real components of output j."""
    output = _outputs(func, inputs)[j]
    columns = []
    for v in _basis(output):
        (g,) = grad(output, x, v, retain_graph=True, allow_unused=True)
        if check_dtypes and g is not None and g.dtype is not x.dtype:
            raise GradcheckError(f"Gradient has dtype {g.dtype!r}, but the input has {x.dtype!r}")
        columns.append(real_view(np.zeros(x.shape, x.dtype.np) if g is None else g.detach().array))
    count = real_view(x.detach().array).size
    return np.stack(columns, axis=1) if columns else np.zeros((count, 0))


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


def _numerical(func: Any, inputs: Any, x: Any, j: int, eps: float) -> np.ndarray:
    rows = []
    steps = (eps, eps * 1j) if x.is_complex() else (eps,)
    for index in np.ndindex(*x.shape):
        for step in steps:
            rows.append((_at(func, inputs, x, j, index, step) - _at(func, inputs, x, j, index, -step)) / (2 * eps))
    if not rows:
        return np.zeros((0, real_view(_outputs(func, inputs)[j].detach().array).size))
    return np.stack(rows)


def _at(func: Any, inputs: Any, x: Any, j: int, index: tuple[int, ...], step: complex) -> np.ndarray:
    """Output j with one component of x moved by `step`."""
    array = x.detach().array
    before = array[index]
    try:
        array[index] = before + step
        found = _outputs(func, inputs)
    finally:
        array[index] = before
    return real_view(found[j].detach().array).copy()


def _check_undefined(func: Any, inputs: Any) -> None:
    """With several outputs, leaving out the gradient of one must equal giving zeros for it."""
    wanted = tuple(x for x in inputs if isinstance(x, TensorBase) and x._rg)
    outputs = _outputs(func, inputs)
    if len(outputs) < 2:
        return
    rng = np.random.default_rng(0)
    vs = [_random_like(o, rng) for o in outputs]
    for missing in range(len(outputs)):
        kept = [k for k in range(len(outputs)) if k != missing]
        alone = grad([outputs[k] for k in kept], wanted, [vs[k] for k in kept], retain_graph=True, allow_unused=True)
        zeros = [v * 0 if k == missing else v for k, v in enumerate(vs)]
        full = grad(list(outputs), wanted, zeros, retain_graph=True, allow_unused=True)
        for i, (a, b) in enumerate(zip(alone, full, strict=True)):
            left = 0.0 if a is None else a.array
            right = 0.0 if b is None else b.array
            if not np.allclose(left, right, equal_nan=True):
                raise GradcheckError(f"input {i}: an undefined gradient of output {missing} is not the same as zeros")
