"""What libraries import of PyTorch's exporter to ONNX before the present one, which wrote graphs of TorchScript.

They register functions that make nodes of such graphs when they are imported, mostly for exports that never come.
There are no such graphs here: making a node with one of PyTorch's functions is an error.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ...namespace import op as own_ops
from ...tensor.base import TensorBase

_PACKAGE = f"{__name__.partition('.')[0]}.onnx"


class TensorProtoDataType(enum.IntEnum):
    """The dtypes of ONNX by their numbers."""

    UNDEFINED = 0
    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16


class TrainingMode(enum.Enum):
    """In which mode a module was to be exported."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OperatorExportTypes(enum.Enum):
    """What was to be done with ops that ONNX does not have."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


def parse_args(*arg_descriptors: str) -> Callable[[Any], Any]:
    """Say what the arguments of a function are that makes nodes: it is returned as it is.

    Args:
        *arg_descriptors: a letter for each argument.
    """
    return lambda function: function


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int) -> None:
    """Say how nodes are made of an op: nothing asks for it.

    Args:
        symbolic_name: the op, `namespace::name`.
        symbolic_fn: the function.
        opset_version: the opset that it is for.

    Raises:
        RuntimeError: the name has no namespace.
    """
    if "::" not in symbolic_name:
        raise RuntimeError(
            f"Failed to register operator {symbolic_name}. The symbolic name must match the format domain::name"
        )


def shape_as_tensor(x: Any) -> Any:
    """The shape of a tensor, as a tensor of integers.

    Args:
        x: the tensor.
    """
    return own_ops.tensor(list(x.shape))


class _Opset(ModuleType):
    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def make_node(*args: Any, **kwargs: Any) -> Any:
            raise RuntimeError(
                f"{self.__name__}.{name}: there are no graphs of TorchScript; specgrad.onnx.export makes files"
            )

        return make_node


def _module(name: str, members: dict[str, Any]) -> ModuleType:
    made = ModuleType(f"{_PACKAGE}.{name}")
    vars(made).update(members)
    sys.modules[made.__name__] = made  # so that imports of it by its name find it
    return made


symbolic_helper = _module("symbolic_helper", {"parse_args": parse_args, "Tensor": TensorBase})
operators = _module("operators", {"shape_as_tensor": shape_as_tensor})
OPSETS = {name: _Opset(f"{_PACKAGE}.{name}") for name in (f"symbolic_opset{n}" for n in range(7, 21))}
sys.modules.update({opset.__name__: opset for opset in OPSETS.values()})
