"""The mark of stable functions under PyTorch's name."""

from collections.abc import Callable
from typing import Any


def compatibility(is_backward_compatible: bool) -> Callable[[Any], Any]:
    """A decorator that gives the function back: the mark is about PyTorch's releases.

    Args:
        is_backward_compatible: the mark.
    """
    return lambda function: function


__all__ = ["compatibility"]
