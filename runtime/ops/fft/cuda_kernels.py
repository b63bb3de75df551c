"""The scale of Fourier transforms on a device."""

from typing import Any

from ...kernels.cuda.language import T, cuda

# The text names these; a kernel has its own in their place.
index: Any = None
get_x = put_x = index


def scaled(x: Any, factor: Any, total: Any) -> None:
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        put_x(x, i, T(get_x(x, i) * factor))
