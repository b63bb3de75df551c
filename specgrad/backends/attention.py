"""Which of PyTorch's kernels of attention are allowed: kept, as there is one kernel here (`nn.attention`)."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..runtime.extensions.torch_compat.cpu_streams import allowed


def flash_sdp_enabled() -> bool:
    """Whether the kernel that keeps no matrix of all scores is allowed."""
    return allowed["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Allow or forbid the kernel that keeps no matrix of all scores.

    Args:
        enabled: whether it is allowed.
    """
    allowed["flash"] = enabled


def mem_efficient_sdp_enabled() -> bool:
    """Whether the kernel that needs little memory is allowed."""
    return allowed["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Allow or forbid the kernel that needs little memory.

    Args:
        enabled: whether it is allowed.
    """
    allowed["mem_efficient"] = enabled


def math_sdp_enabled() -> bool:
    """Whether the kernel made of products and a softmax is allowed."""
    return allowed["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Allow or forbid the kernel made of products and a softmax.

    Args:
        enabled: whether it is allowed.
    """
    allowed["math"] = enabled


def cudnn_sdp_enabled() -> bool:
    """Whether cuDNN's kernel is allowed."""
    return allowed["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Allow or forbid cuDNN's kernel.

    Args:
        enabled: whether it is allowed.
    """
    allowed["cudnn"] = enabled


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """Whether sums of 16-bit scores may have 16 bits: kept, they have 32."""
    return allowed["reduced_math"]


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Allow or forbid sums of 16-bit scores in 16 bits.

    Args:
        enabled: whether they are allowed.
    """
    allowed["reduced_math"] = enabled


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
