"""Arguments that say where and how a layer's parameters are made."""

from __future__ import annotations

from typing import Any

from ..runtime.errors import ArgumentError, type_name

_NAMES = {"device", "dtype", "memory_format"}


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """The arguments for new tensors among those of a layer, which may be in a dict called `factory_kwargs`.

    Args:
        kwargs: `device`, `dtype`, `memory_format` and `factory_kwargs`.

    Raises:
        TypeError: another name, or one given twice.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.factory_kwargs({"dtype": sg.float64})
        {'dtype': specgrad.float64}
    """
    if kwargs is None:
        return {}
    if not isinstance(kwargs, dict):
        raise ArgumentError(f"factory_kwargs(): argument 'kwargs' must be dict, not {type_name(kwargs)}")
    inner = dict(kwargs.get("factory_kwargs", {}))
    own = {name: value for name, value in kwargs.items() if name != "factory_kwargs"}
    if unexpected := (own.keys() | inner.keys()) - _NAMES:
        raise TypeError(f"unexpected kwargs {unexpected}")
    if twice := own.keys() & inner.keys():
        raise TypeError(f"{min(twice)} specified twice, in **kwargs and in factory_kwargs")
    return own | inner
