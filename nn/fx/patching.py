"""What is put in the place of functions and methods while a program is traced, and taken back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_MISSING = object()


class Patcher:
    """A block: what was changed in it, in classes and dicts, is as before when it ends."""

    def __init__(self) -> None:
        self.changes: list[Callable[[], None]] = []

    def __enter__(self) -> Patcher:
        return self

    def __exit__(self, *error: object) -> None:
        while self.changes:
            self.changes.pop()()

    def patch_item(self, table: dict[str, Any], name: str, value: Any) -> None:
        """Put a value under a name of a dict."""
        before = table.get(name, _MISSING)

        def undo() -> None:
            if before is _MISSING:
                del table[name]
            else:
                table[name] = before

        self.changes.append(undo)
        table[name] = value

    def patch_attribute(self, owner: Any, name: str, value: Any) -> None:
        """Give an object or a class another attribute."""
        before = vars(owner).get(name, _MISSING)

        def undo() -> None:
            if before is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, before)

        self.changes.append(undo)
        setattr(owner, name, value)

    def afterwards(self, function: Callable[[], None]) -> None:
        """Call a function when the block ends."""
        self.changes.append(function)
