"""What type checkers read of `namespace.py`: to them `Tensor` is the generated class."""

from typing import Any

from ..generated.tensor import Tensor as Tensor

class Namespace:
    def __init__(self, base: Namespace | None = None) -> None: ...
    def publish(self, functions: dict[str, Any]) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

class _Known:
    name: str

OWN: str
op: Namespace
known: _Known
