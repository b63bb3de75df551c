"""How specgrad is made up: the libraries that compute, and threads."""

from __future__ import annotations

import os
import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from ...pool.threads import get_num_interop_threads, get_num_threads

_LIBRARIES = "numpy", "scipy", "numba", "llvmlite", "ml_dtypes"
_VARIABLES = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "SPECGRAD_NATIVE"


def version_of(package: str) -> str | None:
    """The version of a package that is installed; None where it is not."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def blas() -> str:
    """Name and version of the library of matrix products that NumPy calls."""
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
