"""Optimizers as functions: one step on lists of parameters, gradients and what is kept of each parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.arguments import explained
from ...runtime.modes.grad_mode import enable_grad, no_grad
from .launches import Launches
from .per_parameter import PerParameter

Tensors = Sequence[Tensor | None]
_DEFAULTS = {
    "lr": 0.0,  # which Rprop does not read
    "weight_decay": 0.0,
    "decoupled_weight_decay": False,
    "maximize": False,
    "differentiable": False,
    "capturable": False,
    "fused": None,
}
_PAIRS = {
    "betas": ("beta1", "beta2"),
    "etas": ("etaminus", "etaplus"),
    "step_sizes": ("step_size_min", "step_size_max"),
}


def functional(cls: type[PerParameter], *kept: str, **fixed: Any) -> Callable[..., None]:
    """One step of an optimizer as a function: `f(params, grads, *lists of what is kept, **hyperparameters)`.

    Args:
        cls: the optimizer.
        *kept: the names in its state of what the lists have, in order.
        **fixed: hyperparameters that the function does not take.
    """

    def step(params: Sequence[Tensor], grads: Sequence[Tensor], *lists: Any, **settings: Any) -> None:
        group = {**_DEFAULTS, **settings, **fixed}
        for name, parts in _PAIRS.items():
            if parts[0] in group:
                group[name] = tuple(float(group[part]) for part in parts)
        states = [_state(kept, lists, row) for row in range(len(params))]
        optimizer = cls.__new__(cls)
        optimizer.state = dict(zip(params, states, strict=True))  # type: ignore[assignment]
        optimizer._launches = Launches()
        with enable_grad() if group["differentiable"] else no_grad():
            for param, grad in zip(params, grads, strict=True):
                optimizer._update(param, grad, group)
            optimizer._launches.run()
        _give_back(kept, lists, states)

    step.__name__ = step.__qualname__ = cls.__name__.lower()
    step.__doc__ = f"One step of `{cls.__name__}` on lists: parameters, gradients, {', '.join(kept)}."
    return explained(step)


def _state(kept: Sequence[str], lists: Sequence[Any], row: int) -> dict[str, Any]:
    """What is kept of one parameter: lists may be empty, where the hyperparameters ask for nothing of the kind."""
    found = {name: rows[row] for name, rows in zip(kept, lists, strict=False) if row < len(rows)}
    return {name: value for name, value in found.items() if value is not None}


def _give_back(kept: Sequence[str], lists: Sequence[Any], states: Sequence[dict[str, Any]]) -> None:
    """Put what a first step has made, as a buffer of momentum, into the list that came with None for it."""
    for name, rows in zip(kept, lists, strict=False):
        for row, state in enumerate(states):
            if row < len(rows) and rows[row] is None:
                rows[row] = state.get(name)
