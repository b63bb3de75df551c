"""`op`: the functions of the generated ops, for runtime code that is imported before they are.

The runtime never imports `generated`; `generated.ops` publishes its functions here instead. Attributes are looked up
when called (`op.sum(x)`), so the order of imports does not matter.
"""

from __future__ import annotations

from typing import Any


class Namespace:
    """A bag of published functions; an unknown name is an error that says what is missing."""

    def publish(self, functions: dict[str, Any]) -> None:
        """Add functions by name; a later package's op may not replace an earlier one."""
        for name, function in functions.items():
            self.__dict__.setdefault(name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"no op named {name!r} has been generated")


op = Namespace()
