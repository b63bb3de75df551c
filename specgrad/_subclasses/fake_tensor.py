"""Tensors without memory that PyTorch's compiler follows programs with: there are none."""

from typing import Any


class FakeTensor:
    """The class of such tensors: no tensor is of it."""


def is_fake(x: Any) -> bool:
    """Whether a tensor is of a compiler's kind, without memory: none is.

    Args:
        x: the tensor.
    """
    return False


__all__ = ["FakeTensor", "is_fake"]
