"""Modules that hold parameters, in order or by name."""

from collections.abc import Iterable, Iterator, KeysView
from typing import Any, Self

from ....generated.tensor import Tensor
from ...parameter import Parameter
from ..module.base import Module
from .modules import NamedMembers, pairs_of, position_of


class ParameterDict(NamedMembers):
    """A dict whose Tensors are kept as registered Parameters; other values are kept as they are.

    Args:
        parameters: a mapping, or pairs of a name and a value, to start with.

    Example:
        >>> weights = sg.nn.ParameterDict({"left": sg.ones(2)})
        >>> weights["left"].requires_grad
        True
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def _attribute(self, key: Any) -> str:
        if not isinstance(key, str):
            raise TypeError(
                "Index given to ParameterDict cannot be used as a key as it is not a string "
                f"(type is '{type(key).__name__}')"
            )
        return key

    def __getitem__(self, key: str) -> Any:
        return getattr(self, self._attribute(key))

    def __setitem__(self, key: str, value: Any) -> None:
        setattr(self, self._attribute(key), as_parameter(value))
        self._keys[key] = None

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, self._attribute(key))

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._keys.keys()

    def copy(self) -> "ParameterDict":
        """A new ParameterDict over the same parameters."""
        return ParameterDict(dict(self.items()))

    def get(self, key: str, default: Any = None) -> Any:
        """The value of `key`, or `default`."""
        if key not in self._keys:
            return default
        return self[key]

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The value of `key`, which is set to `default` first where it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def values(self) -> Iterator[Any]:
        """The values."""
        return (self[key] for key in self._keys)

    def items(self) -> Iterator[tuple[str, Any]]:
        """Pairs of name and value."""
        return ((key, self[key]) for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add or replace values, from `parameters`, a mapping or pairs of a name and a value."""
        for key, value in pairs_of("ParameterDict", "ParametersDict.update", parameters):
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join(f"  ({key}): {describe(value)}" for key, value in self.items())

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")


class ParameterList(Module):
    """A list whose Tensors are kept as registered Parameters; other values are kept as they are.

    Args:
        values: the values to start with.

    Example:
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
        return str(position_of(self, index))

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
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def describe(value: Any) -> str:
    if not isinstance(value, Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    device_note = f" ({value.device})" if value.is_cuda else ""
    sizes = "x".join(str(size) for size in value.size())
    return f"{kind} containing: [{value.dtype} of size {sizes}{device_note}]"
