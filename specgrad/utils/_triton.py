"""Whether kernels in the language Triton can run, under PyTorch's name: there is no compiler that makes use of them."""

__all__ = ["has_triton", "has_triton_package"]


def has_triton_package() -> bool:
    """Whether the package is there for specgrad to use: it uses none."""
    return False


def has_triton() -> bool:
    """Whether such kernels run here: they do not."""
    return False
