"""Names in generated code: of values, each used once, and of the functions that are called."""

import builtins
import keyword
import re
from collections.abc import Callable
from typing import Any

from ...runtime.extensions.torch_compat.overrides_api import resolve_name
from ...runtime.namespace import OWN, known

_ILLEGAL = re.compile(r"[^0-9a-zA-Z_]+")
_NUMBERED = re.compile(r"(.*)_(\d+)$")
_HUMP = re.compile(r"(?<=[a-z])([A-Z])")


class Namespace:
    """Names that have been given, each to one object."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        self.by_object: dict[int, tuple[str, Any]] = {}
        self.last: dict[str, int] = {}

    def create_name(self, candidate: str, obj: Any) -> str:
        """A name like the candidate that is valid, no keyword or builtin, and nobody else's than `obj`'s."""
        if obj is not None and id(obj) in self.by_object:
            return self.by_object[id(obj)][0]
        name = _ILLEGAL.sub("_", candidate) or "_unnamed"
        if name[0].isdigit():
            name = f"_{name}"
        numbered = _NUMBERED.match(name)
        base, number = (numbered[1], int(numbered[2])) if numbered else (name, None)
        if name in self.used or self.is_illegal(name, obj):
            number = max(self.last.get(base, 0), number or 0)
            while name in self.used or self.is_illegal(name, obj):
                number += 1
                name = f"{base}_{number}"
            self.last[base] = number
        self.used.add(name)
        if obj is not None:
            self.by_object[id(obj)] = name, obj
        return name

    def is_illegal(self, name: str, obj: Any) -> bool:
        if name in keyword.kwlist or name in (OWN, known.name):
            return True
        return name in vars(builtins) and obj is not vars(builtins)[name]

    def associate(self, name: str, obj: Any) -> None:
        self.used.add(name)
        self.by_object[id(obj)] = name, obj


def target_name(target: Any) -> str:
    text = target if isinstance(target, str) else getattr(target, "__name__", type(target).__name__)
    if text.startswith("__") and text.endswith("__"):
        text = text[2:-2]
    return _HUMP.sub(r"_\1", text.replace(".", "_")).lower()


def qualified_name(function: Callable[..., Any]) -> str:
    result = resolve_name(function)
    if result.startswith(f"{known.name}."):
        return result
    if getattr(builtins, getattr(function, "__name__", ""), None) is function:
        return str(function.__name__)
    module = getattr(function, "__module__", None) or ""
    return f"{module}.{getattr(function, '__qualname__', repr(function))}"


def is_ours(function: Any) -> bool:
    return resolve_name(function).startswith(f"{known.name}.") if callable(function) else False
