"""Optimizers whose rule looks at one parameter at a time: as one kernel over its memory where that is possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...generated.tensor import Tensor
from ...runtime.autograd.saved.mutation import announce_write
from ...runtime.creation import tensor
from ...runtime.modes.grad_mode import enable_grad, no_grad
from ...runtime.modes.intercept import watch
from ...runtime.pool.parallel_for import by_slices
from ...runtime.tensor.dtypes import float32, float64
from .optimizer import Closure, Optimizer
from .rule import in_parts, scalar_dtype, uphill

_EMPTY: dict[Any, np.ndarray] = {float32: np.empty(0, np.float32), float64: np.empty(0, np.float64)}


class PerParameter(Optimizer):
    """An optimizer whose rule looks at one parameter at a time: `_update(param, grad, group)`.

    Args:
        params: tensors, pairs of a name and a tensor, or dicts that define groups.
        lr: step size.
        betas: how much of the estimates of mean and mean square is kept in a step.
        eps: added to the denominator.
        weight_decay: weight of the penalty |p|^2 / 2.
        momentum: how much of the last direction is kept.
        foreach: accepted for compatibility.
        maximize: go up instead of down.
        capturable: accepted for compatibility.
        differentiable: let gradients flow through the step.
        fused: False computes with separate tensor operations; otherwise one kernel is used where possible.
        decoupled_weight_decay: p = (1 - lr weight_decay) p instead of a penalty.

    Raises:
        ValueError: a hyperparameter is out of range.
    """

    def _update(self, param: Tensor, grad: Tensor, group: dict[str, Any]) -> None:
        raise NotImplementedError

    def step(self, closure: Closure | None = None) -> Any:
        """Change every parameter that has a gradient once.

        Args:
            closure: computes the loss again; called with gradients recorded.

        Returns:
            What the closure returned.
        """
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with enable_grad() if self.defaults.get("differentiable") else no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self._update(param, param.grad, group)
        return loss

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            for name, default in self.defaults.items():  # what older programs did not save
                group.setdefault(name, default)
        for kept in self.state.values():
            for name in self._scalars & kept.keys() if isinstance(kept, dict) else ():
                if not isinstance(kept[name], Tensor):
                    kept[name] = tensor(float(kept[name]), dtype=scalar_dtype())


def apply_rule(
    kernel: Callable[..., None],
    rule: Callable[..., None],
    tensors: Sequence[Tensor | None],
    settings: Sequence[Any],
    group: dict[str, Any],
) -> None:
    """Change a parameter, the first of `tensors`: by the kernel in one pass, or by the same rule in tensor operations.

    The rule gets a gradient that sign and penalty of the group have changed; the kernel gets these behind the settings.
    It takes what is contiguous, writable, on the CPU, of one size, and float32, float64 or complex (as pairs of
    reals). Gradients flow through tensor operations only.
    """
    weight_decay, maximize = float(group.get("weight_decay", 0.0)), bool(group["maximize"])
    if weight_decay and group.get("decoupled_weight_decay"):
        weight_decay = 0.0
    arrays = None if group["differentiable"] or group.get("fused") is False else _arrays(tensors)
    if arrays is None:
        param, grad, *buffers = tensors
        changed = uphill(param, grad, weight_decay, maximize)  # type: ignore[arg-type]
        in_parts(rule, (param, changed, *buffers), *settings)
        return
    if watch.active:
        announce_write(tensors[0])
    by_slices(kernel, (*arrays, *settings, weight_decay, maximize), arrays[0].size)
    tensors[0]._bump_version()  # type: ignore[union-attr]


def _arrays(tensors: Sequence[Tensor | None]) -> list[np.ndarray] | None:
    """1-D arrays of real numbers over the memory of each tensor; an empty one for None."""
    first: Any = tensors[0]
    dtype, shape, native = first._dtype, first._shape, first._dtype.native
    if not (native or dtype.is_complex):
        return None
    arrays: list[np.ndarray] = []
    for t in tensors:
        if t is None:
            arrays.append(_EMPTY[dtype.real])
            continue
        flat: Any = t._flat
        if flat is None or t._dtype is not dtype or t._shape != shape or t._device.type != "cpu":
            return None
        if not flat.flags.writeable:
            return None
        arrays.append(flat if native else flat.view(dtype.real.np))
    return arrays
