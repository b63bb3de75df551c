"""ParameterList: a module that holds parameters in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Self

from ..generated.tensor import Tensor
from ..runtime import checks
from .module import Module
from .parameter import Parameter


class ParameterList(Module):
    """A list whose Tensors are kept as registered Parameters; other values are kept as they are.

    Args:
        values: the values to start with.

    Example:
        >>> import specgrad as sg
        >>> weights = sg.nn.ParameterList([sg.ones(2), sg.zeros(3)])
        >>> [name for name, _ in weights.named_parameters()]
        ['0', '1']
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def _key(self, index: Any) -> str:
        position = checks.position(type(self).__name__, index)
        if not -self._size <= position < self._size:
            raise IndexError(f"index {position} is out of range")
        return str(position % self._size)

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return type(self)(self[i] for i in range(*index.indices(self._size)))
        return getattr(self, self._key(index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._key(index), as_parameter(value))

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self._size))

    def append(self, value: Any) -> Self:
        """Add a value at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Add values at the end."""
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in values:
            self.append(value)
        return self

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def extra_repr(self) -> str:
        return "\n".join(f"  ({i}): {describe(value)}" for i, value in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


def as_parameter(value: Any) -> Any:
    """A plain Tensor as a Parameter over the same memory; other values unchanged."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def describe(value: Any) -> str:
    """A value in one line of its container's repr."""
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    place = f" ({value.device})" if value.is_cuda else ""
    sizes = "x".join(str(size) for size in value.size())
    return f"{kind} containing: [{value.dtype} of size {sizes}{place}]"
