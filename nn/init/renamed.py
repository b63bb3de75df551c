"""The old names of functions that fill a tensor: without the underscore, and deprecated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...runtime.errors import warn_user
from . import fill, scaled, structured

_NEW = (
    fill.constant_,
    fill.eye_,
    fill.normal_,
    fill.orthogonal_,
    fill.uniform_,
    scaled.kaiming_normal_,
    scaled.kaiming_uniform_,
    scaled.xavier_normal_,
    scaled.xavier_uniform_,
    structured.dirac_,
    structured.sparse_,
)
_BY_OLD_NAME: dict[str, Callable[..., Any]] = {function.__name__[:-1]: function for function in _NEW}

_PRIVATE = (
    *("_calculate_correct_fan", "_no_grad_fill_", "_no_grad_normal_", "_no_grad_trunc_normal_"),
    *("_no_grad_uniform_", "_no_grad_zero_"),
)


def old_name(name: str) -> Callable[..., Any]:
    """The function that had this name, with a warning when it is called: `__getattr__` of nn.init."""
    if name in _PRIVATE:
        from . import unrecorded

        found: Callable[..., Any] = getattr(unrecorded, name[1:])
        return found
    if name not in _BY_OLD_NAME:
        raise AttributeError(f"module 'specgrad.nn.init' has no attribute '{name}'")
    function = _BY_OLD_NAME[name]

    def call(*args: Any, **kwargs: Any) -> Any:
        warn_user(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", FutureWarning)
        return function(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"The old name of `{name}_`; deprecated."
    return call
