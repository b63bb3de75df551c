"""How CUDA devices compute: switches of products of matrices, of attention, and of libraries."""

from importlib.util import find_spec

from .. import later as _later
from ..runtime.methods.settings import unavailable as is_flash_attention_available
from .switches import Matmul

matmul = Matmul()

_SWITCHES = """
allow_fp16_bf16_reduction_math_sdp cudnn_sdp_enabled enable_cudnn_sdp enable_flash_sdp enable_math_sdp
enable_mem_efficient_sdp flash_sdp_enabled fp16_bf16_reduction_math_sdp_allowed math_sdp_enabled
mem_efficient_sdp_enabled sdp_kernel cufft_plan_cache preferred_blas_library preferred_linalg_library
"""
_NAMES = dict.fromkeys(_SWITCHES.split(), "backends.switches")

__all__ = ["is_built", "is_flash_attention_available", "matmul"]
__all__ += _NAMES

__getattr__ = _later.finder(__name__, (), _NAMES)


def is_built() -> bool:
    """Whether what calls CUDA's driver is installed: the package `cuda-bindings`."""
    return find_spec("cuda") is not None and find_spec("cuda.bindings") is not None
