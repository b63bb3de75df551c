"""Bounds on gradients, by norm and by value."""

import math
from collections.abc import Iterable
from typing import Any

from ...generated.ops import stack
from ...generated.tensor import Tensor
from ...runtime.autograd.accumulate_grad import can_batch_update
from ...runtime.dispatch import argument_checks
from ...runtime.errors import warn_user
from ...runtime.kernels.cpu.sums import square_sum
from ...runtime.ops.creation import tensor, zeros
from ...runtime.tensor.dtypes import float32, float64
from ...runtime.tensor.grad_mode import no_grad
from ...runtime.tensor.observers import watch
from ...runtime.tensor.tensor import adopt
from ..docstrings import completed_from

SAFE = {float32: 1e-20, float64: 1e-280}
Tensors = Tensor | Iterable[Tensor]


def _as_list(tensors: Tensors) -> list[Tensor]:
    matches = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    for value in matches:
        argument_checks.tensor("clip_grad", "parameters", value)
    return matches


@no_grad()
def get_total_norm(
    tensors: Tensors, norm_type: float = 2.0, error_if_nonfinite: bool = False, foreach: bool | None = None
) -> Tensor:
    """The norm of all tensors taken as one vector.

    Args:
        tensors: the tensors.
        norm_type: the p of the p-norm; math.inf for the greatest absolute value.
        error_if_nonfinite: whether an infinite or undefined norm is an error.
        foreach: accepted for compatibility.

    Raises: RuntimeError: the norm is not finite and `error_if_nonfinite` is set.

    Example:
        >>> sg.nn.utils.get_total_norm([sg.tensor([3.0]), sg.tensor([4.0])])
        tensor(5.)
    """
    norm_type, result = float(norm_type), _as_list(tensors)
    if any(getattr(one, "_rows", None) is not None for one in result):  # this rank's rows of tensors
        from .total_norm import total_norm as over_ranks  # loaded with the first such tensor

        total = over_ranks(result, norm_type)
    elif norm_type in (2, math.inf) and _can_fuse(result, norm_type):
        total = _norm_on_device(result, norm_type)
    else:
        total = _length(result) if norm_type == 2 and _are_plain(result) else _norm_of_norms(result, norm_type)
    if error_if_nonfinite and not math.isfinite(float(total)):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    return total


def _are_plain(tensors: list[Tensor]) -> bool:
    if watch.active or not tensors:
        return False
    dtype = tensors[0]._dtype
    return dtype.native and all(t._flat is not None and t._dtype is dtype and t.is_cpu for t in tensors)


def _length(tensors: list[Tensor]) -> Tensor:
    dtype, total = tensors[0].dtype, sum(square_sum(t._flat, 0.0) for t in tensors)
    if not SAFE[dtype] < total < math.inf:  # a total of squares that may have left the range on the way
        return _norm_of_norms(tensors, 2)
    return tensor(math.sqrt(total), dtype=dtype)


def _can_fuse(tensors: list[Tensor], norm_type: float) -> bool:
    if not tensors or not tensors[0].is_cuda:
        return False
    if norm_type != 2 and any(t.is_complex() or not t.numel() for t in tensors):  # which has no greatest element
        return False
    device, dtype = tensors[0].device, tensors[0].dtype
    return all(t.device is device and t.dtype is dtype and can_batch_update(t) for t in tensors)


def _norm_on_device(tensors: list[Tensor], norm_type: float) -> Tensor:
    """The norm with one launch over all tensors, and some over what that leaves; nothing waits for it."""
    from ...runtime.kernels.cuda_launch.multi_tensor import folded, reals

    arrays = [reals(t._flat) for t in tensors]
    parts = adopt(folded("squares" if norm_type == 2 else "norm_inf", arrays))
    total = parts.sum().sqrt() if norm_type == 2 else parts.max()
    return total.to(tensors[0].dtype.real)


def _norm_of_norms(tensors: list[Tensor], norm_type: float) -> Tensor:
    if not tensors:
        return zeros(())
    norms = [t.norm(norm_type) for t in tensors]
    device, dtype = norms[0].device, norms[0].dtype
    return stack([norm.to(device=device, dtype=dtype) for norm in norms]).norm(norm_type)


def _foreach_changed(grads: list[Tensor], name: str, *arguments: Any) -> list[Tensor]:
    chosen = [grad for grad in grads if grad.is_cuda and not grad.is_complex() and can_batch_update(grad)]
    if not chosen:
        return grads
    from ...runtime.ops.optim import cuda  # loaded with the first device

    getattr(cuda, name)([grad._flat for grad in chosen], *arguments)
    for grad in chosen:
        grad._bump_version()
    known = set(map(id, chosen))
    return [grad for grad in grads if id(grad) not in known]


@no_grad()
def clip_grads_with_norm_(
    parameters: Tensors, max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale the gradients of `parameters` by max_norm / total_norm where that is below one.

    Args:
        parameters: the parameters whose gradients are scaled.
        max_norm: the bound.
        total_norm: the norm of all gradients, as of `get_total_norm`.
        foreach: accepted for compatibility.
    """
    grads = [parameter.grad for parameter in _as_list(parameters) if parameter.grad is not None]
    if isinstance(total_norm, Tensor) and total_norm.is_cuda:
        grads = _foreach_changed(grads, "shrink_all", total_norm._flat, float(max_norm))
    if not grads:
        return
    if isinstance(total_norm, Tensor) and total_norm.is_meta:  # of which nobody can say whether it is too large
        for grad in grads:
            grad.mul_(total_norm)
        return
    factor = float(max_norm) / (float(total_norm) + 1e-6)
    for grad in grads:
        if not factor >= 1:  # nan makes nan of gradients
            grad.mul_(factor)


@no_grad()
@completed_from(get_total_norm)
def clip_grad_norm_(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale gradients in place so that their norm, taken as one vector, is at most max_norm.

    Formula: g = g min(1, max_norm / (|g| + 1e-6))

    Args:
        parameters: the parameters whose gradients are scaled.
        max_norm: the bound.

    Returns: The norm before scaling.

    Example:
        >>> w = sg.tensor([3.0, 4.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.nn.utils.clip_grad_norm_(w, max_norm=1.0)
        tensor(10.)
        >>> w.grad
        tensor([0.6000, 0.8000])
    """
    result = _as_list(parameters)
    grads = [parameter.grad for parameter in result if parameter.grad is not None]
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    clip_grads_with_norm_(result, max_norm, total)
    return total


@no_grad()
def clip_grad_value_(parameters: Tensors, clip_value: float, foreach: bool | None = None) -> None:
    """Clip gradients in place to [-clip_value, clip_value].

    Args:
        parameters: the parameters whose gradients are clipped.
        clip_value: the bound.
        foreach: accepted for compatibility.

    Example:
        >>> w = sg.tensor([3.0, -4.0], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> sg.nn.utils.clip_grad_value_(w, 1.0)
        >>> w.grad
        tensor([ 1., -1.])
    """
    bound = float(clip_value)
    grads = [parameter.grad for parameter in _as_list(parameters) if parameter.grad is not None]
    for grad in _foreach_changed(grads, "clip_all", -bound, bound):
        grad.clamp_(min=-bound, max=bound)


def clip_grad_norm(
    parameters: Tensors,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The old name of `clip_grad_norm_`; deprecated.

    Args:
        parameters, max_norm, norm_type, error_if_nonfinite, foreach: as there.
    """
    warn_user("`nn.utils.clip_grad_norm` is now deprecated in favor of `nn.utils.clip_grad_norm_`.", FutureWarning)
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


_get_total_norm, _clip_grads_with_norm_ = get_total_norm, clip_grads_with_norm_  # names that programs import
