"""Making a layer without drawing its initial values."""

from __future__ import annotations

import inspect
from typing import Any

from ..modules.module.base import Module


def skip_init(module_cls: type[Module], *args: Any, **kwargs: Any) -> Any:
    """A layer whose parameters are as memory is: for those that are loaded or set at once.

    Args:
        module_cls: the class of the layer; its `reset_parameters` is left out.
        args: positional arguments for it.
        kwargs: keyword arguments for it.

    Raises:
        RuntimeError: what is given is no class of modules, or takes no device.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.utils.skip_init(sg.nn.Linear, 5, 1).weight.shape
        specgrad.Size([1, 5])
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    unwrapped: Any = type(module_cls.__name__, (module_cls,), {"reset_parameters": lambda self: None})
    module = unwrapped(*args, **kwargs)
    module.__class__ = module_cls
    return module
