"""Modules whose attributes are switches of `math_modes`."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from types import ModuleType, SimpleNamespace
from typing import Any

from ..runtime.device.cuda.math_modes import math_modes
from ..runtime.dispatch import argument_checks
from ..runtime.extensions.torch_compat.cpu_streams import allowed


class Switch:
    """A bool of the process, as an attribute.

    Args:
        place: its name in `math_modes`.
    """

    def __init__(self, module_path: str) -> None:
        self.module_path = module_path

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> bool:
        return getattr(math_modes, self.module_path)

    def __set__(self, instance: Any, value: bool) -> None:
        setattr(math_modes, self.module_path, argument_checks.boolean("backends", self.name, value))


class Cudnn(ModuleType):
    """The module `backends.cudnn`."""

    enabled = Switch("cudnn")
    benchmark = Switch("benchmark")
    deterministic = Switch("deterministic_convolutions")
    allow_tf32 = Switch("convolution_tf32")


class Matmul:
    """`backends.cuda.matmul`: how products of matrices are computed on CUDA devices."""

    allow_fp16_reduced_precision_reduction = Switch("half_sums")
    allow_bf16_reduced_precision_reduction = Switch("bfloat16_sums")

    @property
    def allow_tf32(self) -> bool:
        """Whether products of float32 matrices may be computed in TF32: `set_float32_matmul_precision` says so too."""
        return math_modes.matmul_tf32

    @allow_tf32.setter
    def allow_tf32(self, value: bool) -> None:
        math_modes.precision = "high" if argument_checks.boolean("backends", "allow_tf32", value) else "highest"


class Verbose:
    """A block in which a library would tell what it computes: those that PyTorch asks are not used.

    Args:
        enable: whether it would.
    """

    def __init__(self, enable: int) -> None:
        self.enable = enable

    def __enter__(self) -> "Verbose":
        return self

    def __exit__(self, *_: object) -> None:
        return None


def switching(module: str, **defaults: Any) -> Callable[..., AbstractContextManager[None]]:
    """The function `flags` of a module: a block in which its attributes have other values.

    Args:
        module: its name.
        **defaults: the values of those that are not given.
    """

    @contextmanager
    def flags(*args: Any, **kwargs: Any) -> Iterator[None]:
        """A block in which switches of this module have other values.

        Args:
            *args, **kwargs: the values, in the order of the module's switches or by their names.
        """
        module_path = sys.modules[module]
        value = defaults | dict(zip(defaults, args, strict=False)) | kwargs
        if unknown := value.keys() - defaults.keys():
            raise TypeError(f"flags() got an unexpected keyword argument {min(unknown)!r}")
        before = {name: getattr(module_path, name) for name in value}
        vars(module_path).update(value)
        try:
            yield
        finally:
            vars(module_path).update(before)

    return flags


_BACKENDS = __name__.rpartition(".")[0]
miopen_flags = switching(f"{_BACKENDS}.miopen", immediate=False)
mkldnn_flags = switching(
    f"{_BACKENDS}.mkldnn", enabled=False, deterministic=False, allow_tf32=True, fp32_precision="none"
)
nnpack_flags = switching(f"{_BACKENDS}.nnpack", enabled=False)

_fast_path = [True]


def get_fastpath_enabled() -> bool:
    """Whether layers of transformers may take PyTorch's shorter path in inference: kept, here there is one path."""
    return _fast_path[0]


def set_fastpath_enabled(value: bool) -> None:
    """Allow or forbid the shorter path.

    Args:
        value: whether it is allowed.
    """
    _fast_path[0] = value


# ---- NVIDIA's libraries ----------------------------------------------------------------------------------------------

cufft_plan_cache = SimpleNamespace(size=0, max_size=0, clear=lambda: None)  # plans are kept with their launches


def preferred_linalg_library(backend: str | None = None) -> str:
    """The library of decompositions on CUDA devices: cuSOLVER, whatever is asked for.

    Args:
        backend: 'default', 'cusolver' or 'magma'.

    Raises:
        RuntimeError: another name.
    """
    if backend not in (None, "default", "cusolver", "magma"):
        raise RuntimeError("preferred_linalg_library(): Unknown input value. Choose from: default, cusolver, magma.")
    return "cusolver"


def preferred_blas_library(backend: str | None = None) -> str:
    """The library of products on CUDA devices: cuBLASLt, whatever is asked for.

    Args:
        backend: 'default', 'cublas', 'cublaslt' or 'hipblaslt'.

    Raises:
        RuntimeError: another name.
    """
    if backend not in (None, "default", "cublas", "cublaslt", "hipblaslt", "ck"):
        raise RuntimeError(
            "preferred_blas_library(): Unknown input value. Choose from: default, cublas, cublaslt, hipblaslt, ck."
        )
    return "cublaslt"


# ---- kernels of attention, which are kept: there is one here (`nn.attention`) ----------------------------------------


def _switch(kernel: str, what: str, asked: str, told: str) -> tuple[Callable[[], bool], Callable[[bool], None]]:
    """Two functions of the names `asked` and `told`, that say and set whether PyTorch may use a kernel."""

    def is_allowed() -> bool:
        return allowed[kernel]

    def allow(enabled: bool) -> None:
        allowed[kernel] = enabled

    is_allowed.__name__ = is_allowed.__qualname__ = asked
    allow.__name__ = allow.__qualname__ = told
    is_allowed.__doc__ = f"Whether PyTorch may use {what}."
    allow.__doc__ = f"Allow or forbid {what}.\n\nArgs:\n    enabled: whether it is allowed.\n"
    return is_allowed, allow


flash_sdp_enabled, enable_flash_sdp = _switch(
    "flash", "the kernel that keeps no matrix of all scores", "flash_sdp_enabled", "enable_flash_sdp"
)
mem_efficient_sdp_enabled, enable_mem_efficient_sdp = _switch(
    "mem_efficient", "the kernel that needs little memory", "mem_efficient_sdp_enabled", "enable_mem_efficient_sdp"
)
math_sdp_enabled, enable_math_sdp = _switch(
    "math", "the kernel made of products and a softmax", "math_sdp_enabled", "enable_math_sdp"
)
cudnn_sdp_enabled, enable_cudnn_sdp = _switch("cudnn", "cuDNN's kernel", "cudnn_sdp_enabled", "enable_cudnn_sdp")
fp16_bf16_reduction_math_sdp_allowed, allow_fp16_bf16_reduction_math_sdp = _switch(
    "reduced_math",
    "sums of 16-bit scores in 16 bits, which have 32 here",
    "fp16_bf16_reduction_math_sdp_allowed",
    "allow_fp16_bf16_reduction_math_sdp",
)


@contextmanager
def sdp_kernel(
    enable_flash: bool = True, enable_math: bool = True, enable_mem_efficient: bool = True, enable_cudnn: bool = True
) -> Iterator[None]:
    """A block in which some kernels are allowed: the older form of `nn.attention.sdpa_kernel`.

    Args:
        enable_flash, enable_math, enable_mem_efficient, enable_cudnn: which.
    """
    before = dict(allowed)
    allowed.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn)
    try:
        yield
    finally:
        allowed.update(before)
