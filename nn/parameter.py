"""Parameter and Buffer: tensors that a Module registers when they are assigned to it."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime.creation import empty
from ..runtime.errors import type_name
from ..runtime.tree import register_tensor_class


class Parameter(Tensor):
    """A tensor that a Module learns: assigned as an attribute, it appears in `Module.parameters()`.

    It shares memory with `data`. Operations on parameters give plain Tensors.

    Args:
        data: the values; an empty tensor when left out.
        requires_grad: whether gradients are computed for it.

    Raises:
        TypeError: `data` is not a Tensor.
        RuntimeError: gradients are required but `data` is neither floating-point nor complex.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Parameter(sg.ones(2))
        Parameter containing:
        tensor([1., 1.], requires_grad=True)
    """

    __slots__ = ()

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = empty(0)
        if not isinstance(data, Tensor):
            raise TypeError(f"Parameter(): argument 'data' must be Tensor, not {type_name(data)}")
        parameter = data.detach()
        parameter.__class__ = cls
        return parameter.requires_grad_(requires_grad)

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        """All is done by `__new__`."""

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.data.clone(), self.requires_grad)
        return memo[id(self)]

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


register_tensor_class("Parameter", Parameter)


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
