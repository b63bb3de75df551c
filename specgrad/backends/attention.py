"""Which of PyTorch's kernels of attention are allowed: kept, as there is one kernel here (`nn.attention`)."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..runtime.extensions.torch_compat.cpu_streams import allowed


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
