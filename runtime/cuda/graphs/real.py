"""Graphs of real devices: the part of the driver that records and replays, by `cuda.bindings.driver`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..protocol import handle_of
from .refusals import Status, refusal

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
        """Before a copy from or to pageable memory: a graph would go on to read it long after it is freed.

        Raises:
            RuntimeError: the stream is recorded.
        """
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
