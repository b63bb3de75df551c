"""Numerical checks of gradients: `gradcheck` compares backward with central differences, `gradgradcheck` once more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..dtypes import float64
from ..tensor import TensorBase, adopt
from .backward import grad
from .jacobians import GradcheckError, by_backward, by_differences, by_forward_mode, outputs_of


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
    check_batched_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
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
        check_forward_ad: also compare forward mode's Jacobian.
        check_backward_ad: compare backward's Jacobian.
        fast_mode: accepted for PyTorch's sake; the whole Jacobian is compared all the same.
        masked, check_batched_grad: about sparse tensors and batches of gradients, of which there are none.

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
        if check_backward_ad:
            _check(func, given, eps, atol, rtol, nondet_tol, check_grad_dtypes)
        if check_forward_ad:
            _check_forward(func, given, eps, atol, rtol)
        if check_backward_ad and check_undefined_grad:
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
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = False,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Check the gradients of the gradients: `gradcheck` of the function from (inputs, output gradients) to gradients.

    Args:
        func, inputs: as of `gradcheck`; the function's gradients are recorded and must differentiate again.
        grad_outputs: the gradients of the outputs, with respect to which is differentiated too; random when not given.
        gen_non_contig_grad_outputs: accepted for PyTorch's sake; without effect.
        eps, atol, rtol, raise_exception, nondet_tol, check_undefined_grad, check_grad_dtypes: as of `gradcheck`.
        check_batched_grad, fast_mode, masked: as of `gradcheck`.

    Raises:
        RuntimeError: (GradcheckError) the second derivatives are wrong.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([0.3, -1.2], dtype=sg.float64, requires_grad=True)
        >>> sg.autograd.gradgradcheck(sg.tanh, x)
        True
    """
    given = (inputs,) if isinstance(inputs, TensorBase) else tuple(inputs)
    outputs = outputs_of(func, given)
    if grad_outputs is None:
        rng = np.random.default_rng(0)
        grad_outputs = tuple(_random_like(o, rng).requires_grad_() for o in outputs)
    elif isinstance(grad_outputs, TensorBase):
        grad_outputs = (grad_outputs,)

    def gradients(*args: Any) -> Any:
        xs, vs = args[: len(given)], args[len(given) :]
        results = outputs_of(func, xs)
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
        check_grad_dtypes=check_grad_dtypes,
    )


def _random_like(t: Any, rng: np.random.Generator) -> Any:
    values = rng.standard_normal(t.shape)
    if t.is_complex():
        values = values + 1j * rng.standard_normal(t.shape)
    return adopt(np.asarray(values), t.dtype)


def _wanted(inputs: Sequence[Any]) -> list[Any]:
    """The inputs with respect to which is differentiated."""
    wanted = [x for x in inputs if isinstance(x, TensorBase) and x._rg]
    if not wanted:
        raise ValueError("gradcheck(): expected at least one input that requires grad")
    for x in wanted:
        if x.dtype.to_real() is not float64:
            raise ValueError(f"gradcheck(): expected inputs of double precision, but got {x.dtype!r}")
    return wanted


def _check(func: Any, inputs: Any, eps: float, atol: float, rtol: float, nondet: float, check_dtypes: bool) -> None:
    wanted = _wanted(inputs)
    outputs = outputs_of(func, inputs)
    for i, x in enumerate(wanted):
        for j in range(len(outputs)):
            analytical = by_backward(func, inputs, x, j, check_dtypes)
            if (
                nondet < np.inf
                and analytical.size
                and _differs(analytical, by_backward(func, inputs, x, j, False), nondet)
            ):
                raise GradcheckError(f"Backward is not reentrant: two runs differ for output {j}, input {i}")
            _compare(analytical, by_differences(func, inputs, x, j, eps), atol, rtol, i, j)


def _check_forward(func: Any, inputs: Any, eps: float, atol: float, rtol: float) -> None:
    for i, x in enumerate(_wanted(inputs)):
        for j in range(len(outputs_of(func, inputs))):
            _compare(by_forward_mode(func, inputs, x, j), by_differences(func, inputs, x, j, eps), atol, rtol, i, j)


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


def _check_undefined(func: Any, inputs: Any) -> None:
    """With several outputs, leaving out the gradient of one must equal giving zeros for it."""
    wanted = tuple(x for x in inputs if isinstance(x, TensorBase) and x._rg)
    outputs = outputs_of(func, inputs)
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
