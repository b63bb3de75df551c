"""Stages that measure: ceilings of the device, and what specgrad reaches of them, beside PyTorch where it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import specgrad as sg

ELEMENTS = 1 << 28  # of a large array of float32: 1 GiB
SIMULATED = 1 << 10
SIDE = 8192  # of the matrices


def size() -> int:
    """The elements of large arrays: few where the device is simulated."""
    return SIMULATED if "Simulated" in sg.cuda.get_device_name() else ELEMENTS


def seconds_of(lib: Any, run: Callable[[], Any], times: int = 20) -> float:
    """The time of one call, when the device has done many of them."""
    run()
    lib.cuda.synchronize()
    start = time.perf_counter()
    for _ in range(times):
        run()
    lib.cuda.synchronize()
    return (time.perf_counter() - start) / times


def ceilings(seconds: float) -> dict[str, Any]:
    """Bytes per second of a copy on the device, read and written."""
    source = sg.zeros(size(), device="cuda")
    target = sg.zeros(size(), device="cuda")
    return {"copy GB/s": round(8 * size() / seconds_of(sg, lambda: target.copy_(source)) / 1e9, 1)}


def all_of_them(seconds: float) -> dict[str, Any]:
    """GB/s of element-wise ops, folds and rows, TFLOP/s of a product, microseconds of a launch: ours, and PyTorch's."""
    found: dict[str, Any] = {}
    libraries = {"specgrad": sg}
    try:
        import torch

        if torch.cuda.is_available() and "Simulated" not in sg.cuda.get_device_name():
            libraries["torch"] = torch
    except ImportError:
        pass
    for name, lib in libraries.items():
        for what, value in measured(lib).items():
            found[f"{name} {what}"] = value
    return found


def measured(lib: Any) -> dict[str, float]:
    """The figures of one library."""
    count = size()
    side = 32 if count == SIMULATED else SIDE
    x, y = lib.ones(count, device="cuda"), lib.ones(count, device="cuda")
    rows = x.reshape(-1, 1024)
    a = lib.ones(side, side, device="cuda", dtype=lib.bfloat16)
    small = lib.ones(16, device="cuda")

    def rate(run: Callable[[], Any], moved: int) -> float:
        return round(moved * 4 / seconds_of(lib, run) / 1e9, 1)

    return {
        "add GB/s": rate(lambda: x + y, 3 * count),
        "sum GB/s": rate(x.sum, count),
        "softmax GB/s": rate(lambda: lib.softmax(rows, 1), 2 * count),
        "layer_norm GB/s": rate(lambda: lib.nn.functional.layer_norm(rows, (1024,)), 2 * count),
        "bfloat16 product TFLOP/s": round(2 * side**3 / seconds_of(lib, lambda: a @ a) / 1e12, 1),
        "small add us": round(seconds_of(lib, lambda: small + small, 200) * 1e6, 2),
    }
