"""What autocast is set to in each thread, and what it does with a call of an op: its tensors are cast as the op's entry
says, then it runs.

A parameter is cast once for all calls of the outermost region: its gradients from all of them meet where it was cast.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ...errors import ArgumentError, type_name
from ...tensor import dtypes
from ...tensor.grad_mode import current_version
from ...tensor.observers import NOT_HANDLED, OpCall, policies_of
from ...tensor.tensor import TensorBase
from ...thread_state import NOWHERE, PerThread, mode

_UNUSED = {  # types of devices that only PyTorch has, and what it would cast to
    **dict.fromkeys(("ipu", "mps", "privateuseone", "xpu"), dtypes.float16),
    **dict.fromkeys(("hpu", "xla"), dtypes.bfloat16),
}


class Setting(NamedTuple):
    enabled: bool
    dtype: dtypes.dtype


class Cast(NamedTuple):
    """A parameter that has been cast: the count of its writes at that time, and the result."""

    tensor: Any
    version: int
    result: Any


class Here(PerThread):
    """One thread's settings; of an op's tensors on several devices `active` has the one first by which PyTorch goes."""

    def __init__(self) -> None:
        self.settings = {"cuda": Setting(False, dtypes.float16), "cpu": Setting(False, dtypes.bfloat16)}
        self.active: tuple[tuple[str, dtypes.dtype], ...] = ()
        self.nesting = 0
        self.cache_enabled = True
        self.cache: dict[int, Cast] = {}


here = Here()


def require(kind: type, call: str, argument: str, value: Any) -> None:
    if not isinstance(value, kind):
        expected = "specgrad.dtype" if kind is dtypes.dtype else kind.__name__
        raise ArgumentError(f"{call}(): argument '{argument}' must be {expected}, not {type_name(value)}")


def is_autocast_available(device_type: str) -> bool:
    """Whether there is autocast for a type of device, whether or not there is such a device.

    Args:
        device_type: the `type` of a device, a string.

    Example:
        >>> is_autocast_available("cpu"), is_autocast_available("abacus")
        (True, False)
    """
    require(str, "is_autocast_available", "device_type", device_type)
    return base_device_type(device_type) in here.settings


def base_device_type(device_type: str) -> str:
    return device_type.partition(":")[0]


def setting_for(device_type: str) -> Setting:
    """As `setting`, also for devices that specgrad does not use, for which nothing is cast."""
    kind = base_device_type(device_type) if isinstance(device_type, str) else ""
    return Setting(False, _UNUSED[kind]) if kind in _UNUSED else setting(device_type)


def setting(device_type: str) -> Setting:
    """What ops that are called now find: a backward pass casts nothing, but where autocast is entered in it."""
    if not is_autocast_available(device_type):
        known = ", ".join(here.settings)
        raise RuntimeError(f"Expected one of {known} device type at start of device string: {device_type}")
    entry = here.settings[base_device_type(device_type)]
    return entry if mode.autocast == mode.depth else entry._replace(enabled=False)


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
    is_castable = isinstance(value, TensorBase) and value._dtype is not dtype and is_eligible(value, device)
    if not is_castable:
        return value
    is_lowered = dtype is not dtypes.float32 and here.cache_enabled
    return cast_once(value, dtype) if is_lowered and is_parameter(value) else value.to(dtype)


def is_parameter(tensor: Any) -> bool:
    is_leaf = tensor._requires_grad and tensor._grad_fn is None and tensor._base is None
    return is_leaf and tensor._dtype is dtypes.float32 and tensor._tangent is None and tensor._vmap_level is None


def cast_once(tensor: Any, dtype: dtypes.dtype) -> Any:
    """The cast that there is, unless the tensor has been written to since, or it was recorded otherwise."""
    known = here.cache.get(id(tensor))
    is_same = known is not None and known.version == current_version(tensor) and known.result._dtype is dtype
    if known is not None and is_same and (known.result._requires_grad or not mode.grad):
        return known.result
    result = tensor.to(dtype)
    here.cache[id(tensor)] = Cast(tensor, current_version(tensor), result)
    return result
