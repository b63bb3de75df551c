"""Extensions in C++ under PyTorch's name, all refused; the code is in specgrad.runtime.pytorch.environment."""

from ..runtime.pytorch.environment.cpp_extension import (
    BuildExtension,
    CppExtension,
    CUDAExtension,
    SyclExtension,
    include_paths,
    is_ninja_available,
    library_paths,
    load,
    load_inline,
)

CUDA_HOME: str | None = None
ROCM_HOME: str | None = None
IS_HIP_EXTENSION = False

__all__ = [
    "CUDA_HOME",
    "BuildExtension",
    "CUDAExtension",
    "CppExtension",
    "SyclExtension",
    "include_paths",
    "is_ninja_available",
    "library_paths",
    "load",
    "load_inline",
]
