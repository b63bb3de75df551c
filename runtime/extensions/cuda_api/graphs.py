"""CUDA graphs, under PyTorch's names: work that is recorded once and then done by one call, as often as wanted."""

import os
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary, finalize

from ...device.cuda import pinned_memory
from ...device.cuda.allocator import cache, release
from ...device.cuda.current import current_stream as current_handle
from ...device.cuda.current import here
from ...device.cuda.driver import driver
from ...device.cuda.driver_protocol import DEFAULT_STREAMS
from ...device.cuda.graph import Recorded
from ...device.cuda.graph_capture import Capture, after_all, here_on, new_handle
from ...errors import AcceleratorError, ArgumentError, DeviceError, type_name, warn_user
from .devices import synchronize
from .streams import Stream, StreamContext

__all__ = ["CUDAGraph", "graph", "graph_pool_handle", "is_current_stream_capturing"]

MODES = ("global", "thread_local", "relaxed")
Pool = tuple[int, int]


def is_current_stream_capturing() -> bool:
    """Whether what the current stream is given is recorded for a graph, and not done."""
    return here_on(here.device) is not None


def graph_pool_handle() -> Pool:
    """A name for memory that graphs share which are captured with it.

    Such graphs must be replayed in the order in which they were captured, and never at the same time.
    """
    return new_handle()


class CUDAGraph:
    """Work of a device that is recorded once and replayed with the same memory.

    Between `capture_begin` and `capture_end`, or inside `with cuda.graph(...)`, what the current stream is given is
    recorded and not done. What it computes with must live as long as it is replayed; what is allocated meanwhile comes
    from memory of the graph, in which results stay where they are, so a replay writes them again. What needs a recorded
    graph raises a RuntimeError where nothing was captured.

    Args:
        keep_graph: keep what was recorded after it was made ready to be replayed, for `instantiate` and `debug_dump`.

    Example:
        >>> import specgrad as sg
        >>> if sg.cuda.is_available():
        ...     x = sg.ones(3, device="cuda")
        ...     recorded = sg.cuda.CUDAGraph()
        ...     with sg.cuda.graph(recorded):
        ...         y = x * 2
        ...     x = x.fill_(5.0)
        ...     recorded.replay()
        ...     doubled = y.cpu()
    """

    def __init__(self, keep_graph: bool = False) -> None:
        self._keeps, self._is_debugged = keep_graph, False
        self._capture: Capture | None = None
        self._recorded: Recorded | None = None
        self._releasing: Any = None

    def capture_begin(self, pool: Pool | None = None, capture_error_mode: str = "global") -> None:
        """Record from now on what the current stream is given.

        `pool` is the name of memory to share with other graphs; None gives the graph its own. `capture_error_mode` says
        which calls are refused meanwhile that CUDA cannot record, such as allocations: those of all threads ("global"),
        of this thread ("thread_local") or none ("relaxed").

        Raises:
            RuntimeError: the stream is the default one or is being recorded, the graph has been captured already, or
                the mode is unknown.
        """
        stream, device = current_handle(here.device), here.device
        if self._recorded is not None or self._capture is not None:
            raise DeviceError(
                "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new instance."
            )
        if stream < DEFAULT_STREAMS:
            raise DeviceError(
                "CUDA graphs must be captured on a non-default stream. (However, after capture, it's ok to replay "
                "them on the default stream.)"
            )
        if capture_error_mode not in MODES:
            raise DeviceError(
                "Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got "
                f"{capture_error_mode!r}"
            )
        memory = cache(device)
        capture = Capture(device, stream, memory.enter_pool(_checked(pool)))
        try:
            capture.begin(capture_error_mode)
        except BaseException:
            memory.leave_pool(capture.pool)
            raise
        self._capture = capture

    def capture_end(self) -> None:
        """End the recording; the graph can be replayed then.

        Raises:
            RuntimeError: another stream is the current one, something could not be recorded, or streams that took part
                have not been waited for. Nothing is left of the capture then.
        """
        self._end()
        recorded = self._recorded
        if recorded is not None and recorded.size == 0:
            warn_user(
                "The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong "
                "device or stream."
            )

    def _end(self) -> None:
        capture = self._capture
        if capture is None:
            raise DeviceError("capture_end(): called without a preceding capture_begin()")
        if current_handle(here.device) != capture.stream:
            raise DeviceError("Capture must end on the same stream it began on.")
        self._capture, memory = None, cache(capture.device)
        try:
            handle = capture.end()
        except BaseException:
            memory.leave_pool(capture.pool)
            raise
        self._recorded = recorded = Recorded(capture, handle, memory)
        self._releasing = finalize(self, after_all, recorded.release)
        self._releasing.atexit = False
        if not self._keeps:
            recorded.instantiate()
            if not self._is_debugged:
                recorded.forget_graph()

    def instantiate(self) -> None:
        """Make a graph that was captured with `keep_graph` ready to be replayed, which `replay` does otherwise."""
        recorded = self._captured("instantiate()")
        if not self._keeps:
            raise DeviceError("instantiate() is intended to be called by the user only when keep_graph=true")
        recorded.instantiate()

    def replay(self) -> None:
        """Do what was recorded once more, after what the current stream has been given.

        Random numbers go on in the streams of their generators.
        """
        recorded = self._captured("replay")
        recorded.replay(current_handle(recorded.device))

    def reset(self) -> None:
        """Forget what was captured, and its memory but for tensors that are still used."""
        if self._releasing is not None:
            self._releasing()
        self._recorded = self._releasing = None

    def pool(self) -> Pool:
        """The name of its memory, which other captures may share."""
        return self._captured("pool()").pool.handle

    def register_generator_state(self, generator: Any) -> None:
        """Nothing: a `generator` that draws in a capture is found without this."""

    def enable_debug_mode(self) -> None:
        """Keep what is captured from now on, for `debug_dump`."""
        self._is_debugged = True

    def debug_dump(self, debug_path: str | os.PathLike[str]) -> None:
        """Write what was recorded to the file `debug_path`, in the language of Graphviz."""
        recorded = self._captured("debug_dump")
        if recorded.graph is None:
            warn_user("CUDA Graphs debugging not enabled, set with [graph].enable_debug_mode()")
            return
        recorded.driver.print_graph(recorded.graph, os.fspath(debug_path))
        if not self._keeps:
            recorded.forget_graph()

    def raw_cuda_graph(self) -> int:
        """CUDA's handle of what was recorded; a RuntimeError where it was not kept."""
        result = self._captured("raw_cuda_graph()").graph
        if result is None or not self._keeps:
            raise DeviceError(
                "You cannot access the raw cudaGraph_t instance unless CUDAGraph was initialized with keep_graph=true"
            )
        return result

    def raw_cuda_graph_exec(self) -> int:
        """CUDA's handle of what is replayed; a RuntimeError where it was not made ready."""
        result = self._captured("raw_cuda_graph_exec()").executable
        if result is None:
            raise DeviceError("You cannot access the raw cudaGraphExec_t instance until instantiate() has been called")
        return result

    def _captured(self, method: str) -> Recorded:
        if self._recorded is None:
            raise DeviceError(f"Called CUDAGraph::{method} without a preceding successful capture.")
        return self._recorded


def _checked(pool: Any) -> Pool | None:
    if pool is not None and not (isinstance(pool, tuple) and len(pool) == 2 and all(type(n) is int for n in pool)):
        raise ArgumentError(
            f"capture_begin(): argument 'pool' must be what graph_pool_handle() or CUDAGraph.pool() "
            f"returned, not {type_name(pool)}"
        )
    return pool


_streams: WeakKeyDictionary[Any, dict[int, Stream]] = WeakKeyDictionary()  # of captures that give none


class graph:
    """Record what is given to a stream inside a `with` block.

    Where the block raises an error the capture ends, and the error is what is seen.

    Args:
        cuda_graph: what holds the graph afterwards.
        stream: the stream; None is one that all captures share which give none.
        pool, capture_error_mode: as of `CUDAGraph.capture_begin`.

    Example:
        >>> import specgrad as sg
        >>> if sg.cuda.is_available():
        ...     recorded = sg.cuda.CUDAGraph()
        ...     with sg.cuda.graph(recorded):
        ...         drawn = sg.rand(3, device="cuda")
        ...     recorded.replay()
    """

    def __init__(
        self,
        cuda_graph: CUDAGraph,
        pool: Pool | None = None,
        stream: Stream | None = None,
        capture_error_mode: str = "global",
    ) -> None:
        self.capture_stream = stream or _streams.setdefault(driver(), {}).setdefault(here.device, Stream())
        self.cuda_graph, self.pool, self.capture_error_mode = cuda_graph, pool, capture_error_mode
        self.stream_ctx = StreamContext(self.capture_stream)

    def __enter__(self) -> None:
        synchronize()
        release()
        pinned_memory.pool().release()
        self.stream_ctx.__enter__()
        try:
            self.cuda_graph.capture_begin(self.pool, self.capture_error_mode)
        except BaseException:
            self.stream_ctx.__exit__()
            raise

    def __exit__(self, kind: Any, *_: object) -> None:
        try:
            if kind is None:
                self.cuda_graph.capture_end()
            else:
                with suppress(DeviceError, AcceleratorError):  # the error says more than what can be said here
                    self.cuda_graph._end()
        finally:
            self.stream_ctx.__exit__()
