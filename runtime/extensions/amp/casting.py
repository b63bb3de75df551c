"""What autocast does with a call of an op: its tensors are cast as the op's entry says, then it runs.

A parameter is cast once for all calls of the outermost region: its gradients from all of them meet where it was cast.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from ...tensor import dtypes
from ...tensor.grad_mode import current_version
from ...tensor.observers import NOT_HANDLED, OpCall, policies_of
from ...tensor.tensor import TensorBase
from ...thread_state import NOWHERE, mode
from .state import Cast, here

LOWER, FLOAT32, PROMOTE, OFF, LIKE, REFUSE = "lower", "float32", "promote", "off", "like ", "refuse: "


def intercept(call: OpCall) -> Any:
    if mode.autocast != mode.depth or (policies := policies_of.get(call.function)) is None:
        return NOT_HANDLED
    for device, lower in here.active:
        if (word := policies[device]) and (len(here.active) == 1 or is_on(call, device)):
            return run(call, device, lower, word)
    return NOT_HANDLED


def run(call: OpCall, device: str, lower: dtypes.dtype, word: str) -> Any:
    """The result of an op of cast tensors; what it calls is cast as well where the word is `promote`."""
    depth = mode.autocast
    if word != PROMOTE:
        mode.autocast = NOWHERE
    try:
        if word != OFF and call.kwargs.get("out") is None:
            cast_arguments(call, device, lower, word)
        return call.proceed()
    finally:
        mode.autocast = depth


def tensors_of(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, TensorBase):
                yield item


def is_on(call: OpCall, device: str) -> bool:
    return any(tensor.device.type == device for tensor in tensors_of((*call.args, *call.kwargs.values())))


def cast_arguments(call: OpCall, device: str, lower: dtypes.dtype, word: str) -> None:
    if word == LOWER:
        dtype = lower
    elif word == FLOAT32:
        dtype = dtypes.float32
    elif word.startswith(REFUSE):
        if is_on(call, device):
            raise RuntimeError(f"{call.name}(): not in a region of autocast: {word.removeprefix(REFUSE)}")
        return
    else:
        arg = [call.args[int(word.removeprefix(LIKE))]] if word.startswith(LIKE) else call.args
        dtype = widest(call.name, tensors_of(arg), device, lower)
    call.args = tuple([cast(value, device, dtype) for value in call.args])
    if call.kwargs:
        call.kwargs = {name: cast(value, device, dtype) for name, value in call.kwargs.items()}


def is_eligible(tensor: Any, device: str) -> bool:
    kind = tensor._dtype
    return kind.kind == "f" and kind is not dtypes.float64 and tensor.device.type == device


def widest(op: str, tensors: Iterable[Any], device: str, lower: dtypes.dtype) -> dtypes.dtype:
    matches = {tensor._dtype for tensor in tensors if is_eligible(tensor, device)}
    if dtypes.float32 in matches:
        return dtypes.float32
    if matches - {lower}:
        names = ", ".join(sorted(kind.name for kind in matches))
        raise RuntimeError(f"{op}(): Unexpected floating dtype in autocast to {lower.name}: {names}")
    return lower


def cast(value: Any, device: str, dtype: dtypes.dtype) -> Any:
    if isinstance(value, (list, tuple)) and any(isinstance(item, TensorBase) for item in value):
        return type(value)([cast(item, device, dtype) for item in value])
    if not isinstance(value, TensorBase) or value._dtype is dtype or not is_eligible(value, device):
        return value
    is_lowered = dtype is not dtypes.float32 and here.cache_enabled
    return cast_once(value, dtype) if is_lowered and is_parameter(value) else value.to(dtype)


def is_parameter(tensor: Any) -> bool:
    is_leaf = (
        tensor._requires_grad and tensor._grad_fn is None and tensor._base is None and tensor._dtype is dtypes.float32
    )
    return is_leaf and tensor._tangent is None and tensor._vmap_level is None


def cast_once(tensor: Any, dtype: dtypes.dtype) -> Any:
    """The cast that there is, unless the tensor has been written to since, or it was recorded otherwise."""
    known = here.cache.get(id(tensor))
    is_same = known is not None and known.version == current_version(tensor) and known.result._dtype is dtype
    if known is not None and is_same and (known.result._requires_grad or not mode.grad):
        return known.result
    result = tensor.to(dtype)
    here.cache[id(tensor)] = Cast(tensor, current_version(tensor), result)
    return result
