"""A description of the machine and of what is installed, for reports of mistakes."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import distributions
from typing import NamedTuple

from ...tensor.devices import cuda_available
from . import config

_RELEVANT = ("numpy", "scipy", "numba", "llvmlite", "ml_dtypes", "cuda-bindings", "nvmath-python", "torch", "onnx")


class SystemEnv(NamedTuple):
    """What is known of the machine and the program.

    Args:
        torch_version: the version of specgrad.
        python_version: Python's.
        python_platform: system and processor.
        libc_version: the C library.
        cpu_info: how many processors.
        is_cuda_available: whether there is a CUDA device.
        pip_packages: packages that matter, with versions.
        blas: the library of matrix products.
    """

    torch_version: str
    python_version: str
    python_platform: str
    libc_version: str
    cpu_info: str
    is_cuda_available: bool
    pip_packages: list[str]
    blas: str


def get_env_info() -> SystemEnv:
    """What is known of the machine and the program, as fields."""
    matches = sorted({f"{d.metadata['Name']}=={d.version}" for d in distributions() if d.metadata["Name"] in _RELEVANT})
    return SystemEnv(
        torch_version=f"specgrad {config.version_of('specgrad')}",
        python_version=sys.version.replace("\n", " "),
        python_platform=platform.platform(),
        libc_version="-".join(platform.libc_ver()),
        cpu_info=f"{os.cpu_count()} x {platform.processor() or platform.machine()}",
        is_cuda_available=cuda_available(),
        pip_packages=matches,
        blas=config.blas(),
    )


def get_pretty_env_info() -> str:
    """What is known of the machine and the program, as text.

    Example:
        >>> "Python version" in get_pretty_env_info()
        True
    """
    info = get_env_info()
    lines = [
        f"specgrad version: {info.torch_version}",
        f"Is CUDA available: {info.is_cuda_available}",
        "",
        f"Python version: {info.python_version}",
        f"Python platform: {info.python_platform}",
        f"Libc version: {info.libc_version}",
        f"CPU: {info.cpu_info}",
        f"BLAS: {info.blas}",
        "",
        "Versions of relevant libraries:",
        *(f"[pip3] {package}" for package in info.pip_packages),
    ]
    return "\n".join(lines)


def main() -> None:
    """Print what is known of the machine and the program."""
    print("Collecting environment information...")
    print(get_pretty_env_info())
