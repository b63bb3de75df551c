"""How a child of a node is reached: `tree[key]`, `tree[index]` or `tree.name`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class SequenceKey:
    """The place of a child in a sequence.

    Args:
        idx: its index.
    """

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        """The child of `sequence` at this place."""
        return sequence[self.idx]


@dataclass(frozen=True)
class MappingKey:
    """The place of a child in a mapping.

    Args:
        key: its key.
    """

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        """The child of `mapping` at this place."""
        return mapping[self.key]


@dataclass(frozen=True)
class GetAttrKey:
    """The place of a child that is an attribute.

    Args:
        name: its name.
    """

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        """The child of `obj` at this place."""
        return getattr(obj, self.name)


def keystr(kp: Iterable[Any]) -> str:
    """A path of keys as Python would write it.

    Args:
        kp: the keys, outermost first.

    Example:
        >>> keystr((MappingKey("a"), SequenceKey(0), GetAttrKey("x")))
        "['a'][0].x"
    """
    return "".join(str(key) for key in kp)


def key_get(obj: Any, kp: Iterable[Any]) -> Any:
    """What a path of keys leads to.

    Args:
        obj: the tree that the path begins at.
        kp: the keys, outermost first.

    Example:
        >>> key_get({"a": [1, 2]}, (MappingKey("a"), SequenceKey(1)))
        2
    """
    for key in kp:
        obj = key.get(obj)
    return obj
