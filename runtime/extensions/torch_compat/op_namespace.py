"""`ops`: ops by namespace and name, those of programs and, as `ops.aten`, specgrad's own."""

from __future__ import annotations

from functools import partial
from types import ModuleType
from typing import Any

from ...namespace import op as own_ops
from ...tensor.tensor import tensor_class
from .custom_ops import REGISTERED


class OpOverload:
    """One of specgrad's functions, under a name of PyTorch's dispatcher: `ops.aten.add`, `ops.aten.add.Tensor`.

    Args:
        name: the name of the function.
        function: the function, which chooses among overloads by its arguments.
    """

    def __init__(self, name: str, function: Any) -> None:
        self.__name__ = name
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __getattr__(self, name: str) -> OpOverload:
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def __eq__(self, other: object) -> bool:
        return self.function == getattr(other, "function", other)

    def __hash__(self) -> int:
        return hash(self.function)

    def __repr__(self) -> str:
        return f"<OpOverload(aten.{self.__name__})>"


def _function(name: str) -> Any:
    """The op or method of a name. Private ones are parts of PyTorch's, which libraries list and nobody can call."""
    match = next(
        (each for op_library in (own_ops, *tensor_class().__bases__) if (each := getattr(op_library, name, None))), None
    )
    return partial(_refuse, name) if match is None and name.startswith("_") else match


def _refuse(name: str, *args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError(f"specgrad.ops.aten.{name}: a part of PyTorch's own ops, which specgrad does not have")


class OpNamespace(ModuleType):
    def __getattr__(self, name: str) -> Any:
        cached = REGISTERED.get(f"{self.__name__}::{name}")
        if cached is not None:
            return cached
        function = _function(name) if self.__name__ == "aten" and not name.startswith("__") else None
        if function is None:
            raise AttributeError(f"'_OpNamespace' '{self.__name__}' object has no attribute '{name}'")
        self.__dict__[name] = OpOverload(name, function)  # kept, as programs compare them by identity
        return self.__dict__[name]


class Ops(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.__dict__[name] = OpNamespace(name)
        return self.__dict__[name]

    def load_library(self, path: str) -> None:
        """Load ops from the shared library at `path`: refused by an OSError, as it would be PyTorch's machine code."""
        raise OSError(f"specgrad.ops.load_library({path!r}): libraries of PyTorch's ops cannot be loaded")


ops = Ops("specgrad.ops")
