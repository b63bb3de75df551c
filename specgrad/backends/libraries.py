"""Which of NVIDIA's libraries are asked, and plans that they keep: names by which programs set what is fixed here."""

from types import SimpleNamespace

__all__ = ["cufft_plan_cache", "preferred_blas_library", "preferred_linalg_library"]

cufft_plan_cache = SimpleNamespace(size=0, max_size=0, clear=lambda: None)  # plans are kept with their launches


def preferred_linalg_library(backend: str | None = None) -> str:
    """The library of decompositions on CUDA devices: cuSOLVER, whatever is asked for.

    Args:
        backend: 'default', 'cusolver' or 'magma'.

    Raises:
        RuntimeError: another name.
    """
    if backend not in (None, "default", "cusolver", "magma"):
        raise RuntimeError("Unknown input value. Choose from: default, cusolver, magma.")
    return "cusolver"


def preferred_blas_library(backend: str | None = None) -> str:
    """The library of products on CUDA devices: cuBLASLt, whatever is asked for.

    Args:
        backend: 'default', 'cublas', 'cublaslt' or 'hipblaslt'.

    Raises:
        RuntimeError: another name.
    """
    if backend not in (None, "default", "cublas", "cublaslt", "hipblaslt", "ck"):
        raise RuntimeError("Unknown input value. Choose from: default, cublas, cublaslt, hipblaslt, ck.")
    return "cublaslt"
