"""Running tests on a simulated CUDA device: new tensors lie there, and NumPy sees copies of them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import pytest

import specgrad as sg
from specgrad.runtime.device.cuda import allocator, current, driver
from specgrad.runtime.extensions.simulator.driver import SimulatedDriver
from specgrad.runtime.tensor.tensor import host_array

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
        current.Changes.notify()
        yield
    current.Changes.notify()


@contextmanager
def everything_on_the_device(module: ModuleType) -> Iterator[None]:
    """Tensors are made on the simulated device unless a test says otherwise; `numpy()` copies them to the host.

    Those that the test's module and its classes have since it was imported are moved. What the device has been given
    to do is done in the end, so that it is this test that fails by it.
    """
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
        classes = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
        for owner in (module, *filter(inspect.isclass, classes)):
            for name, value in list(vars(owner).items()):
                if holds_tensor(value):
                    patch.setattr(owner, name, moved(value))
        sg.set_default_device("cuda")
        try:
            yield
            sg.cuda.synchronize()
        finally:
            sg.set_default_device(None)


def holds_tensor(value: Any) -> bool:
    """Whether this is a tensor, or a list, tuple or dictionary with one inside."""
    if isinstance(value, (list, tuple, dict)):
        return any(map(holds_tensor, value.values() if isinstance(value, dict) else value))
    return isinstance(value, sg.Tensor)


def moved(value: Any) -> Any:
    """The same with its tensors on the device."""
    if isinstance(value, dict):
        return {key: moved(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and holds_tensor(value):
        items = [moved(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, sg.Tensor):
        return value.detach().cuda().requires_grad_(value.requires_grad)
    return value
