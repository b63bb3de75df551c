"""Recording: every op that a module calls, as nodes of a graph, while it computes."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from ...dispatch.errors import entry_of
from ...dispatch.registry import Op
from ...errors import type_name
from ...tensor.observers import NOT_HANDLED, OpCall, Watcher, watch
from ...tensor.tensor import TensorBase, host_array
from .graph import INPUT, PARAMETER, Graph
from .memory_aliases import Memories
from .model_proto import OnnxExporterError, UnsupportedOperatorError
from .op_calls import arguments_of, read_arguments, tensors_in, translate

_INNERMOST = 100  # autocast and vmap come first: what they call is recorded
_NAME = "onnx.export"
_OWN = Path(__file__).parents[3]  # the folder of the framework's own code


class Recorder:
    """The graph of what one thread computes.

    Args:
        paths: of each module by its identity, for messages and for the names of nodes.
        everything: record what depends on no input too, for it may depend on the sizes of inputs.
    """

    def __init__(self, paths: dict[int, str], everything: bool = False) -> None:
        self.graph = Graph()
        self.memories = Memories(self.graph)
        self.paths = paths
        self.everything = everything
        self.thread = threading.get_ident()
        self.inside = False  # of an op that is recorded itself

    def declare(self, parameters: dict[str, Any], inputs: list[Any]) -> None:
        for tensor in inputs:
            self.memories.declare(tensor, INPUT)
        for name, tensor in parameters.items():
            value = self.memories.declare(tensor, PARAMETER)
            value.name = value.name or name

    @contextmanager
    def watching(self) -> Iterator[None]:
        watch.enter(_NAME, Watcher(intercept=self.intercept, order=_INNERMOST, read=self.read))
        try:
            yield
        finally:
            watch.leave(_NAME)

    def intercept(self, call: OpCall) -> Any:
        if self.inside or threading.get_ident() != self.thread:
            return NOT_HANDLED
        entry = entry_of(call.function.__module__, call.name)
        if entry is None and call.rule == "random":
            raise self._error(call.name, "draws random numbers, which a graph would repeat: call eval() first")
        if entry is None or (not entry.onnx and entry.kind == "composite"):
            return NOT_HANDLED  # what it calls is recorded
        varies = any(map(self.memories.varies, tensors_in((*call.args, *call.kwargs.values()))))
        if not entry.onnx and varies:
            raise self._error(entry.name, "has no 'onnx' in derivatives.yaml", UnsupportedOperatorError)
        return self._record(call, entry) if entry.onnx and (varies or self.everything) else NOT_HANDLED

    def read(self, tensor: Any) -> None:
        """Refuse to give Python numbers that depend on an input: what it does with them would hold for these alone."""
        if not self.inside and threading.get_ident() == self.thread and self.memories.varies(tensor):
            raise self._error("item()", "Python reads numbers that depend on an input, which a graph would fix")

    def _record(self, call: OpCall, entry: Op) -> Any:
        self.graph.op, self.graph.module = entry.name, self.module()
        try:
            arg = arguments_of(entry, call.function, call.args, call.kwargs)
            values = read_arguments(entry, arg, self.memories)
            self.inside = True
            result = call.proceed()
            results = [result] if isinstance(result, TensorBase) else list(result)
            match = translate(self.graph, entry, values, results)
        except (OnnxExporterError, NotImplementedError) as error:
            raise self._error(entry.name, str(error)) from error
        finally:
            self.inside = False
        for tensor, value in zip(results, match, strict=True):
            if value is not None and not value.varies:
                value.data = np.array(host_array(tensor))
            self.memories.put(tensor, value)
        self.memories.alive.append(results)
        return result

    def _error(self, name: str, why: str, kind: type[OnnxExporterError] = OnnxExporterError) -> OnnxExporterError:
        module = self.module()
        where = f" in module '{module}'" if module else ""
        return kind(f"onnx.export(): {name}{where} ({_line()}): {why}")

    def module(self) -> str:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            path = self.paths.get(id(frame.f_locals.get("self")))
            if path is not None:
                return path
            frame = frame.f_back
        return ""


def _line() -> str:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and Path(frame.f_code.co_filename).is_relative_to(_OWN):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "no line"


def recorded(
    function: Callable[[], Any], inputs: list[Any], parameters: dict[str, Any], paths: dict[int, str], everything: bool
) -> tuple[Graph, list[Any]]:
    """The graph of a function and what it returned, a flat list of tensors.

    Args:
        function: called once.
        inputs: the tensors that vary.
        parameters: tensors by name.
        paths: of modules, by identity.
        everything: record what depends on no input too.

    Raises:
        OnnxExporterError: an op cannot be written in ONNX.
    """
    recorder = Recorder(paths, everything)
    recorder.declare(parameters, inputs)
    with recorder.watching():
        outputs = function()
        for output in outputs:
            if not isinstance(output, TensorBase):
                raise OnnxExporterError(f"onnx.export(): a module's outputs are tensors, not {type_name(output)}")
        recorder.graph.outputs = [recorder.memories.read(output) for output in outputs]
    return recorder.graph, outputs
