"""Running tests on a simulated CUDA device: new tensors lie there, and NumPy sees copies of them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.cuda import allocator, current, driver
from specgrad.runtime.cuda.simulated.driver import SimulatedDriver
from specgrad.runtime.tensor.base import host_array

_device: list[Any] = []  # one driver for all tests of a process, so that no tensor outlives its own


@contextmanager
def simulated_device() -> Iterator[None]:
    """A process with one simulated device, whose missing kernels are computed on the host without a word.

    With SPECGRAD_TEST_DRIVER=real the device of this machine stands in its place.
    """
    if os.environ.get("SPECGRAD_TEST_DRIVER") == "real":
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SPECGRAD_CUDA_FALLBACK", "silent")
            yield
        return
    if not _device:
        _device.append((SimulatedDriver(), {}))
    simulated, caches = _device[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "_chosen", [simulated])
        patch.setattr(allocator, "_caches", caches)
        patch.setenv("SPECGRAD_CUDA_FALLBACK", "silent")
        current.Changes.told()
        yield
    current.Changes.told()


@contextmanager
def everything_on_the_device() -> Iterator[None]:
    """Tensors are made on the simulated device unless a test says otherwise; `numpy()` copies them to the host."""
    before, from_numpy = sg.Tensor.numpy, sg.from_numpy

    def numpy(tensor: Any, *, force: bool = False) -> Any:
        return before(tensor.cpu() if tensor.is_cuda else tensor, force=force)

    def array(tensor: Any, dtype: Any = None, copy: Any = None) -> Any:
        tensor.numpy()
        return host_array(tensor) if dtype is None else host_array(tensor).astype(dtype)

    with simulated_device(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sg, "from_numpy", lambda array: from_numpy(array).to("cuda"))
        patch.setattr(sg.Tensor, "numpy", numpy)
        patch.setattr(sg.Tensor, "__array__", array)
        sg.set_default_device("cuda")
        try:
            yield
        finally:
            sg.set_default_device(None)
