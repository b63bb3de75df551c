"""Products of matrices on CUDA devices: how exactly they are computed."""

from importlib.util import find_spec

from .switches import Matmul

matmul = Matmul()

__all__ = ["is_built", "matmul"]


def is_built() -> bool:
    """Whether what calls CUDA's driver is installed: the package `cuda-bindings`."""
    return find_spec("cuda") is not None and find_spec("cuda.bindings") is not None
