"""`register()` of a package of a user's ops: methods of Tensor, and functions in specgrad's namespaces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

Functions = Mapping[str, Callable[..., Any]]


class Registration:
    """The names that a package gives, on request, to places that are not its own.

    Args:
        package: the package, for errors.
        places: `Tensor` or a namespace, by the name under which users know it.
        functions: for each of them the functions by name.
    """

    def __init__(self, package: str, locations: Mapping[str, Any], functions: Mapping[str, Functions]) -> None:
        self.package = package
        self.locations = locations
        self.functions = functions

    def register(self) -> None:
        """Put every function in its place, or none where something else has a name already.

        Raises:
            ValueError: something has; the message names both.
        """
        for label, location, name, function in self._each():
            there = getattr(location, name, None)
            if there is not None and there is not function:
                message = f"{label}.{name} is {_named(there)} and would be {_named(function)}"
                raise ValueError(f"{self.package}.register(): {message}: nothing was registered")
        for _, location, name, function in self._each():
            setattr(location, name, function)

    def unregister(self) -> None:
        for _, location, name, function in self._each():
            if vars(location).get(name) is function:
                delattr(location, name)

    def _each(self) -> Iterator[tuple[str, Any, str, Callable[..., Any]]]:
        for label, functions in self.functions.items():
            for name, function in functions.items():
                yield label, self.locations[label], name, function


def _named(value: Any) -> str:
    module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", None)
    return f"{module}.{name}" if module and name else repr(value)
