"""Dynamic shared memory: as many bytes as a launch on a device asks for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from specgrad.runtime.device.device import device
from specgrad.runtime.extensions.simulator import KernelFault
from specgrad.runtime.kernels.cuda.kernel import Kernel
from specgrad.runtime.kernels.cuda.language import cuda, float32
from specgrad.runtime.kernels.cuda_launch import arrays
from specgrad.runtime.kernels.cuda_launch.launch import launch
from tests.places import simulated_device


def reverse(x: Any, out: Any) -> None:
    """Through dynamic shared memory."""
    retained = cuda.shared.array(0, float32)
    t = cuda.threadIdx.x
    retained[t] = x[t]
    cuda.syncthreads()
    out[t] = retained[63 - t]


REVERSE = Kernel("reverse", lambda target, signature: target.kernel(reverse))


def reversed_by(shared: int) -> np.ndarray:
    """What a launch with so many bytes of shared memory writes."""
    target_device = device("cuda", 0)
    given = arrays.from_host(np.arange(64, dtype=np.float32), target_device)
    result = arrays.empty((64,), np.dtype(np.float32), target_device)
    launch(REVERSE, 1, 64, given, result, shared=shared)
    return arrays.to_host(result)


def test_dynamic_shared_memory_is_that_of_the_launch() -> None:
    """As many bytes as were asked for, and no more."""
    with simulated_device():
        assert reversed_by(256).tolist() == list(range(63, -1, -1))
        fault = r"^reverse: thread \(32, 0, 0\) .* writes retained\[32\], outside of its 32"
        with pytest.raises(KernelFault, match=fault):
            reversed_by(128)
