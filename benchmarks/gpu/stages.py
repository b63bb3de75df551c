"""Stages that ask whether it works: environment, one launch of each kernel, sanitizers, the device suite."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
from typing import Any

PACKAGES = (
    "numpy",
    "scipy",
    "numba",
    "numba-cuda",
    "cuda-bindings",
    "nvmath-python",
    "nvidia-cudnn-frontend",
    "ml-dtypes",
    "torch",
)
TOOLS = ("memcheck", "racecheck", "initcheck")
LAUNCHES = [sys.executable, "-m", "benchmarks.gpu.launches"]


def environment(seconds: float) -> dict[str, Any]:
    """The device, the driver and the versions of packages."""
    import specgrad as sg

    results: dict[str, Any] = {"python": platform.python_version(), "available": sg.cuda.is_available()}
    if sg.cuda.is_available():
        properties = sg.cuda.get_device_properties()
        results |= {"device": properties.name, "capability": f"{properties.major}.{properties.minor}"}
        results |= {"memory": properties.total_memory}
    for package in PACKAGES:
        try:
            results[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            results[package] = "missing"
    return results


def launches(seconds: float) -> dict[str, Any]:
    """One launch of each kernel, compared with the CPU."""
    return last_line(LAUNCHES, seconds)


def sanitizer(seconds: float) -> dict[str, Any]:
    """The same under each of compute-sanitizer's tools."""
    program = shutil.which("compute-sanitizer")
    if program is None:
        return {"skipped": "compute-sanitizer is not installed"}
    results = {}
    for tool in TOOLS:
        command = [program, "--tool", tool, "--error-exitcode", "9", *LAUNCHES, "--first", "60"]
        results[tool] = last_line(command, seconds / 4).get("result", "failed")
    return results


def suite(seconds: float) -> dict[str, Any]:
    """The tests of devices on the real driver, in several processes: each compiles kernels in float64."""
    tests = "tests/generated/test_ops_on_device.py", "tests/generated/test_call_forms_on_device.py"
    processes = ["-n", "auto", "--maxprocesses", "12", "-p", "no:benchmark"]
    command = [sys.executable, "-m", "pytest", "-q", "--no-header", "--maxfail=20", *processes, *tests]
    return last_line(command, seconds, {"SPECGRAD_TEST_DRIVER": "real"})


def last_line(command: list[str], seconds: float, more: dict[str, str] | None = None) -> dict[str, Any]:
    """The last line that a command prints, and all of it."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=seconds, env={**os.environ, **(more or {})}, check=False
        )
    except subprocess.TimeoutExpired as error:
        return {"error": f"not done after {seconds:.0f} s", "output": str(error.stdout)}
    lines = (done.stdout + done.stderr).strip().splitlines()
    results: dict[str, Any] = {"result": lines[-1] if lines else "", "output": lines[-200:]}
    return results if done.returncode == 0 else {**results, "error": f"exit {done.returncode}: {results['result']}"}
