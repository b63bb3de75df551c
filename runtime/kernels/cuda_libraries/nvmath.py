"""Libraries of real devices, through `nvmath.bindings`: cuBLAS, cuBLASLt, cuFFT and cuSOLVER."""

import importlib
import threading
from typing import Any

from .cublaslt import RealProducts
from .cusolver import RealBatches, RealSolvers
from .handles import CachedHandles, stream_handle
from .protocol import Fft

# Of cufftType, and the functions that run such plans: for float32 and for float64.
FFT_TYPES = {
    "c2c": ((41, "exec_c2c"), (105, "exec_z2z")),
    "r2c": ((42, "exec_r2c"), (106, "exec_d2z")),
    "c2r": ((44, "exec_c2r"), (108, "exec_z2d")),
}
FFT_FORWARD, FFT_INVERSE = -1, 1
PLANS = 64  # of a thread; each keeps memory of the device


class _Here(threading.local):
    """The handles of a thread, by library and device: a handle is used by one thread at a time."""

    def __init__(self) -> None:
        self.handles: dict[tuple[str, int], int] = {}
        self.plans: CachedHandles[int] = CachedHandles(PLANS, self.destroy)  # of cuFFT

    @staticmethod
    def destroy(plan: int) -> None:
        importlib.import_module("nvmath.bindings.cufft").destroy(plan)


class RealLibraries(RealProducts, RealSolvers, RealBatches):
    """Libraries that call NVIDIA's; the driver makes the context of a stream's device the current one."""

    def __init__(self, driver: Any) -> None:
        super().__init__()
        self.driver = driver
        self.here = _Here()

    def created(self, library: str, stream: int) -> tuple[Any, int]:
        device = self.driver.enter(stream)
        bindings = importlib.import_module(f"nvmath.bindings.{library}")
        if (library, device) not in self.here.handles:
            self.here.handles[library, device] = bindings.create()
        return bindings, self.here.handles[library, device]

    def handle(self, library: str, stream: int) -> tuple[Any, int]:
        bindings, result = self.created(library, stream)
        bindings.set_stream(result, stream_handle(stream))
        return bindings, result

    def fft(self, fft: Fft, source: int, to: int, stream: int) -> None:
        cufft = importlib.import_module("nvmath.bindings.cufft")
        plan = self.plan(fft, self.driver.enter(stream))
        cufft.set_stream(plan, stream_handle(stream))
        name = FFT_TYPES[fft.kind][fft.real.itemsize == 8][1]
        direction = ((FFT_FORWARD if fft.forward else FFT_INVERSE),) if fft.kind == "c2c" else ()
        getattr(cufft, name)(plan, source, to, *direction)

    def plan(self, fft: Fft, device: int) -> int:
        cufft = importlib.import_module("nvmath.bindings.cufft")

        def make() -> int:
            plan = int(cufft.create())
            kind = FFT_TYPES[fft.kind][fft.real.itemsize == 8][0]
            cufft.make_plan_many64(plan, len(fft.sizes), list(fft.sizes), 0, 1, 0, 0, 1, 0, kind, fft.batch)
            return plan

        return self.here.plans.get((fft._replace(forward=True), device), make)
