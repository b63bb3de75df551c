"""The driver of real devices: calls of `cuda.bindings.driver`, each of whose statuses is checked."""

import ctypes
import functools
import importlib
import sys
import threading
from collections.abc import Sequence
from typing import Any

from ...errors import AcceleratorError, DeviceError
from ...locks import new_lock
from .current import Changes
from .driver_protocol import DEFAULT_STREAMS, Properties, handle_of
from .graph_calls import RealGraphs, Status, refusal

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
NO_BINDINGS = "There is an NVIDIA driver, but not the package cuda-bindings, by which specgrad calls it: {}"
SUCCESS, INVALID_VALUE, OUT_OF_MEMORY, NO_DEVICE, NOT_READY = 0, 1, 2, 100, 600  # of CUresult
DISABLE_TIMING, NON_BLOCKING, PORTABLE = 2, 1, 1
KEEP_ALL = 2**64 - 1  # bytes that a pool may keep when the program waits
STATIC_SHARED = 49152  # bytes of shared memory that a function has without asking
MASK = 2**64 - 1
CAPTURE_STATUSES = frozenset(Status)


def is_installed() -> bool:
    """Whether this machine has NVIDIA's driver: asked of the loader alone, fast and silent."""
    try:
        ctypes.CDLL(LIBRARY)
    except OSError:
        return False
    return True


@functools.cache
def _entry(name: str) -> int:
    if not is_installed():
        return 0
    return ctypes.cast(getattr(ctypes.CDLL(LIBRARY), name), ctypes.c_void_p).value or 0


def bindings() -> Any:
    try:
        return importlib.import_module("cuda.bindings.driver")
    except ImportError as error:
        raise DeviceError(NO_BINDINGS.format(error)) from error


class _Here(threading.local):
    """The device whose context is current in this thread, and memory for arguments of launches by their number."""

    def __init__(self) -> None:
        self.device = -1
        self.arguments: dict[int, tuple[Any, int, Any]] = {}


class RealDriver(RealGraphs):
    """A `Driver` that calls CUDA, by the module `cuda.bindings.driver`, or what has the same functions."""

    is_simulated = False
    max_elements: int | None = None

    def __init__(self, cuda: Any) -> None:
        super().__init__()
        self.cuda = cuda
        self._here = _Here()
        self._lock = new_lock()
        self._contexts: dict[int, Any] = {}
        self._pools: dict[int, Any] = {}
        self._owning_devices: dict[int, int] = {}  # the devices of streams and events
        self._pinned: dict[int, int] = {}  # addresses and sizes
        self._functions: dict[tuple[Any, ...], int] = {}
        self._modules: list[Any] = []
        self._devices: dict[int, int] = {}  # of functions
        self._shared: dict[int, int] = {}  # bytes of shared memory that functions have asked for
        self._count = self._call("cuDeviceGetCount") if self._tried(NO_DEVICE, "cuInit", 0)[0] else 0

    # Statuses.

    def _tried(self, allowed: int, name: str, *arguments: Any) -> tuple[bool, list[Any]]:
        """Whether a call succeeded, and what it gave; an error where its status is another one than `allowed`."""
        status, *values = getattr(self.cuda, name)(*arguments)
        if int(status) not in (SUCCESS, allowed):
            raise self._error(name, int(status))
        return int(status) == SUCCESS, values

    def _call(self, name: str, *arguments: Any) -> Any:
        status, *values = getattr(self.cuda, name)(*arguments)
        if int(status) != SUCCESS:
            raise self._error(name, int(status))
        return values if len(values) > 1 else values[0] if values else None

    def _error(self, function: str, status: int) -> AcceleratorError:
        if status in CAPTURE_STATUSES:
            return refusal(Status(status), f"calls {function}")
        number = self.cuda.CUresult(status)
        error_strings = [getattr(self.cuda, name)(number)[1] for name in ("cuGetErrorName", "cuGetErrorString")]
        name, text = (part.decode() if isinstance(part, bytes) else str(part) for part in error_strings)
        return AcceleratorError(
            f"CUDA error: {text} ({name}, reported by {function}). What a kernel does wrong may be reported by any "
            "later call: with CUDA_LAUNCH_BLOCKING=1 it is the right one."
        )

    # Devices.

    def device_count(self) -> int:
        return int(self._count)

    def _at(self, device: int) -> None:
        if self._here.device != device:
            context = self._contexts.get(device)
            self._call("cuCtxSetCurrent", self._context(device) if context is None else context)
            self._here.device = device
            Changes.notify()

    def enter(self, stream: int) -> int:
        device = self._device_of(stream)
        self._at(device)
        return device

    def _context(self, device: int) -> Any:
        """The primary context of a device, which other libraries use too; it is kept until the process ends."""
        with self._lock:
            if device not in self._contexts:
                result = self._call("cuDevicePrimaryCtxRetain", self._call("cuDeviceGet", device))
                pool = self._call("cuDeviceGetDefaultMemPool", self._call("cuDeviceGet", device))
                threshold = self.cuda.CUmemPool_attribute.CU_MEMPOOL_ATTR_RELEASE_THRESHOLD
                self._call("cuMemPoolSetAttribute", pool, threshold, self.cuda.cuuint64_t(KEEP_ALL))
                self._share(pool, device)
                self._pools[device] = pool
                self._contexts[device] = result
            return self._contexts[device]

    def _share(self, pool: Any, device: int) -> None:
        for peer in range(self._count):
            if self.can_access_peer(peer, device):
                access = self.cuda.CUmemAccessDesc()
                access.location.type = self.cuda.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
                access.location.id = peer
                access.flags = self.cuda.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                self._call("cuMemPoolSetAccess", pool, [access], 1)

    @functools.lru_cache  # noqa: B019 - there is one driver, for as long as the process lives
    def properties(self, device: int) -> Properties:
        target_device = self._call("cuDeviceGet", device)

        def attribute(name: str) -> int:
            number = getattr(self.cuda.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{name}")
            return int(self._call("cuDeviceGetAttribute", number, target_device))

        return Properties(
            name=self._call("cuDeviceGetName", 256, target_device).split(b"\0")[0].decode(),
            major=attribute("COMPUTE_CAPABILITY_MAJOR"),
            minor=attribute("COMPUTE_CAPABILITY_MINOR"),
            total_memory=int(self._call("cuDeviceTotalMem", target_device)),
            multi_processor_count=attribute("MULTIPROCESSOR_COUNT"),
            warp_size=attribute("WARP_SIZE"),
            max_threads_per_block=attribute("MAX_THREADS_PER_BLOCK"),
            max_threads_per_multi_processor=attribute("MAX_THREADS_PER_MULTIPROCESSOR"),
            shared_memory_per_block=attribute("MAX_SHARED_MEMORY_PER_BLOCK"),
            shared_memory_per_block_optin=attribute("MAX_SHARED_MEMORY_PER_BLOCK_OPTIN"),
            shared_memory_per_multiprocessor=attribute("MAX_SHARED_MEMORY_PER_MULTIPROCESSOR"),
            regs_per_multiprocessor=attribute("MAX_REGISTERS_PER_MULTIPROCESSOR"),
            L2_cache_size=attribute("L2_CACHE_SIZE"),
            clock_rate=attribute("CLOCK_RATE"),
            memory_clock_rate=attribute("MEMORY_CLOCK_RATE"),
            memory_bus_width=attribute("GLOBAL_MEMORY_BUS_WIDTH"),
            is_integrated=bool(attribute("INTEGRATED")),
            is_multi_gpu_board=bool(attribute("MULTI_GPU_BOARD")),
            pci_bus_id=attribute("PCI_BUS_ID"),
            pci_device_id=attribute("PCI_DEVICE_ID"),
            pci_domain_id=attribute("PCI_DOMAIN_ID"),
            uuid=bytes(self._call("cuDeviceGetUuid", target_device).bytes).hex(),
        )

    def can_access_peer(self, device: int, peer: int) -> bool:
        if device == peer:
            return False
        devices = [self._call("cuDeviceGet", number) for number in (device, peer)]
        return bool(self._call("cuDeviceCanAccessPeer", *devices))

    def synchronize(self, device: int) -> None:
        self._at(device)
        self._call("cuCtxSynchronize")

    # Memory.

    def memory_info(self, device: int) -> tuple[int, int]:
        self._at(device)
        free, total = self._call("cuMemGetInfo")
        return int(free), int(total)

    def allocate(self, device: int, size: int, stream: int) -> int:
        self._at(device)
        arguments = size, self._pools[device], handle_of(stream)
        done, values = self._tried(OUT_OF_MEMORY, "cuMemAllocFromPoolAsync", *arguments)
        return int(values[0]) if done else 0

    def free(self, device: int, address: int, stream: int) -> None:
        self._at(device)
        self._call("cuMemFreeAsync", address, handle_of(stream))

    def trim(self, device: int) -> None:
        self._at(device)
        self._call("cuMemPoolTrimTo", self._pools[device], 0)

    def copy(self, to: int, source: int, size: int, kind: str, stream: int) -> None:
        self._at(self._device_of(stream))
        name = {"h2d": "cuMemcpyHtoDAsync", "d2h": "cuMemcpyDtoHAsync", "d2d": "cuMemcpyDtoDAsync"}[kind]
        if self._captures and kind != "d2d" and not self._is_pinned(to if kind == "d2h" else source, size):
            self.refuse_pageable(stream)
        self._call(name, to, source, size, handle_of(stream))
        if kind == "d2h" and not self._is_pinned(to, size):
            self._call("cuStreamSynchronize", handle_of(stream))

    def _is_pinned(self, address: int, size: int) -> bool:
        return any(start <= address and address + size <= start + length for start, length in [*self._pinned.items()])

    def fill(self, address: int, byte: int, size: int, stream: int) -> None:
        self._at(self._device_of(stream))
        self._call("cuMemsetD8Async", address, byte, size, handle_of(stream))

    def expose(self, address: int, size: int, stream: int) -> None:
        pass  # whoever reads it finds something

    def is_on_device(self, address: int, size: int, device: int) -> bool:
        self._at(device)
        attribute = self.cuda.CUpointer_attribute.CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL
        done, values = self._tried(INVALID_VALUE, "cuPointerGetAttribute", attribute, address)
        return done and int(values[0]) == device

    def pin(self, size: int) -> int:
        self._at(max(self._here.device, 0))
        done, values = self._tried(OUT_OF_MEMORY, "cuMemHostAlloc", size, PORTABLE)
        if not done:
            return 0
        self._pinned[int(values[0])] = size
        return int(values[0])

    def unpin(self, address: int) -> None:
        del self._pinned[address]
        self._at(max(self._here.device, 0))
        self._call("cuMemFreeHost", address)

    # Launches.

    def load(self, kernel: Any, signature: tuple[Any, ...], device: int) -> int:
        key = kernel, signature, device
        with self._lock:
            if key not in self._functions:
                self._functions[key] = self._loaded(kernel, signature, device)
            return self._functions[key]

    def _loaded(self, kernel: Any, signature: tuple[Any, ...], device: int) -> int:
        result = self.properties(device)
        image = kernel.cubin(signature, (result.major, result.minor))
        self._at(device)
        with self.unrestricted():
            module = self._call("cuModuleLoadData", image)
        self._modules.append(module)
        function = int(self._call("cuModuleGetFunction", module, b"kernel"))
        self._devices[function] = device
        return function

    def launch(
        self, function: int, grid: tuple[int, int, int], block: tuple[int, int, int], slot_values: Sequence[int],
        shared: int, stream: int,
    ) -> None:  # fmt: skip
        self._at(self._devices[function])
        if shared > max(STATIC_SHARED, self._shared.get(function, 0)):
            attribute = self.cuda.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            self._call("cuFuncSetAttribute", function, attribute, shared)
            self._shared[function] = shared
        parameters = self._parameters(slot_values)
        self._call("cuLaunchKernel", function, *grid, *block, shared, handle_of(stream), parameters, 0)

    def launch_entry(self) -> int:
        return _entry("cuLaunchKernel")

    def launch_handle(self, stream: int) -> int:
        return int(handle_of(stream))

    def _parameters(self, slot_values: Sequence[int]) -> int:
        count = len(slot_values)
        known = self._here.arguments.get(count)
        if known is None:
            memory = (ctypes.c_uint64 * count)()
            first = ctypes.addressof(memory)
            addresses = (ctypes.c_uint64 * count)(*range(first, first + 8 * count, 8))
            known = self._here.arguments[count] = memory, ctypes.addressof(addresses), addresses
        known[0][:] = [word & MASK for word in slot_values]
        return known[1]

    # Streams and events.

    def _device_of(self, stream: int) -> int:
        return stream if stream < DEFAULT_STREAMS else self._owning_devices.get(stream, max(self._here.device, 0))

    def create_stream(self, device: int, priority: int = 0, blocking: bool = False) -> int:
        self._at(device)
        stream = int(self._call("cuStreamCreateWithPriority", 0 if blocking else NON_BLOCKING, priority))
        self._owning_devices[stream] = device
        return stream

    def destroy_stream(self, stream: int) -> None:
        self._at(self._owning_devices.pop(stream))
        self._call("cuStreamDestroy", stream)

    def stream_priorities(self, device: int) -> tuple[int, int]:
        self._at(device)
        lowest, highest = self._call("cuCtxGetStreamPriorityRange")
        return int(lowest), int(highest)

    def synchronize_stream(self, stream: int) -> None:
        self._at(self._device_of(stream))
        self._call("cuStreamSynchronize", handle_of(stream))

    def stream_done(self, stream: int) -> bool:
        self._at(self._device_of(stream))
        return self._tried(NOT_READY, "cuStreamQuery", handle_of(stream))[0]

    def create_event(self, device: int, timing: bool = False) -> int:
        self._at(device)
        event = int(self._call("cuEventCreate", 0 if timing else DISABLE_TIMING))
        self._owning_devices[event] = device
        return event

    def destroy_event(self, event: int) -> None:
        self._at(self._owning_devices.pop(event))
        self._call("cuEventDestroy", event)

    def record(self, event: int, stream: int) -> None:
        self._at(self._owning_devices[event])
        self._call("cuEventRecord", event, handle_of(stream))

    def wait(self, stream: int, event: int) -> None:
        self._at(self._device_of(stream))
        self._call("cuStreamWaitEvent", handle_of(stream), event, 0)

    def synchronize_event(self, event: int) -> None:
        self._call("cuEventSynchronize", event)

    def event_done(self, event: int) -> bool:
        return self._tried(NOT_READY, "cuEventQuery", event)[0]

    def elapsed(self, start: int, end: int) -> float:
        return float(self._call("cuEventElapsedTime", start, end))
