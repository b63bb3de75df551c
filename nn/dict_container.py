"""Modules that hold others by name: ModuleDict and ParameterDict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .module import Module
from .parameter_list import as_parameter, describe


class ModuleDict(Module):
    """A dict of modules that are registered as children; it has no forward.

    Args:
        modules: a mapping, or pairs of a name and a module, to start with.

    Example:
        >>> import specgrad as sg
        >>> heads = sg.nn.ModuleDict({"a": sg.nn.Linear(2, 1)})
        >>> "a" in heads, [name for name, _ in heads.named_parameters()]
        (True, ['a.weight', 'a.bias'])
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Remove all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Any:
        """Take out and return the module called `key`."""
        return self._modules.pop(key)

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._modules.keys()

    def items(self) -> Iterable[tuple[str, Any]]:
        """Pairs of name and module."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add or replace modules, from a mapping or from pairs of a name and a module."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, but got "
                + type(modules).__name__
            )
        pairs = modules.items() if isinstance(modules, (Mapping, ModuleDict)) else _pairs_of("ModuleDict", modules)
        for name, module in pairs:
            self[name] = module


class ParameterDict(Module):
    """A dict whose Tensors are kept as registered Parameters; other values are kept as they are.

    Args:
        parameters: a mapping, or pairs of a name and a value, to start with.

    Example:
        >>> import specgrad as sg
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

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """A new ParameterDict over the same parameters."""
        return ParameterDict(dict(self.items()))

    def clear(self) -> None:
        """Remove everything."""
        for key in list(self._keys):
            del self[key]

    def pop(self, key: str) -> Any:
        """Take out and return the value of `key`."""
        value = self[key]
        del self[key]
        return value

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

    def keys(self) -> Iterable[str]:
        """The names."""
        return self._keys.keys()

    def values(self) -> Iterator[Any]:
        """The values."""
        return (self[key] for key in self._keys)

    def items(self) -> Iterator[tuple[str, Any]]:
        """Pairs of name and value."""
        return ((key, self[key]) for key in self._keys)

    def update(self, parameters: Any) -> None:
        """Add or replace values, from `parameters`, a mapping or pairs of a name and a value."""
        if not isinstance(parameters, Iterable):
            raise TypeError(
                "ParametersDict.update should be called with an iterable of key/value pairs, but got "
                + type(parameters).__name__
            )
        pairs: Any = parameters
        is_mapping = isinstance(parameters, (Mapping, ParameterDict))
        for key, value in pairs.items() if is_mapping else _pairs_of("ParameterDict", pairs):
            self[key] = value

    def extra_repr(self) -> str:
        return "\n".join(f"  ({key}): {describe(value)}" for key, value in self.items())

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")


def _pairs_of(owner: str, items: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
    """The items, each checked to be a pair."""
    for position, item in enumerate(items):
        if not isinstance(item, Iterable):
            raise TypeError(f"{owner} update sequence element #{position} should be Iterable; is{type(item).__name__}")
        pair = tuple(item)
        if len(pair) != 2:
            raise ValueError(f"{owner} update sequence element #{position} has length {len(pair)}; 2 is required")
        yield pair
