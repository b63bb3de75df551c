"""`gradcheck`: Jacobians of backward and forward mode against central differences; `gradgradcheck` of second order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd.backward import grad
from ...errors import RefusedValueError
from ...tensor.memory import placed
from ...tensor.tensor import TensorBase, adopt
from . import invariants
from .case import Case, GradcheckError, JacobianEntry, Tolerance, as_tuple, checked_case
from .jacobians import Jacobians, Products, difference, unit_vectors


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
    needed = "Setting check_batched_forward_grad=True requires check_forward_ad"
    require(check_forward_ad or not check_batched_forward_grad, needed)
    case, tolerance = checked_case(func, inputs), Tolerance(atol, rtol)
    try:
        outputs = case.outputs()
        if not outputs:
            _check_constant(case, eps)
            return True
        jacobians = (Products if fast_mode else Jacobians)(case, outputs, eps, check_grad_dtypes)
        if check_backward_ad:
            _check_backward(jacobians, tolerance, nondet_tol)
        if check_forward_ad:
            _check_forward(jacobians, tolerance)
            if check_undefined_grad:
                invariants.check_undefined_tangents(case)
        if check_batched_forward_grad:
            invariants.check_batched_forward(case)
        if check_batched_grad:
            invariants.check_batched_backward(case, outputs)
        if check_backward_ad:
            invariants.check_linear_in_gradient(case, outputs)
            if check_undefined_grad:
                invariants.check_undefined_gradients(case, outputs)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def require(condition: bool, message: str) -> None:
    if not condition:
        raise RefusedValueError(f"{message} to be True")


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
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Check the gradients of the gradients: `gradcheck` of the map from (inputs, output gradients) to gradients.

    Other arguments as of `autograd.gradcheck`.

    Args:
        func: a function of tensors to one tensor or several, whose gradients must differentiate again.
        grad_outputs: the gradients of the outputs; those that require grad are checked too. Random when not given.
        gen_non_contig_grad_outputs: make the random gradients non-contiguous.
        check_fwd_over_rev: compare the gradients' Jacobian by forward mode.
        check_rev_over_rev: compare the gradients' Jacobian by backward.

    Returns:
        True if all checks hold.

    Raises:
        GradcheckError: the second derivatives are wrong; a RuntimeError.
        ValueError: no input requires grad.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([0.3, -1.2], dtype=sg.float64, requires_grad=True)
        >>> sg.autograd.gradgradcheck(sg.tanh, x)
        True
    """
    needed = "Expected at least one of check_fwd_over_rev or check_rev_over_rev"
    require(check_fwd_over_rev or check_rev_over_rev, needed)
    for name, check in (("check_undefined_grad", check_undefined_grad), ("check_batched_grad", check_batched_grad)):
        require(check_rev_over_rev or not check, f"Setting {name}=True requires check_rev_over_rev")
    case = checked_case(func, inputs)
    if grad_outputs is None:
        grad_outputs = _random_gradients(case.outputs(), gen_non_contig_grad_outputs)
    vs = as_tuple(grad_outputs)
    return gradcheck(
        _gradients(case),
        (*case.inputs, *vs),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
        masked=masked,
    )


def _gradients(case: Case) -> Callable[..., tuple[Any, ...]]:
    count = len(case.inputs)

    def gradients(*args: Any) -> tuple[Any, ...]:
        xs, vs = args[:count], args[count:]
        grad_inputs = [x for x in xs if isinstance(x, TensorBase) and x._requires_grad]
        result = grad(case.outputs(xs), grad_inputs, vs, create_graph=True, allow_unused=True)
        return tuple(g for g in result if g is not None)

    return gradients


def _random_gradients(outputs: tuple[Any, ...], strided: bool) -> tuple[Any, ...]:
    if not outputs:
        raise ValueError("gradgradcheck expects at least one output of func to require gradient, but none of them do.")
    rng, gradients = np.random.default_rng(42), []
    for output in outputs:
        shape = (*output.shape[:-1], 2 * output.shape[-1]) if strided and output.shape else output.shape
        values = rng.uniform(-1, 1, shape)
        if output.is_complex():
            values = values + 1j * rng.uniform(-1, 1, shape)
        gradient: Any = adopt(placed(np.asarray(values), output.device), output.dtype)
        gradients.append((gradient[..., ::2] if strided and output.shape else gradient).requires_grad_())
    return tuple(gradients)


def _check_constant(case: Case, eps: float) -> None:
    for x in case.grad_inputs:
        for direction in unit_vectors(x.numel()):
            if any(np.any(result != 0) for result in difference(case.results, x, direction, eps)):
                raise GradcheckError("Numerical gradient for function expected to be zero")


def _parts(tensors: tuple[Any, ...]) -> dict[str, complex]:
    """The one part of real numbers has no name."""
    return {"imaginary": 1j, "real": 1} if any(t.is_complex() for t in tensors) else {"": 1}


def _check_backward(jacobians: Jacobians, tolerance: Tolerance, nondet_tol: float) -> None:
    for name, axis in _parts(jacobians.outputs).items():
        for j in range(len(jacobians.outputs)):
            analytical = jacobians.backward(j, axis)
            for i, result in enumerate(analytical):
                entry = JacobianEntry(j, i, part=name)
                numerical = jacobians.numerical(i, j, axis)
                if not jacobians.tolerance(tolerance, i, j).holds(result, numerical):
                    raise jacobians.error(entry, axis, (numerical, result), tolerance)
            _check_same_again(analytical, jacobians.backward(j, axis), nondet_tol)


def _check_same_again(first: list[np.ndarray], second: list[np.ndarray], tolerance: float) -> None:
    for a, b in zip(first, second, strict=True):
        if not np.allclose(a, b, rtol=0.0, atol=tolerance):
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and grad_output multiple times "
                "gives different values, although analytical gradient matches numerical gradient. "
                f"The tolerance for nondeterminism was {tolerance}; nondet_tol sets it."
            )


def _check_forward(jacobians: Jacobians, tolerance: Tolerance) -> None:
    grad_inputs = jacobians.case.grad_inputs
    for name, axis in _parts(grad_inputs).items():
        for i, x in enumerate(grad_inputs):
            along = axis if x.is_complex() else 1
            allowed = jacobians.tolerance(tolerance, i)
            pairs = zip(jacobians.differences(i)[along], jacobians.forward(i, along), strict=True)
            for j, pair in enumerate(pairs):
                if not allowed.holds(pair[1], pair[0]):
                    raise jacobians.error(JacobianEntry(j, i, True, name), along, pair, tolerance)
