"""Optimizers as functions, one step on lists of tensors; and parts of PyTorch's optimizers that libraries import."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ...generated.ops import view_as_real
from ...generated.tensor import Tensor
from ...runtime.methods.argument_guard import explained
from ...runtime.tensor.dtypes import dtype, float32, float64, get_default_dtype
from ...runtime.tensor.grad_mode import enable_grad, no_grad, set_grad_enabled
from .per_parameter import Launches, PerParameter

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


def functional(cls: type[PerParameter], *order: str, **fixed: Any) -> Callable[..., None]:
    """One step of an optimizer as a function: `f(params, grads, *lists of what is kept, **hyperparameters)`.

    The lists have what its state calls `order`; by default the buffers of its rule, then its counts, the steps last.
    The hyperparameters `fixed` are no arguments.
    """
    rule: Any = cls._rule
    state_values = order or (*[name for name, _ in rule.buffers], *reversed(rule.counts))

    def step(params: Sequence[Tensor], grads: Sequence[Tensor], *lists: Any, **settings: Any) -> None:
        group = {**_DEFAULTS, **settings, **fixed}
        for name, parts in _PAIRS.items():
            if parts[0] in group:
                group[name] = tuple(float(group[part]) for part in parts)
        states = [_state(state_values, lists, row) for row in range(len(params))]
        optimizer = cls.__new__(cls)
        optimizer.state = dict(zip(params, states, strict=True))  # type: ignore[assignment]
        optimizer._launches = Launches()
        optimizer._enter(group)
        with enable_grad() if group["differentiable"] else no_grad():
            for param, grad in zip(params, grads, strict=True):
                optimizer._update(param, grad, group)
            optimizer._launches.run()
        _give_back(state_values, lists, states)

    step.__name__ = step.__qualname__ = cls.__name__.lower()
    step.__doc__ = f"One step of `{cls.__name__}` on lists: parameters, gradients, {', '.join(state_values)}."
    return explained(step)


def _state(state_values: Sequence[str], lists: Sequence[Any], row: int) -> dict[str, Any]:
    results = {name: rows[row] for name, rows in zip(state_values, lists, strict=False) if row < len(rows)}
    return {name: value for name, value in results.items() if value is not None}


def _give_back(state_values: Sequence[str], lists: Sequence[Any], states: Sequence[dict[str, Any]]) -> None:
    """Put what a first step has made, as a buffer of momentum, into the list that came with None for it."""
    for name, rows in zip(state_values, lists, strict=False):
        for row, state in enumerate(states):
            if row < len(rows) and rows[row] is None:
                rows[row] = state.get(name)


AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])

_params_doc = "params (iterable): parameters, pairs of a name and a parameter, or dicts that make groups of them"
_foreach_doc = "foreach (bool, optional): whether ops on several tensors are used; nothing depends on it"
_fused_doc = "fused (bool, optional): whether one kernel does a step; nothing depends on it"
_capturable_doc = "capturable (bool, optional): whether a CUDA graph may record steps; it may"
_differentiable_doc = "differentiable (bool, optional): whether steps are recorded"
_maximize_doc = "maximize (bool, optional): whether the objective is to be maximized"


def use_grad_for_differentiable(func: AnyFunction) -> AnyFunction:
    """A decorator of `step`: recorded only where the optimizer is `differentiable`."""

    @functools.wraps(func)
    def step(*args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(bool(args[0].defaults.get("differentiable", False))):
            return func(*args, **kwargs)

    return step  # type: ignore[return-value]


def get_value(x: Any) -> Any:
    return x.item() if isinstance(x, Tensor) else x


def stack_if_compiling(x: Any) -> Any:
    """What is given: nothing is compiled."""
    return x


def dispatch_sqrt(x: Any) -> Any:
    return x.sqrt() if isinstance(x, Tensor) else math.sqrt(x)


def to_scalar(x: Any) -> Any:
    return x.squeeze() if isinstance(x, Tensor) and x.dim() != 0 else x


def default_to_fused_or_foreach(params: Any, differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Whether one kernel, or ops on several tensors, are the default: neither, a step is the same here."""
    return False, False


def view_complex_as_real(params: list[Any], *state_and_grads: list[Any]) -> None:
    for number, parameter in enumerate(params):
        if parameter.is_complex():
            for tensors in (params, *state_and_grads):
                tensors[number] = view_as_real(tensors[number])


def get_scalar_dtype(is_fused: bool | None = None) -> dtype:
    return float32 if is_fused or get_default_dtype() is not float64 else float64


def disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Callable[[AnyFunction], AnyFunction]:
    """A decorator that leaves functions as they are: nothing is compiled."""
    return lambda func: func


def capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    return ["cuda"]
