"""The part of the real driver that records and replays graphs, and what is said where work cannot be recorded."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType
from typing import Any

from ...errors import PACKAGE, AcceleratorError
from .driver_protocol import handle_of

# Where functions lie that users call, and what calls them for users.
PUBLIC = (
    *("generated/ops", "generated/tensor", "nn/functional", "nn/optim", "runtime/methods", "runtime/tensor/host"),
    *("runtime/ops/creation", "runtime/ops/numeric", "runtime/ops/matmul/einsum", "runtime/ops/shape/broadcast"),
    *("runtime/extensions/cuda_api", "runtime/extensions/masked", "runtime/extensions/sparse/tensor_methods"),
    *("runtime/extensions/storage/tensor_methods", "runtime/extensions/torch_compat/functions"),
    "runtime/tensor/tensor",
)
GUARD = "runtime/methods/argument_"  # what stands around them
LAYERS = "nn/modules"


class Status(IntEnum):
    """What CUDA refuses of captures, by the numbers of CUresult."""

    UNSUPPORTED = 900
    INVALIDATED = 901
    MERGE = 902
    UNMATCHED = 903
    UNJOINED = 904
    ISOLATION = 905
    IMPLICIT = 906
    CAPTURED_EVENT = 907
    WRONG_THREAD = 908


ERROR_MESSAGES = {
    Status.UNSUPPORTED: "operation not permitted when stream is capturing",
    Status.INVALIDATED: "operation failed due to a previous error during capture",
    Status.MERGE: "operation would result in a merge of separate capture sequences",
    Status.UNMATCHED: "capture was not ended in the same stream as it began",
    Status.UNJOINED: "capturing stream has unjoined work",
    Status.ISOLATION: "dependency created on uncaptured work in another stream",
    Status.IMPLICIT: "operation would make the legacy stream depend on a capturing blocking stream",
    Status.CAPTURED_EVENT: "operation not permitted on an event last recorded in a capturing stream",
    Status.WRONG_THREAD: "attempt to terminate a thread-local capture sequence from another thread",
}
ADVICE = {
    Status.UNSUPPORTED: "a graph records work of the device alone: read its memory, wait for it and copy from the host "
    "before the capture or after it",
    Status.INVALIDATED: "the graph is lost: begin again with a new CUDAGraph",
    Status.UNJOINED: "let the stream that captures wait for every stream that has waited for it (wait_stream)",
    Status.ISOLATION: "let the stream wait before the capture begins",
    Status.CAPTURED_EVENT: "it stands for a place in a graph, and not for work that is done",
}


def refusal(status: Status, what: str = "") -> AcceleratorError:
    advice = ADVICE.get(status)
    message = f"CUDA error: {ERROR_MESSAGES[status]} (CUDA_ERROR_{name_of(status)})"
    message += f": {calling()}() {what}" if what else ""
    return AcceleratorError(f"{message}; {advice}" if advice else message)


def name_of(status: Status) -> str:
    return status.name if status is Status.CAPTURED_EVENT else f"STREAM_CAPTURE_{status.name}"


def calling() -> str:
    frame: FrameType | None = sys._getframe(1)
    result = "specgrad"
    while frame is not None:
        inside = frame.f_code.co_filename.removeprefix(PACKAGE)
        if inside == frame.f_code.co_filename or inside.startswith(LAYERS):
            break
        name = frame.f_code.co_name
        if inside.startswith(PUBLIC) and not inside.startswith(GUARD) and (name[0] != "_" or name.endswith("__")):
            result = name
        frame = frame.f_back
    return result


VERBOSE = 1  # of CUgraphDebugDot_flags


class RealGraphs:
    """What `RealDriver` has of graphs. It counts captures, as only while there are any something must be looked at."""

    cuda: Any
    _call: Callable[..., Any]
    enter: Callable[[int], int]

    def __init__(self) -> None:
        self._captures = 0

    def begin_capture(self, stream: int, mode: str) -> None:
        self.enter(stream)
        modes = self.cuda.CUstreamCaptureMode
        self._call("cuStreamBeginCapture", handle_of(stream), getattr(modes, f"CU_STREAM_CAPTURE_MODE_{mode.upper()}"))
        self._captures += 1

    def end_capture(self, stream: int) -> int:
        self.enter(stream)
        self._captures -= 1
        return int(self._call("cuStreamEndCapture", handle_of(stream)))

    def is_capturing(self, stream: int) -> bool:
        if not self._captures:
            return False
        self.enter(stream)
        return int(self._call("cuStreamIsCapturing", handle_of(stream))) != 0

    def invalidate_capture(self, stream: int) -> None:
        self.enter(stream)
        self.cuda.cuStreamSynchronize(handle_of(stream))  # which is refused, and ends the capture

    @contextmanager
    def unrestricted(self) -> Iterator[None]:
        if not self._captures:
            yield
            return
        modes = self.cuda.CUstreamCaptureMode
        before = self._call("cuThreadExchangeStreamCaptureMode", modes.CU_STREAM_CAPTURE_MODE_RELAXED)
        try:
            yield
        finally:
            self._call("cuThreadExchangeStreamCaptureMode", before)

    def refuse_pageable(self, stream: int) -> None:
        """A RuntimeError where the stream is recorded: a graph would read pageable memory after it is freed."""
        if self.is_capturing(stream):
            self.invalidate_capture(stream)
            raise refusal(Status.UNSUPPORTED, "copies from or to pageable memory of the host")

    def instantiate(self, graph: int) -> int:
        return int(self._call("cuGraphInstantiate", graph, 0))

    def replay(self, executable: int, stream: int) -> None:
        self.enter(stream)
        self._call("cuGraphLaunch", executable, handle_of(stream))

    def graph_size(self, graph: int) -> int:
        return int(self._call("cuGraphGetNodes", graph, 0)[1])

    def print_graph(self, graph: int, path: str) -> None:
        self._call("cuGraphDebugDotPrint", graph, os.fsencode(path), VERBOSE)

    def destroy_graph(self, graph: int) -> None:
        self._call("cuGraphDestroy", graph)

    def destroy_executable(self, executable: int) -> None:
        self._call("cuGraphExecDestroy", executable)
