"""Stands for `cuda.bindings.driver`: functions of the same names and arguments, which a simulated device carries out.

Calls are noted. A status that is set in `failing` is returned in place of what a function would do.
"""

import ctypes
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

from specgrad.runtime.errors import AcceleratorError
from specgrad.runtime.extensions.simulator.device_memory import device_of, is_of_device
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver

CAPABILITY = (9, 0)


class CUresult(IntEnum):
    """The statuses that the driver tells apart."""

    CUDA_SUCCESS = 0
    CUDA_ERROR_INVALID_VALUE = 1
    CUDA_ERROR_OUT_OF_MEMORY = 2
    CUDA_ERROR_NO_DEVICE = 100
    CUDA_ERROR_NOT_READY = 600
    CUDA_ERROR_ILLEGAL_ADDRESS = 700
    CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900
    CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901


NOT_READY = (CUresult.CUDA_ERROR_NOT_READY, CUresult.CUDA_SUCCESS)
NO_RESULT = ("cuInit", "cuStreamQuery", "cuEventQuery", "cuMemFreeAsync", "cuLaunchKernel", "cuStreamSynchronize")
NO_RESULT += ("cuCtxSynchronize", "cuMemcpyDtoDAsync", "cuMemsetD8Async")


def _sizes(part: Any) -> list[int]:
    """The bytes that CUDA reads of each word of an argument."""
    if hasattr(part, "dtype"):
        return [8] * 7
    return [part.itemsize // 2] * 2 if part.kind == "c" else [part.itemsize]


def status_of(error: AcceleratorError) -> CUresult:
    """The status that stands for what a simulated device says of a capture; other errors are the tests'."""
    for status in CUresult:
        if f"({status.name})" in str(error):
            return status
    raise error


class Names:
    """An enumeration whose members are their names."""

    def __getattr__(self, name: str) -> str:
        return name


class Handle:
    """What is no int in the module: a device, a context, a pool, a loaded image or a function of it."""

    def __init__(self, kind: str, value: Any) -> None:
        self.kind, self.value = kind, value

    def __int__(self) -> int:
        return int(self.value)


class FakeBindings:
    """The module.

    Args:
        device: what carries calls out.
    """

    CUresult = CUresult
    CUstreamCaptureMode = CUdevice_attribute = CUpointer_attribute = CUmemPool_attribute = Names()
    CUfunction_attribute = CUmemLocationType = CUmemAccess_flags = Names()
    cuuint64_t = staticmethod(int)

    def __init__(self, device: SimulatedDriver) -> None:
        self.device = device
        self.calls: list[tuple[Any, ...]] = []
        self.failing: dict[str, CUresult] = {}
        self.images: dict[bytes, Any] = {}
        self.signatures: dict[int, Any] = {}
        self.current: int | None = None
        self.mode = "CU_STREAM_CAPTURE_MODE_GLOBAL"

    def __getattribute__(self, name: str) -> Any:
        found = object.__getattribute__(self, name)
        is_function = name.startswith("cu") and name not in ("current", "cuuint64_t")
        return self.noted(name, found) if is_function else found

    def noted(self, name: str, function: Any) -> Any:
        def call(*arguments: Any) -> tuple[Any, ...]:
            self.calls.append((name, *arguments))
            try:
                result = self.failing[name] if name in self.failing else function(*arguments)
            except AcceleratorError as error:
                result = status_of(error)
            if isinstance(result, CUresult):
                return (result, *[None] * (name not in NO_RESULT))
            values = result if isinstance(result, tuple) else () if result is None else (result,)
            return (CUresult.CUDA_SUCCESS, *values)

        return call

    def CUmemAccessDesc(self) -> Any:
        return SimpleNamespace(location=SimpleNamespace(type=None, id=None), flags=None)

    def here(self) -> int:
        assert self.current is not None, "no context is current"
        return self.current

    def stream(self, handle: int) -> int:
        assert type(handle) is int
        return handle or self.here()

    def cuInit(self, flags: int) -> None:
        assert flags == 0

    def cuGetErrorName(self, status: CUresult) -> bytes:
        return status.name.encode()

    def cuGetErrorString(self, status: CUresult) -> bytes:
        return status.name.removeprefix("CUDA_ERROR_").lower().replace("_", " ").encode()

    def cuDeviceGetCount(self) -> int:
        return self.device.device_count()

    def cuDeviceGet(self, ordinal: int) -> Handle:
        return Handle("device", ordinal)

    def cuDeviceGetName(self, length: int, dev: Handle) -> bytes:
        return b"Fake device %d" % dev.value + b"\0" * 200

    def cuDeviceGetAttribute(self, attrib: str, dev: Handle) -> int:
        assert dev.kind == "device"
        capability = {"COMPUTE_CAPABILITY_MAJOR": CAPABILITY[0], "COMPUTE_CAPABILITY_MINOR": CAPABILITY[1]}
        return capability.get(attrib.removeprefix("CU_DEVICE_ATTRIBUTE_"), len(attrib))

    def cuDeviceTotalMem(self, dev: Handle) -> int:
        return self.device.memory.totals[dev.value]

    def cuDeviceGetUuid(self, dev: Handle) -> Any:
        return SimpleNamespace(bytes=bytes(range(16)))

    def cuDeviceCanAccessPeer(self, dev: Handle, peerDev: Handle) -> int:
        return int(self.device.can_access_peer(dev.value, peerDev.value))

    def cuDevicePrimaryCtxRetain(self, dev: Handle) -> Handle:
        return Handle("context", dev.value)

    def cuCtxSetCurrent(self, ctx: Handle) -> None:
        assert ctx.kind == "context"
        self.current = ctx.value

    def cuCtxSynchronize(self) -> None:
        self.device.synchronize(self.here())

    def cuCtxGetStreamPriorityRange(self) -> tuple[int, int]:
        return self.device.stream_priorities(self.here())

    def cuDeviceGetDefaultMemPool(self, dev: Handle) -> Handle:
        assert dev.kind == "device"
        return Handle("pool", dev.value)

    def cuMemPoolSetAttribute(self, pool: Handle, attr: str, value: int) -> None:
        assert (pool.kind, attr, value) == ("pool", "CU_MEMPOOL_ATTR_RELEASE_THRESHOLD", 2**64 - 1)

    def cuMemPoolSetAccess(self, pool: Handle, map: Any, count: int) -> None:
        assert pool.kind == "pool" and map[0].location.id != pool.value and count == len(map) == 1

    def cuMemPoolTrimTo(self, pool: Handle, minBytesToKeep: int) -> None:
        assert (pool.kind, pool.value, minBytesToKeep) == ("pool", self.here(), 0)

    def cuMemGetInfo(self) -> tuple[int, int]:
        return self.device.memory_info(self.here())

    def cuMemAllocFromPoolAsync(self, bytesize: int, pool: Handle, hStream: int) -> int:
        assert (pool.kind, pool.value) == ("pool", self.here())
        return self.device.allocate(self.here(), bytesize, self.stream(hStream))

    def cuMemFreeAsync(self, dptr: int, hStream: int) -> None:
        self.device.free(self.here(), dptr, self.stream(hStream))

    def cuMemcpyHtoDAsync(self, dstDevice: int, srcHost: int, ByteCount: int, hStream: int) -> None:
        self.device.copy(dstDevice, srcHost, ByteCount, "h2d", self.stream(hStream))

    def cuMemcpyDtoHAsync(self, dstHost: int, srcDevice: int, ByteCount: int, hStream: int) -> None:
        self.device.copy(dstHost, srcDevice, ByteCount, "d2h", self.stream(hStream))

    def cuMemcpyDtoDAsync(self, dstDevice: int, srcDevice: int, ByteCount: int, hStream: int) -> None:
        self.device.copy(dstDevice, srcDevice, ByteCount, "d2d", self.stream(hStream))

    def cuMemsetD8Async(self, dstDevice: int, uc: int, N: int, hStream: int) -> None:
        self.device.fill(dstDevice, uc, N, self.stream(hStream))

    def cuPointerGetAttribute(self, attribute: str, data: int) -> Any:
        assert attribute == "CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL"
        return device_of(data) if is_of_device(data) else CUresult.CUDA_ERROR_INVALID_VALUE

    def cuMemHostAlloc(self, bytesize: int, Flags: int) -> int:
        assert Flags == 1, "portable: pinned for all contexts"
        self.here()
        return self.device.pin(bytesize)

    def cuMemFreeHost(self, p: int) -> None:
        self.device.unpin(p)

    def cuModuleLoadData(self, image: bytes) -> Handle:
        self.here()
        return Handle("module", image)

    def cuModuleGetFunction(self, hmod: Handle, name: bytes) -> Handle:
        assert (hmod.kind, name) == ("module", b"kernel")
        kernel, signature = self.images[hmod.value]
        handle = self.device.load(kernel, signature, self.here())
        self.signatures[handle] = signature
        return Handle("function", handle)

    def cuFuncSetAttribute(self, hfunc: int, attrib: str, value: int) -> None:
        assert (hfunc in self.signatures, attrib) == (True, "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES")

    def cuLaunchKernel(
        self,
        f: int,
        gridDimX: int,
        gridDimY: int,
        gridDimZ: int,
        blockDimX: int,
        blockDimY: int,
        blockDimZ: int,
        sharedMemBytes: int,
        hStream: int,
        kernelParams: int,
        extra: int,
    ) -> None:
        assert extra == 0
        sizes = [size for part in self.signatures[f] for size in _sizes(part)]
        addresses = (ctypes.c_uint64 * len(sizes)).from_address(kernelParams)
        raw = [ctypes.string_at(address, size) for address, size in zip(addresses, sizes, strict=True)]
        slot_values = [int.from_bytes(part, "little") for part in raw]
        grid, block = (gridDimX, gridDimY, gridDimZ), (blockDimX, blockDimY, blockDimZ)
        self.device.launch(f, grid, block, slot_values, sharedMemBytes, self.stream(hStream))

    def cuStreamCreateWithPriority(self, flags: int, priority: int) -> int:
        return self.device.create_stream(self.here(), priority, blocking=flags == 0)

    def cuStreamDestroy(self, hStream: int) -> None:
        self.device.destroy_stream(hStream)

    def cuStreamSynchronize(self, hStream: int) -> None:
        self.device.synchronize_stream(self.stream(hStream))

    def cuStreamQuery(self, hStream: int) -> CUresult:
        return NOT_READY[self.device.stream_done(self.stream(hStream))]

    def cuStreamWaitEvent(self, hStream: int, hEvent: int, Flags: int) -> None:
        assert Flags == 0
        self.device.wait(self.stream(hStream), hEvent)

    def cuEventCreate(self, Flags: int) -> int:
        return self.device.create_event(self.here(), timing=Flags == 0)

    def cuEventDestroy(self, hEvent: int) -> None:
        self.device.destroy_event(hEvent)

    def cuEventRecord(self, hEvent: int, hStream: int) -> None:
        self.device.record(hEvent, self.stream(hStream))

    def cuEventSynchronize(self, hEvent: int) -> None:
        self.device.synchronize_event(hEvent)

    def cuEventQuery(self, hEvent: int) -> CUresult:
        return NOT_READY[self.device.event_done(hEvent)]

    def cuStreamBeginCapture(self, hStream: int, mode: str) -> None:
        self.device.begin_capture(self.stream(hStream), mode.removeprefix("CU_STREAM_CAPTURE_MODE_").lower())

    def cuStreamEndCapture(self, hStream: int) -> Handle:
        return Handle("graph", self.device.end_capture(self.stream(hStream)))

    def cuStreamIsCapturing(self, hStream: int) -> int:
        return int(self.device.is_capturing(self.stream(hStream)))

    def cuThreadExchangeStreamCaptureMode(self, mode: str) -> str:
        before, self.mode = self.mode, mode
        return before

    def cuGraphInstantiate(self, hGraph: int, flags: int) -> Handle:
        assert flags == 0
        return Handle("executable", self.device.instantiate(hGraph))

    def cuGraphLaunch(self, hGraphExec: int, hStream: int) -> None:
        self.device.replay(hGraphExec, self.stream(hStream))

    def cuGraphGetNodes(self, hGraph: int, numNodes: int) -> tuple[None, int]:
        assert numNodes == 0
        return None, self.device.graph_size(hGraph)

    def cuGraphDebugDotPrint(self, hGraph: int, path: bytes, flags: int) -> None:
        assert flags == 1
        self.device.print_graph(hGraph, path.decode())

    def cuGraphDestroy(self, hGraph: int) -> None:
        self.device.destroy_graph(hGraph)

    def cuGraphExecDestroy(self, hGraphExec: int) -> None:
        self.device.destroy_executable(hGraphExec)

    def cuEventElapsedTime(self, hStart: int, hEnd: int) -> float:
        return self.device.elapsed(hStart, hEnd)
