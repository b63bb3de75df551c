"""What specgrad is built on, its threads, and the machine, for reports of mistakes."""

import os
import platform
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, distributions, version
from typing import Any, NamedTuple

import numpy as np

from ...device.device import cuda_available
from ...device.threads.parallel_for import get_num_interop_threads, get_num_threads

_LIBRARIES = "numpy", "scipy", "numba", "llvmlite", "ml_dtypes"
_VARIABLES = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "SPECGRAD_NATIVE"


def version_of(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def blas() -> str:
    result: Any = np.show_config(mode="dicts")
    library = result.get("Build Dependencies", {}).get("blas", {})
    return f"{library.get('name', 'unknown')} {library.get('version', '')}".strip()


def get_cpu_capability() -> str:
    """The widest vectors of this processor that kernels may use, by PyTorch's names: 'AVX512', 'AVX2' or 'DEFAULT'.

    Example:
        >>> get_cpu_capability() in ("AVX512", "AVX2", "DEFAULT")
        True
    """
    core: Any = import_module("numpy._core._multiarray_umath")
    result = core.__cpu_features__
    return "AVX512" if result.get("AVX512F") else "AVX2" if result.get("AVX2") else "DEFAULT"


def show() -> str:
    """The libraries that specgrad is built on, and their versions, as text.

    Example:
        >>> print(show().splitlines()[0])
        specgrad built with:
    """
    lines = [f"  - Python {platform.python_version()}", f"  - BLAS of NumPy: {blas()}"]
    lines += [f"  - {package} {version_of(package)}" for package in _LIBRARIES]
    lines.append(f"  - CUDA bindings: {version_of('cuda-bindings') or 'not installed'}")
    return "\n".join(["specgrad built with:", *lines, ""])


def parallel_info() -> str:
    """How many threads compute, as text."""
    lines = [
        "specgrad/Parallel:",
        f"\tget_num_threads() : {get_num_threads()}",
        f"\tget_num_interop_threads() : {get_num_interop_threads()}",
        f"hardware concurrency : {os.cpu_count()}",
        "Environment variables:",
    ]
    lines += [f"\t{name} : {os.environ.get(name, '[not set]')}" for name in _VARIABLES]
    return "\n".join([*lines, "parallel backend: specgrad's own pool of threads", ""])


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
        torch_version=f"specgrad {version_of('specgrad')}",
        python_version=sys.version.replace("\n", " "),
        python_platform=platform.platform(),
        libc_version="-".join(platform.libc_ver()),
        cpu_info=f"{os.cpu_count()} x {platform.processor() or platform.machine()}",
        is_cuda_available=cuda_available(),
        pip_packages=matches,
        blas=blas(),
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
