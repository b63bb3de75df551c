"""Classes and functions for what is not here, which programs derive from, call or catch; names alone: `unavailable.py`.

Libraries register functions that make nodes of TorchScript's graphs for PyTorch's older exporter to ONNX, mostly for
exports that never come; making a node with one of PyTorch's functions is an error.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from ...device.device import cuda_available
from ...device.device import device as Device
from ...namespace import op as own_ops
from ...tensor.grad_mode import no_grad
from ...tensor.tensor import TensorBase
from ...unknown_names import NO_HEADERS, not_available
from ..amp.autocast import autocast

_PACKAGE = f"{__name__.partition('.')[0]}.onnx"


TensorProtoDataType = enum.IntEnum(
    "TensorProtoDataType",
    "UNDEFINED FLOAT UINT8 INT8 UINT16 INT16 INT32 INT64 STRING BOOL FLOAT16 DOUBLE UINT32 UINT64 COMPLEX64 COMPLEX128 "
    "BFLOAT16",
    module=__name__,
    start=0,
)
TensorProtoDataType.__doc__ = "The dtypes of ONNX by their numbers."
TrainingMode = enum.Enum("TrainingMode", "EVAL PRESERVE TRAINING", module=__name__, start=0)
TrainingMode.__doc__ = "In which mode a module was to be exported."
OperatorExportTypes = enum.Enum(
    "OperatorExportTypes", "ONNX ONNX_ATEN ONNX_ATEN_FALLBACK ONNX_FALLTHROUGH", module=__name__, start=0
)
OperatorExportTypes.__doc__ = "What was to be done with ops that ONNX does not have."


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
                not_available(
                    f"{self.__name__.partition('.')[2]}.{name}",
                    "there are no graphs of TorchScript; specgrad.onnx.export makes files",
                )
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


class BuildExtension:
    """The command of setuptools by which extensions are compiled: refused. Raises RuntimeError: one is made."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(not_available("utils.cpp_extension.BuildExtension", NO_HEADERS))

    @classmethod
    def with_options(cls, **options: Any) -> type[BuildExtension]:
        """The class itself, whatever the `options`: setup scripts name it before they build."""
        return cls


class Placement:
    """How a tensor would lie along one dimension of a grid of processes."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether each process has a part of it, along the dimension `dim` where that is given."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Whether every process has all of it."""
        return isinstance(self, Replicate)

    def is_partial(self, reduce_op: str | None = None) -> bool:
        """Whether every process has a term of it, that `reduce_op` joins where that is given."""
        return isinstance(self, Partial) and reduce_op in (None, self.reduce_op)


@dataclass(frozen=True)
class Shard(Placement):
    """Each process would have a part.

    Args:
        dim: the dimension of the tensor that is cut.
    """

    dim: int


@dataclass(frozen=True)
class Replicate(Placement):
    """Every process would have all."""


@dataclass(frozen=True, repr=False)
class Partial(Placement):
    """Every process would have a term.

    Args:
        reduce_op: how terms are joined: "sum", "avg", "product", "min" or "max".
    """

    reduce_op: str = "sum"

    def __repr__(self) -> str:
        return f"Partial({self.reduce_op})"


has_lapack = True  # SciPy's
has_openmp = False  # threads are specgrad's own
has_mkl = False
has_spectral = True


def compiled_with_cxx11_abi() -> bool:
    """Whether extensions would have the newer ABI of C++: there are none, and this is what PyTorch answers."""
    return True


def is_vulkan_available() -> bool:
    """Whether there is a device for Vulkan: specgrad uses none."""
    return False


def get_device_module(device: Any = None) -> ModuleType:
    """The module of a kind of devices: `cpu` or `cuda`.

    Args:
        device: a device, or its name; when left out, CUDA's where there is such a device.

    Raises:
        RuntimeError: specgrad uses no such devices.
    """
    kind = ("cuda" if cuda_available() else "cpu") if device is None else Device(device).type
    return import_module(f"{__name__.partition('.')[0]}.{kind}")


class Joinable:
    """What takes part in a Join: programs derive from it."""


class JoinHook:
    """What a Joinable does for processes that have ended: programs derive from it."""

    def main_hook(self) -> None:
        """Called again and again while others go on."""

    def post_hook(self, is_last_joiner: bool) -> None:
        """Called once when all have ended; `is_last_joiner` says whether this process was the last."""


class ChildFailedError(RuntimeError):
    """What the process that has started others raises when one of them fails; nobody does here."""


_AUTOCAST, _AUTOGRAD = "Autocast", "Autograd"


DispatchKey = enum.Enum(
    "DispatchKey",
    "CPU CUDA XPU MPS Meta CompositeExplicitAutograd CompositeImplicitAutograd Autograd AutogradCPU AutogradCUDA "
    "AutogradXPU AutocastCPU AutocastCUDA AutocastXPU AutocastMPS",
    module=__name__,
)
DispatchKey.__doc__ = "The keys whose effect specgrad has, and those that name devices and kinds of kernels."


class DispatchKeySet:
    """Some keys.

    Args:
        *keys: the keys.

    Example:
        >>> both = DispatchKeySet(DispatchKey.AutocastCPU) | DispatchKeySet(DispatchKey.AutocastCUDA)
        >>> both.has(DispatchKey.AutocastCPU), both.has(DispatchKey.Autograd)
        (True, False)
    """

    def __init__(self, *keys: DispatchKey) -> None:
        self.keys = frozenset(keys)

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*self.keys, *other.keys) if isinstance(other, DispatchKeySet) else NotImplemented

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return DispatchKeySet(*(self.keys - other.keys)) if isinstance(other, DispatchKeySet) else NotImplemented

    def add(self, key: DispatchKey) -> DispatchKeySet:
        """The keys and `key`."""
        return DispatchKeySet(*self.keys, key)

    def has(self, key: DispatchKey) -> bool:
        """Whether `key` is among them."""
        return key in self.keys

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(sorted(key.name for key in self.keys))})"


class ExcludeDispatchKeyGuard:
    """A block in which what the keys stand for is left out: autocast of a device, or recording.

    Args:
        keys: a DispatchKeySet.

    Raises:
        NotImplementedError: a key stands for something that cannot be left out here.
    """

    def __init__(self, keys: DispatchKeySet) -> None:
        self._left_out = ExitStack()
        names = sorted(key.name for key in keys.keys)
        if wrong := [name for name in names if not name.startswith((_AUTOCAST, _AUTOGRAD))]:
            raise NotImplementedError(f"_ExcludeDispatchKeyGuard(): {', '.join(wrong)} cannot be left out")
        self._names = names

    def __enter__(self) -> None:
        for name in self._names:
            device = name.removeprefix(_AUTOCAST).lower()
            if not name.startswith(_AUTOCAST):
                self._left_out.enter_context(no_grad())
            elif device in ("cpu", "cuda"):
                self._left_out.enter_context(autocast(device, enabled=False))

    def __exit__(self, *_: object) -> None:
        self._left_out.close()


class TorchDispatchMode:
    """The base of such modes: classes may derive from it, and none can be entered.
    Raises NotImplementedError: it is entered.
    """

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError("__torch_dispatch__(): there is no dispatcher below ops")

    def __enter__(self) -> Any:
        raise NotImplementedError(
            f"{type(self).__name__}: there is no dispatcher below ops whose calls a TorchDispatchMode could take; "
            "overrides.TorchFunctionMode takes the calls of ops"
        )

    def __exit__(self, *error: Any) -> None:
        """Nothing: it cannot have been entered."""
