"""Stages that measure: ceilings of the device, and what specgrad reaches of them, beside PyTorch where it is."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from typing import Any

import specgrad as sg

from . import limits, steps

ELEMENTS = 1 << 28  # of a large array of float32: 1 GiB
SIMULATED = 1 << 10
SIDE = 8192  # of the matrices
WARM = 3  # calls that are not timed: what is found, compiled and allocated by the first two is there in the last


def size() -> int:
    """The elements of large arrays: few where the device is simulated."""
    return SIMULATED if "Simulated" in sg.cuda.get_device_name() else ELEMENTS


def seconds_of(lib: Any, run: Callable[[], Any], times: int = 20) -> float:
    """The time of one call, when the device has done many of them."""
    for _ in range(WARM):
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
    """Rates of element-wise ops, folds, rows and a product, times of a launch and of steps of training: ours, and
    PyTorch's. On a GPU what does not reach its limit is an error."""
    results: dict[str, Any] = {}
    libraries = {"specgrad": sg}
    simulated = "Simulated" in sg.cuda.get_device_name()
    with contextlib.suppress(ImportError):
        import torch

        if torch.cuda.is_available() and not simulated:
            libraries["torch"] = torch
    for name, lib in libraries.items():
        for what, value in (measured(lib) | steps_measured(lib, [] if simulated else list(steps.MODELS))).items():
            results[f"{name} {what}"] = value
    under = [] if simulated else limits.missed(results)
    return results | ({"error": f"below the limits: {'; '.join(under)}"} if under else {})


def steps_measured(lib: Any, models: Sequence[str], repeats: int = 100) -> dict[str, float]:
    """Microseconds of a step of training, eager and as a graph, of which so many are timed."""
    results = {}
    for name in models:
        step = steps.step_of(lib, name)
        results[f"{name} step us"] = round(seconds_of(lib, step, repeats) * 1e6, 1)
        results[f"{name} graph us"] = round(seconds_of(lib, steps.graph_of(lib, step), repeats) * 1e6, 1)
    return results


def large(seconds: float) -> dict[str, Any]:
    """Ops on arrays of more than 2^31 bytes and 2^31 elements: their ends are what they must be."""
    count = SIMULATED if "Simulated" in sg.cuda.get_device_name() else (1 << 31) + 24
    x = sg.ones(count, device="cuda", dtype=sg.uint8)
    x[-1] = 3
    y = x + x
    wrong = [
        name
        for name, result, expected in (
            ("add", y[-1].item(), 6),
            ("sum", y.sum().item(), 2 * count + 4),
            ("argmax", y.argmax().item(), count - 1),
            ("copy", y.flip(0)[0].item(), 6),
            ("index", y[sg.tensor([count - 1], device="cuda")].item(), 6),
            ("cumsum", x.cumsum(0)[-1].item(), count + 2),
        )
        if result != expected
    ]
    return {"elements": count} | ({"error": f"wrong at the end of large arrays: {', '.join(wrong)}"} if wrong else {})


def measured(lib: Any) -> dict[str, float]:
    """The figures of one library."""
    count = size()
    side = 32 if count == SIMULATED else SIDE
    x, y = lib.randn(count, device="cuda"), lib.randn(count, device="cuda")
    rows = x.reshape(-1, 1024)
    a = lib.randn(side, side, device="cuda").to(lib.bfloat16)
    small = lib.randn(16, device="cuda")

    def rate(run: Callable[[], Any], moved: int) -> float:
        return round(moved * 4 / seconds_of(lib, run) / 1e9, 1)

    return {
        "copy GB/s": rate(lambda: y.copy_(x), 2 * count),
        "add GB/s": rate(lambda: x + y, 3 * count),
        "sum GB/s": rate(x.sum, count),
        "softmax GB/s": rate(lambda: lib.softmax(rows, 1), 2 * count),
        "layer_norm GB/s": rate(lambda: lib.nn.functional.layer_norm(rows, (1024,)), 2 * count),
        "bfloat16 product TFLOP/s": round(2 * side**3 / seconds_of(lib, lambda: a @ a) / 1e12, 1),
        "small add us": round(seconds_of(lib, lambda: small + small, 200) * 1e6, 2),
    }
