"""Keys of PyTorch's dispatcher, by which programs say what they leave out for a while: autocast, or recording.

There is no dispatcher below ops, so there are no modes of it and no tensors that they would see.
"""

from __future__ import annotations

import enum
from contextlib import ExitStack
from typing import Any

from ...tensor.grad_mode import no_grad
from ..amp.autocast import autocast

_AUTOCAST, _AUTOGRAD = "Autocast", "Autograd"


DispatchKey = enum.Enum(
    "DispatchKey",
    "CPU CUDA XPU MPS Meta CompositeExplicitAutograd CompositeImplicitAutograd Autograd AutogradCPU AutogradCUDA "
    "AutogradXPU AutocastCPU AutocastCUDA AutocastXPU AutocastMPS",
    module=__name__,
)
DispatchKey.__doc__ = "The keys whose effect specgrad has, and those that name devices and kinds of kernels."


class DispatchKeySet:
    """Some keys.

    Args:
        *keys: the keys.

    Example:
        >>> both = DispatchKeySet(DispatchKey.AutocastCPU) | DispatchKeySet(DispatchKey.AutocastCUDA)
        >>> both.has(DispatchKey.AutocastCPU), both.has(DispatchKey.Autograd)
        (True, False)
    """

    def __init__(self, *keys: DispatchKey) -> None:
        self.keys = frozenset(keys)

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*self.keys, *other.keys) if isinstance(other, DispatchKeySet) else NotImplemented

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self.keys - other.keys)) if isinstance(other, DispatchKeySet) else NotImplemented

    def add(self, key: DispatchKey) -> DispatchKeySet:
        """The keys and `key`."""
        return DispatchKeySet(*self.keys, key)

    def has(self, key: DispatchKey) -> bool:
        """Whether `key` is among them."""
        return key in self.keys

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(sorted(key.name for key in self.keys))})"


class ExcludeDispatchKeyGuard:
    """A block in which what the keys stand for is left out: autocast of a device, or recording.

    Args:
        keys: a DispatchKeySet.

    Raises:
        NotImplementedError: a key stands for something that cannot be left out here.
    """

    def __init__(self, keys: DispatchKeySet) -> None:
        self._left_out = ExitStack()
        names = sorted(key.name for key in keys.keys)
        if wrong := [name for name in names if not name.startswith((_AUTOCAST, _AUTOGRAD))]:
            raise NotImplementedError(f"_ExcludeDispatchKeyGuard(): {', '.join(wrong)} cannot be left out")
        self._names = names

    def __enter__(self) -> None:
        for name in self._names:
            device = name.removeprefix(_AUTOCAST).lower()
            if not name.startswith(_AUTOCAST):
                self._left_out.enter_context(no_grad())
            elif device in ("cpu", "cuda"):
                self._left_out.enter_context(autocast(device, enabled=False))

    def __exit__(self, *_: object) -> None:
        self._left_out.close()


class TorchDispatchMode:
    """The base of such modes: classes may derive from it, and none can be entered.
    Raises NotImplementedError: it is entered.
    """

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError("__torch_dispatch__(): there is no dispatcher below ops")

    def __enter__(self) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__}: there is no dispatcher below ops whose calls a TorchDispatchMode could take; "
            "overrides.TorchFunctionMode takes the calls of ops"
        )

    def __exit__(self, *error: Any) -> None:
        """Nothing: it cannot have been entered."""
