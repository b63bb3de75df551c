"""Initial values of parameters. Each function fills a tensor in place, without recording, and returns it."""

from collections.abc import Callable as _Callable
from typing import Any as _Any

from ...runtime.errors import warn_user as _warn_user
from ...runtime.unknown_names import no_attribute as _no_attribute
from .fill import constant_, dirac_, eye_, normal_, ones_, orthogonal_, sparse_, trunc_normal_, uniform_, zeros_
from .scaled import _calculate_correct_fan as _calculate_correct_fan  # programs call these two
from .scaled import _calculate_fan_in_and_fan_out as _calculate_fan_in_and_fan_out
from .scaled import calculate_gain, kaiming_normal_, kaiming_uniform_, uniform_fan_in_, xavier_normal_, xavier_uniform_

__all__ = [
    "calculate_gain",
    "constant_",
    "dirac_",
    "eye_",
    "kaiming_normal_",
    "kaiming_uniform_",
    "normal_",
    "ones_",
    "orthogonal_",
    "sparse_",
    "trunc_normal_",
    "uniform_",
    "uniform_fan_in_",
    "xavier_normal_",
    "xavier_uniform_",
    "zeros_",
]

# What programs import: private names, and below the names without "_", which are deprecated.
_no_grad_fill_, _no_grad_zero_ = constant_, zeros_
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_
_WITHOUT_OLD_NAME = ("calculate_gain", "ones_", "trunc_normal_", "uniform_fan_in_", "zeros_")
_BY_OLD_NAME: dict[str, _Callable[..., _Any]] = {
    name[:-1]: globals()[name] for name in __all__ if name not in _WITHOUT_OLD_NAME
}


def __getattr__(name: str) -> _Callable[..., _Any]:
    if name not in _BY_OLD_NAME:
        raise _no_attribute(__name__, name)
    function = _BY_OLD_NAME[name]

    def call(*args: _Any, **kwargs: _Any) -> _Any:
        _warn_user(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", FutureWarning)
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The old name of `{name}_`; deprecated."
    return call
