"""Parts of PyTorch's optimizers that optimizers of other libraries import by their private names."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ...generated.ops import view_as_real
from ...generated.tensor import Tensor
from ...runtime.modes.grad_mode import set_grad_enabled
from ...runtime.tensor.dtypes import dtype, float32, float64, get_default_dtype

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])
ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]

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
    """A number, of a tensor of one element too."""
    return x.item() if isinstance(x, Tensor) else x


def stack_if_compiling(x: Any) -> Any:
    """What is given: nothing is compiled."""
    return x


def dispatch_sqrt(x: Any) -> Any:
    """The square root of a tensor or a number."""
    return x.sqrt() if isinstance(x, Tensor) else math.sqrt(x)


def to_scalar(x: Any) -> Any:
    """A tensor of one element without dimensions; others as they are."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() != 0 else x


def default_to_fused_or_foreach(params: Any, differentiable: bool, use_fused: bool = False) -> tuple[bool, bool]:
    """Whether one kernel, or ops on several tensors, are the default: neither, a step is the same here."""
    return False, False


def view_complex_as_real(params: list[Any], *state_and_grads: list[Any]) -> None:
    """Complex tensors in lists as real ones over the same memory, in place."""
    for number, parameter in enumerate(params):
        if parameter.is_complex():
            for tensors in (params, *state_and_grads):
                tensors[number] = view_as_real(tensors[number])


def get_scalar_dtype(is_fused: bool | None = None) -> dtype:
    """The dtype of counts of steps."""
    return float32 if is_fused or get_default_dtype() is not float64 else float64


def disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Callable[[AnyFunction], AnyFunction]:
    """A decorator that leaves functions as they are: nothing is compiled."""
    return lambda func: func


def capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """The types of devices on which a graph may record steps."""
    return ["cuda"]
