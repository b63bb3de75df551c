"""`gradcheck`: the Jacobians that backward and forward mode give against central differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...errors import RefusedValueError
from .case import checked_case
from .report import GradcheckError, Tolerance
from .run import Checks, run


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
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Check gradients against central differences: |J - (f(x + eps) - f(x - eps)) / (2 eps)| <= atol + rtol |J|.

    A complex output counts as two real ones, its real and its imaginary part; the gradient in a complex input x + iy
    is ds/dx + i ds/dy.

    Args:
        func: a function of tensors to one tensor or several.
        inputs: a Tensor or a tuple; those that require grad are checked and should be float64 or complex128.
        eps: the step of the differences.
        atol, rtol: the allowed error of each entry.
        raise_exception: raise GradcheckError with both Jacobians and the worst entry; else return False.
        nondet_tol: how much two backward runs may differ.
        check_undefined_grad: check that missing gradients of outputs, and missing tangents, count as zeros.
        check_grad_dtypes: also require that gradients have the dtype of their inputs.
        check_batched_grad: check that backward under `vmap` gives what a loop gives.
        check_batched_forward_grad: check that forward mode under `vmap` gives what a loop gives.
        check_forward_ad: compare the Jacobian of forward mode.
        check_backward_ad: compare the Jacobian of backward.
        fast_mode: compare u^T J v for random vectors u, v instead of all entries.
        masked: about sparse tensors, of which there are none.

    Returns:
        True if all checks hold.

    Raises:
        GradcheckError: one does not; a RuntimeError.
        ValueError: no input requires grad.
        RuntimeError: elements of an input share their memory.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([0.3, -1.2], dtype=sg.float64, requires_grad=True)
        >>> sg.autograd.gradcheck(sg.tanh, x, check_forward_ad=True)
        True
    """
    require(check_forward_ad or check_backward_ad, "Expected at least one of check_forward_ad or check_backward_ad")
    require(check_backward_ad or not check_batched_grad, "Setting check_batched_grad=True requires check_backward_ad")
    require(
        check_forward_ad or not check_batched_forward_grad,
        "Setting check_batched_forward_grad=True requires check_forward_ad",
    )
    case = checked_case(func, inputs)
    checks = Checks(
        eps,
        Tolerance(atol, rtol),
        nondet_tol,
        fast_mode,
        backward=check_backward_ad,
        forward=check_forward_ad,
        undefined=check_undefined_grad,
        dtypes=check_grad_dtypes,
        batched_backward=check_batched_grad,
        batched_forward=check_batched_forward_grad,
    )
    try:
        run(case, checks)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def require(condition: bool, message: str) -> None:
    """Refuse switches that contradict each other."""
    if not condition:
        raise RefusedValueError(f"{message} to be True")
