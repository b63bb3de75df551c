"""Hooks of tensors that are copied or saved: they are not copied with them, which is warned of."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, TypeVar

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])
_MARK = "__torch_unserializable__"


def unserializable_hook(f: AnyFunction) -> AnyFunction:
    """Mark a hook as one that is left behind on purpose, so that nobody is warned of it.

    Args:
        f: the hook.

    Returns:
        The hook itself.
    """
    setattr(f, _MARK, True)
    return f


def warn_if_has_hooks(tensor: Any) -> None:
    """Warn of each hook of a leaf that is not marked by `unserializable_hook`.

    Args:
        tensor: what is to be saved.
    """
    hooks = tensor._hooks
    for _, hook in () if hooks is None else list(hooks.tensor.values()):
        if not hasattr(hook, _MARK):
            warnings.warn(
                f"backward hook {hook!r} on tensor will not be serialized. If this is expected, you can decorate the "
                "function with @specgrad.utils.hooks.unserializable_hook to suppress this warning",
                stacklevel=2,
            )
