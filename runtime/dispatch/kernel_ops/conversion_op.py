"""Ops that give a tensor in another dtype."""

from __future__ import annotations

from typing import Any

from ..fast_path import fast_path

conversions: dict[str, Conversion] = {}  # by name


class Conversion:
    """Such an op, with its node; `launch(tensor, dtype)` is native code, which gives the copy or None."""

    __slots__ = ("launch", "name", "node")
    operands = ("self", "dtype")

    def __init__(self, name: str, node: Any) -> None:
        self.name = name
        self.node = node
        conversions.setdefault(name, self)

    def __getattr__(self, name: str) -> Any:
        if name != "launch":
            raise AttributeError(name)
        self.launch = fast_path().conversion(self)
        return self.launch
