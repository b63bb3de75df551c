"""Buffer: a tensor that a Module registers without learning it."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime.creation import empty
from ..runtime.errors import type_name


class _BufferMeta(type(Tensor)):  # type: ignore[misc]
    """Makes `isinstance(x, Buffer)` true for the plain tensors that Buffer marks."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that belongs to a Module without being learned: assigned, it appears in `Module.buffers()`.

    The result is a plain Tensor that shares memory with `data` and carries a mark.

    Args:
        data: the values; an empty tensor when left out.
        persistent: whether the buffer is part of the module's `state_dict`.

    Example:
        >>> import specgrad as sg
        >>> module = sg.nn.Module()
        >>> module.mean = sg.nn.Buffer(sg.zeros(2))
        >>> list(module.state_dict())
        ['mean']
    """

    __slots__ = ()
    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(f"Buffer(): argument 'data' must be Tensor, not {type_name(data)}")
        buffer = data.detach().requires_grad_(data.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer
