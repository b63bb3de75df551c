"""Modules that hold other modules, in order or by name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping
from itertools import islice
from typing import Any, Self

from ....runtime.dispatch import argument_checks
from ....runtime.errors import warn_user
from ..module.base import Module


def position_of(container: Any, index: Any) -> int:
    position, size = argument_checks.position(type(container).__name__, index), len(container)
    if not -size <= position < size:
        raise IndexError(f"index {position} is out of range")
    return position % size


class _NumberedModules(Module):
    def _key(self, index: Any) -> str:
        return next(islice(self._modules, position_of(self, index), None))

    def _renumber(self, modules: Iterable[Any]) -> None:
        self._modules = {str(i): module for i, module in enumerate(modules)}

    def _sliced(self, index: slice) -> Any:
        return type(self)(*list(self._modules.values())[index])

    def __getitem__(self, index: int | slice) -> Any:
        return self._sliced(index) if isinstance(index, slice) else self._modules[self._key(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __delitem__(self, index: int | slice) -> None:
        keys = list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]
        for key in keys:
            delattr(self, key)
        self._renumber(self._modules.values())

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._modules.values())

    def append(self, module: Module) -> Self:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Self:
        """Put a module before position `index`."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        size = len(self._modules)
        if not -size <= index <= size:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self._modules.values())
        modules.insert(index + size if index < 0 else index, module)
        self._renumber(modules)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in modules:
            self.append(module)
        return self

    def pop(self, key: int) -> Any:
        """Take out and return the module at position `key`."""
        module = self[key]
        del self[key]
        return module


class Sequential(_NumberedModules):
    """Modules applied one after the other.

    Formula: y = f_n(... f_2(f_1(x)))

    Args:
        args: the modules, or one OrderedDict of modules by name.

    Shape: Input: that of the first module. Output: that of the last.

    Example:
        >>> sg.nn.Sequential(sg.nn.Linear(2, 3), sg.nn.ReLU())
        Sequential(
          (0): Linear(in_features=2, out_features=3, bias=True)
          (1): ReLU()
        )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            self.extend(args)

    def _sliced(self, index: slice) -> Any:
        return type(self)(OrderedDict(list(self._modules.items())[index]))

    def forward(self, input: Any) -> Any:
        for module in self._modules.values():
            input = module(input)
        return input

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        for module in modules.values() if isinstance(modules, Mapping) else modules:
            self.append(module)
        return self

    def __add__(self, other: Sequential) -> Sequential:
        return Sequential(*self, *_sequential(other))

    def __iadd__(self, other: Sequential) -> Self:
        return self.extend(list(_sequential(other)))

    def __mul__(self, times: int) -> Sequential:
        if times <= 0:
            raise ValueError(f"Non-positive multiplication factor {times} for {type(self)}")
        return Sequential(*list(self) * times)

    __rmul__ = __mul__


class ModuleList(_NumberedModules):
    """A list of modules that are registered as children; it has no forward.

    Args:
        modules: the modules to start with.

    Example:
        >>> layers = sg.nn.ModuleList(sg.nn.Linear(4, 4) for _ in range(3))
        >>> len(layers), len(list(layers.parameters()))
        (3, 6)
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _sliced(self, index: slice) -> Any:
        return type(self)(list(self._modules.values())[index])

    def extend(self, modules: Iterable[Module]) -> Self:
        """Add modules at the end."""
        if not isinstance(modules, Iterable):
            raise TypeError(f"ModuleList.extend should be called with an iterable, but got {type(modules).__name__}")
        return super().extend(modules)

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def __repr__(self) -> str:
        strings = [repr(module) for module in self]
        if not strings:
            return self._get_name() + "()"
        lines = []
        for first, last, text in _runs(strings):
            block = f"({first}): {text}" if first == last else f"({first}-{last}): {last - first + 1} x {text}"
            lines.append(block.replace("\n", "\n  "))
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"


def _sequential(other: Any) -> Sequential:
    if not isinstance(other, Sequential):
        raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
    return other


def _runs(strings: list[str]) -> Iterator[tuple[int, int, str]]:
    """(first, last, text) of each run of equal texts."""
    first = 0
    for i in range(1, len(strings) + 1):
        if i == len(strings) or strings[i] != strings[first]:
            yield first, i - 1, strings[first]
            first = i


class NamedMembers(Module):
    """Members by name, as in a dict: a subclass keeps their names, and gets, sets and deletes one of them."""

    __getitem__: Callable[..., Any]
    __delitem__: Callable[..., None]
    items: Callable[..., Iterable[tuple[str, Any]]]

    def keys(self) -> KeysView[str]:
        """The names."""
        return self._modules.keys()

    def __len__(self) -> int:
        return len(self.keys())

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __contains__(self, key: str) -> bool:
        return key in self.keys()

    def clear(self) -> None:
        """Remove everything."""
        for key in list(self.keys()):
            del self[key]

    def pop(self, key: str) -> Any:
        """Take out and return what is called `key`."""
        value = self[key]
        del self[key]
        return value


class ModuleDict(NamedMembers):
    """A dict of modules that are registered as children; it has no forward.

    Args:
        modules: a mapping, or pairs of a name and a module, to start with.

    Example:
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

    def items(self) -> Iterable[tuple[str, Any]]:
        """Pairs of name and module."""
        return self._modules.items()

    def values(self) -> Iterable[Any]:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Add or replace modules, from a mapping or from pairs of a name and a module."""
        for name, module in pairs_of("ModuleDict", "ModuleDict.update", modules):
            self[name] = module


def pairs_of(owner: str, method: str, value: Any) -> Iterator[tuple[Any, Any]]:
    if not isinstance(value, Iterable):
        kind = type(value).__name__
        raise TypeError(f"{method} should be called with an iterable of key/value pairs, but got {kind}")
    if isinstance(value, (Mapping, NamedMembers)):
        yield from list(value.items())
        return
    for position, item in enumerate(value):
        if not isinstance(item, Iterable):
            raise TypeError(f"{owner} update sequence element #{position} should be Iterable; is{type(item).__name__}")
        pair = tuple(item)
        if len(pair) != 2:
            raise ValueError(f"{owner} update sequence element #{position} has length {len(pair)}; 2 is required")
        yield pair


class Container(Module):
    """Modules by name; any Module holds others.

    Args:
        **kwargs: the modules.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     held = sg.nn.Container(first=sg.nn.ReLU())
        >>> held.first
        ReLU()
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warn_user(
            "`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that "
            "instead.",
            FutureWarning,
        )
        for name, module in kwargs.items():
            self.add_module(name, module)
