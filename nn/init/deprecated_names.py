"""Functions that fill a tensor by their old names, which are deprecated, and by private names that programs import."""

from collections.abc import Callable
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.errors import warn_user
from ...runtime.tensor.generator import Generator
from .fill import constant_, dirac_, eye_, normal_, orthogonal_, sparse_, trunc_normal_, uniform_, zeros_
from .scaled import _calculate_fan_in_and_fan_out, kaiming_normal_, kaiming_uniform_, xavier_normal_, xavier_uniform_

_NEW = (
    constant_,
    eye_,
    normal_,
    orthogonal_,
    uniform_,
    kaiming_normal_,
    kaiming_uniform_,
    xavier_normal_,
    xavier_uniform_,
    dirac_,
    sparse_,
)
_BY_OLD_NAME: dict[str, Callable[..., Any]] = {function.__name__[:-1]: function for function in _NEW}

_PRIVATE = (
    *("_calculate_correct_fan", "_no_grad_fill_", "_no_grad_normal_", "_no_grad_trunc_normal_"),
    *("_no_grad_uniform_", "_no_grad_zero_"),
)


def old_name(name: str) -> Callable[..., Any]:
    if name in _PRIVATE:
        entry: Callable[..., Any] = globals()[name[1:]]
        return entry
    if name not in _BY_OLD_NAME:
        raise AttributeError(f"module 'specgrad.nn.init' has no attribute '{name}'")
    function = _BY_OLD_NAME[name]

    def call(*args: Any, **kwargs: Any) -> Any:
        warn_user(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", FutureWarning)
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The old name of `{name}_`; deprecated."
    return call


def no_grad_uniform_(tensor: Tensor, a: float, b: float, generator: Generator | None = None) -> Tensor:
    return uniform_(tensor, a, b, generator)


def no_grad_normal_(tensor: Tensor, mean: float, std: float, generator: Generator | None = None) -> Tensor:
    return normal_(tensor, mean, std, generator)


def no_grad_trunc_normal_(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None = None
) -> Tensor:
    return trunc_normal_(tensor, mean, std, a, b, generator)


no_grad_fill_ = constant_
no_grad_zero_ = zeros_


def calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    """The inputs or outputs of one unit of a weight, by 'fan_in' or 'fan_out'."""
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode.lower() == "fan_out"]
