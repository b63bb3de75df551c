"""How the rest of specgrad speaks to a CUDA device: the methods of a driver, and what it says of a device."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

DEFAULT_STREAMS = 1024  # handles below it name default streams: that of device n is n


def handle_of(stream: int) -> int:
    return 0 if stream < DEFAULT_STREAMS else stream


class Properties(NamedTuple):
    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    warp_size: int = 32
    max_threads_per_block: int = 1024
    max_threads_per_multi_processor: int = 2048
    shared_memory_per_block: int = 49152
    shared_memory_per_block_optin: int = 232448
    shared_memory_per_multiprocessor: int = 233472
    regs_per_multiprocessor: int = 65536
    L2_cache_size: int = 0
    clock_rate: int = 0
    memory_clock_rate: int = 0
    memory_bus_width: int = 0
    is_integrated: bool = False
    is_multi_gpu_board: bool = False
    pci_bus_id: int = 0
    pci_device_id: int = 0
    pci_domain_id: int = 0
    uuid: str = ""


class Driver(Protocol):
    """What both drivers do. Addresses, and handles of functions, streams and events, are ints. A stream is its handle;
    the default stream of device n is n itself, so 0 means CUDA's default stream on the first device. Work is done in
    the order of its stream, some time after the method has returned. Every failure is an error with CUDA's name for
    it."""

    is_simulated: bool  # whether devices are memory of this process

    # Of a call that is worth running there: the host computes larger ones (simulated devices).
    @property
    def max_elements(self) -> int | None: ...
    def device_count(self) -> int: ...  # The number of devices.
    def properties(self, device: int) -> Properties: ...  # What is known of a device.
    def memory_info(self, device: int) -> tuple[int, int]: ...  # Bytes that are free, and bytes that there are.
    # Whether kernels of one device reach the memory of another.
    def can_access_peer(self, device: int, peer: int) -> bool: ...
    # The address of new memory for work on the stream; 0 where there is none left.
    def allocate(self, device: int, size: int, stream: int) -> int: ...
    # Give memory back once the stream has got there.
    def free(self, device: int, address: int, stream: int) -> None: ...
    # Give memory that was freed back to the system, where the driver keeps it.
    def trim(self, device: int) -> None: ...
    # Copy bytes: "h2d", "d2h" or "d2d". Pageable host memory may be changed as soon as this has returned, or
    # holds what was copied; pinned memory is read or written when the stream gets there.
    def copy(self, to: int, source: int, size: int, kind: str, stream: int) -> None: ...
    # Set each of `size` bytes of the device.
    def fill(self, address: int, byte: int, size: int, stream: int) -> None: ...
    # Let the program read memory that nobody has written: it is given to a user as it is.
    def expose(self, address: int, size: int, stream: int) -> None: ...
    # Whether bytes at an address are memory of a device, whoever allocated it.
    def is_on_device(self, address: int, size: int, device: int) -> bool: ...
    # The function of a kernel for arguments of a signature.
    def load(self, kernel: Any, signature: tuple[Any, ...], device: int) -> int: ...
    # Run a function with arguments of 8 bytes each and `shared` bytes of shared memory besides its own.
    def launch(
        self, function: int, grid: tuple[int, int, int], block: tuple[int, int, int], slot_values: Sequence[int],
        shared: int, stream: int,
    ) -> None: ...  # fmt: skip
    # The address of a function that is called as CUDA's cuLaunchKernel is, for native code; 0 without one.
    def launch_entry(self) -> int: ...
    def launch_handle(self, stream: int) -> int: ...  # What that function takes for a stream.
    # A new stream; one that is `blocking` keeps order with the device's default stream.
    def create_stream(self, device: int, priority: int = 0, blocking: bool = False) -> int: ...
    def destroy_stream(self, stream: int) -> None: ...  # Forget a stream; work that waits in it is still done.
    # The least and the greatest priority: a smaller number is more urgent.
    def stream_priorities(self, device: int) -> tuple[int, int]: ...
    def synchronize_stream(self, stream: int) -> None: ...  # Wait for all work of a stream.
    def stream_done(self, stream: int) -> bool: ...  # Whether a stream has no work left.
    # A new event, with the time at which it was passed or without.
    def create_event(self, device: int, timing: bool = False) -> int: ...
    def destroy_event(self, event: int) -> None: ...  # Forget an event.
    # Let the event stand for what has been given to the stream so far.
    def record(self, event: int, stream: int) -> None: ...
    def wait(self, stream: int, event: int) -> None: ...  # Let the stream wait for what the event stands for.
    def synchronize_event(self, event: int) -> None: ...  # Wait for what the event stands for.
    def event_done(self, event: int) -> bool: ...  # Whether that is done; True of an event that was never recorded.
    def elapsed(self, start: int, end: int) -> float: ...  # Milliseconds between two events that are done.
    # The address of host memory that devices can read and write by themselves; 0 where there is none left.
    def pin(self, size: int) -> int: ...
    def unpin(self, address: int) -> None: ...  # Give such memory back.
    def synchronize(self, device: int) -> None: ...  # Wait for all work of a device.

    # Graphs: what a stream, and those that wait for it, are given is recorded, and done as often as it is replayed.

    # Record what the stream is given: "global", "thread_local" or "relaxed" say whom that forbids what.
    def begin_capture(self, stream: int, mode: str) -> None: ...
    def end_capture(self, stream: int) -> int: ...  # The graph of what was recorded.
    # Whether what the stream is given is recorded, or would be if nothing had been refused.
    def is_capturing(self, stream: int) -> bool: ...
    # Let the capture that the stream takes part in end in an error: something could not be recorded.
    def invalidate_capture(self, stream: int) -> None: ...
    # Inside, this thread may do on other streams what captures forbid.
    def unrestricted(self) -> AbstractContextManager[Any]: ...
    def instantiate(self, graph: int) -> int: ...  # A graph that can be replayed.
    # Do what was recorded, after what the stream was given and after the last replay of the same.
    def replay(self, executable: int, stream: int) -> None: ...
    def graph_size(self, graph: int) -> int: ...  # How many items were recorded.
    def print_graph(self, graph: int, path: str) -> None: ...  # Write a graph to a file, in the language of Graphviz.
    def destroy_graph(self, graph: int) -> None: ...  # Forget what was recorded.
    # Forget a graph that can be replayed; replays that wait are still done.
    def destroy_executable(self, executable: int) -> None: ...
