"""`autocast`, a region in which ops get operands of the dtypes that their entries name, and custom Functions in it.

See P. Micikevicius et al., Mixed precision training, arXiv:1710.03740.
"""

import functools
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from typing import Any

import numpy as np

from ...device.cuda.driver import device_count
from ...errors import warn_user
from ...tensor import dtypes
from ...tensor.tensor import TensorBase
from . import settings
from .state import base_device_type, here, is_autocast_available, is_eligible, require, setting

SUPPORTED = (dtypes.bfloat16, dtypes.float16)


class autocast:
    """A region in which an op computes in the dtype that suits it; a context manager, and a decorator.

    Products and convolutions get operands of 16 bits, what would lose too many digits float32, ops of several tensors
    the widest of their dtypes, all others what they are given. Tensors of float64 and of other devices stay as they
    are. So do ops in place, and those with `out=`. A page of the docs says of each op what is cast: docs/ops.md. The
    backward pass computes in the dtypes that forward has had, wherever it is called; leaves get gradients of their own
    dtype. Each thread has regions of its own.

    Args:
        device_type: 'cpu' or 'cuda'.
        dtype: bfloat16 or float16; by default bfloat16 on the CPU and float16 on CUDA devices.
        enabled: False casts nothing inside, also within another region.
        cache_enabled: whether parameters are cast once for all ops of the outermost region, True by default.

    Raises:
        RuntimeError: there is no autocast for `device_type`.
        ValueError: `device_type` is no string.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.Linear(3, 2)
        >>> with sg.autocast("cpu"):
        ...     scores = layer(sg.ones(1, 3))
        ...     loss = sg.nn.functional.mse_loss(scores, sg.zeros(1, 2))
        >>> scores.dtype, loss.dtype
        (specgrad.bfloat16, specgrad.float32)
        >>> loss.backward()
        >>> layer.weight.grad.dtype
        specgrad.float32
    """

    def __init__(
        self,
        device_type: str,
        dtype: dtypes.dtype | None = None,
        enabled: bool = True,
        cache_enabled: bool | None = None,
    ) -> None:
        require_word(device_type)
        if not is_autocast_available(device_type):
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device = device_type
        self.fast_dtype = setting(device_type).dtype if dtype is None else dtype
        require(dtypes.dtype, "autocast", "dtype", self.fast_dtype)
        self._enabled = bool(enabled) and _is_possible(base_device_type(device_type), self.fast_dtype)
        self._cache_enabled = here.cache_enabled if cache_enabled is None else bool(cache_enabled)
        self._before: list[settings.Snapshot] = []

    def __enter__(self) -> "autocast":
        self._before.append(settings.snapshot())
        settings.change(self.device, enabled=self._enabled, dtype=self.fast_dtype)
        settings.autocast_increment_nesting()
        settings.set_autocast_cache_enabled(self._cache_enabled)
        return self

    def __exit__(self, *_: object) -> None:
        if settings.autocast_decrement_nesting() == 0:
            settings.clear_autocast_cache()
        settings.restore(self._before.pop())

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(func):
            raise TypeError(
                f"autocast()(func) requires a callable, but got {type(func).__name__}. Did you mean to use autocast as "
                "a context manager? For example:\n"
                "    with specgrad.autocast(device_type=...):\n        output = model(input)"
            )
        return autocast_decorator(self, func)


def autocast_decorator(autocast_instance: autocast, func: Callable[..., Any]) -> Callable[..., Any]:
    """A function that runs `func` in the region `autocast_instance`.

    Args:
        autocast_instance, func: the region and the function.

    Example:
        >>> import specgrad as sg
        >>> autocast_decorator(autocast("cpu"), sg.mm)(sg.ones(2, 2), sg.ones(2, 2)).dtype
        specgrad.bfloat16
    """

    @functools.wraps(func)
    def decorate_autocast(*args: Any, **kwargs: Any) -> Any:
        with autocast_instance:
            return func(*args, **kwargs)

    return decorate_autocast


def require_word(device_type: Any) -> None:
    if not isinstance(device_type, str):
        raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")


def _is_possible(device_type: str, dtype: dtypes.dtype) -> bool:
    if device_type == "cuda" and not device_count():
        warn_user("CUDA is not available. Disabling autocast.")
        return False
    if dtype not in SUPPORTED:
        name = device_type.upper()
        warn_user(
            f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
            f"{name} Autocast only supports dtypes of {', '.join(map(str, SUPPORTED))} currently."
        )
        return False
    return True


def settings_again() -> Callable[[], ExitStack]:
    """Enters regions like the present ones, perhaps in another thread: for what is computed again in backward."""
    results = {device: setting(device) for device in here.settings}
    cache_enabled = here.cache_enabled

    def entered() -> ExitStack:
        stack = ExitStack()
        for device, (enabled, dtype) in results.items():
            if enabled:
                stack.enter_context(autocast(device, dtype, enabled, cache_enabled))
        return stack

    return entered


def custom_fwd(
    fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: dtypes.dtype | None = None
) -> Callable[..., Any]:
    """A decorator for `forward` of a custom Function, which notes in what region it runs, for `custom_bwd`.

    Args:
        fwd: the static method.
        device_type: the type of device whose autocast it concerns.
        cast_inputs: what to cast tensors of floats to, but for float64, that `forward` is given inside autocast. It
            runs outside then; without this argument it runs inside.

    Raises:
        ValueError: `device_type` is no string.

    Example:
        >>> import specgrad as sg
        >>> class Twice(sg.autograd.Function):
        ...     @staticmethod
        ...     @custom_fwd(device_type="cpu", cast_inputs=sg.float32)
        ...     def forward(ctx, x):
        ...         return x * 2
        ...     @staticmethod
        ...     @custom_bwd(device_type="cpu")
        ...     def backward(ctx, grad):
        ...         return grad * 2
        >>> with sg.autocast("cpu"):
        ...     print(Twice.apply(sg.ones(2, dtype=sg.bfloat16)).dtype)
        specgrad.float32
    """
    require_word(device_type)
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    function = fwd

    @functools.wraps(function)
    def decorate_fwd(*args: Any, **kwargs: Any) -> Any:
        enabled, args[0]._dtype = setting(device_type)
        args[0]._fwd_used_autocast = enabled and cast_inputs is None
        if cast_inputs is None or not enabled:
            return function(*args, **kwargs)
        with autocast(device_type, enabled=False):
            return function(*_cast(args, device_type, cast_inputs), **_cast(kwargs, device_type, cast_inputs))

    return decorate_fwd


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """A decorator for `backward` of a custom Function, which runs it in a region like that of `forward`.

    Args:
        bwd, device_type: the static method, and as of `custom_fwd`.

    Raises:
        ValueError: `device_type` is no string.

    Example:
        >>> backward = custom_bwd(lambda ctx, grad: grad, device_type="cpu")
    """
    require_word(device_type)
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    function = bwd

    @functools.wraps(function)
    def decorate_bwd(*args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=args[0]._fwd_used_autocast, dtype=args[0]._dtype):
            return function(*args, **kwargs)

    return decorate_bwd


def _cast(value: Any, device_type: str, dtype: dtypes.dtype) -> Any:
    if isinstance(value, TensorBase):
        tensor: Any = value
        return tensor.to(dtype) if is_eligible(tensor, device_type) else tensor
    if isinstance(value, Mapping):
        return {key: _cast(each, device_type, dtype) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_cast(each, device_type, dtype) for each in value])
    if isinstance(value, (str, bytes, np.ndarray)) or not isinstance(value, Iterable):
        return value
    return (_cast(each, device_type, dtype) for each in value)
