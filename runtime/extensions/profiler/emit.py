"""Ranges of other tools around every op and every node of backward."""

import importlib
from collections.abc import Callable
from typing import Any

from ...autograd.engine import BackwardPass
from ...tensor.observers import OpCall, Watcher, watch
from .op_names import shown_name
from .session import describe


class _Emit:
    """Enters a range of the other tool around each op."""

    package = ""  # whose function `function` makes a context manager of a name
    function = ""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled
        self.record_shapes = record_shapes
        self.range: Callable[[str], Any]

    def __enter__(self) -> "_Emit":
        if self.enabled:
            self.range = self._find()
            passing = type("EmittingPass", (_EmittingPass,), {"range": staticmethod(self.range)})
            watch.turn(type(self).__name__, Watcher(backward_pass=passing, intercept=self._around))
        return self

    def __exit__(self, *_: Any) -> None:
        if self.enabled:
            watch.turn(type(self).__name__, None)

    def _find(self) -> Callable[[str], Any]:
        try:
            return getattr(importlib.import_module(self.package), self.function)
        except ImportError as error:
            name = type(self).__name__
            raise RuntimeError(
                f"{name}: expected the Python package {self.package!r}, but it is not installed"
            ) from error

    def _around(self, call: OpCall) -> Any:
        name = shown_name(call.name, call.function)[0]
        if self.record_shapes:
            name += f", sizes = {[argument.dims for argument in describe(call.args, call.kwargs)]}"
        with self.range(name):
            return call.proceed()


class _EmittingPass(BackwardPass):
    __slots__ = ()
    range: Callable[[str], Any]

    def step(self, node: Any, grad: Any) -> tuple[Any, Any]:
        with self.range(f"{node.name()}, seq = {node.sequence}"):
            return super().step(node, grad)


class emit_nvtx(_Emit):
    """Ranges of NVIDIA's NVTX around each op and backward node, as Nsight Systems shows them.

    Args:
        enabled: False does nothing.
        record_shapes: whether a range's name has the shapes of the arguments.

    Raises:
        RuntimeError: the Python package nvtx is not installed.
    """

    package, function = "nvtx", "annotate"


class emit_itt(_Emit):
    """Ranges of Intel's ITT around each op and backward node, as VTune shows them.

    Args:
        enabled: False does nothing.
        record_shapes: whether a range's name has the shapes of the arguments.

    Raises:
        RuntimeError: the Python package ittapi is not installed.
    """

    package, function = "ittapi", "task"
