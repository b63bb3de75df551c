"""`_check` and its like: conditions that a program states, of which PyTorch's compiler makes assumptions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from ...namespace import op as own_ops
from ...tensor import dtypes
from ...tensor.base import TensorBase

Message = Callable[[], object] | None
_UNSAID = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)


def _check_with(error_type: type[Exception], cond: bool, message: Message = None) -> None:
    """Raise an error unless a condition holds.

    Args:
        error_type: the class of the error.
        cond: the condition.
        message: called for the message of the error.

    Raises:
        TypeError: the condition is no bool, or the message no function.

    Example:
        >>> _check_with(KeyError, 1 + 1 == 2, lambda: "arithmetic has changed")
    """
    if isinstance(cond, TensorBase):
        raise TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert "
            "that all elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is not None and not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(_UNSAID if message is None else str(message()))


_check = partial(_check_with, RuntimeError)
_check_index = partial(_check_with, IndexError)
_check_value = partial(_check_with, ValueError)
_check_type = partial(_check_with, TypeError)
_check_not_implemented = partial(_check_with, NotImplementedError)


def _check_is_size(i: int, message: Message = None, *, max: int | None = None) -> None:
    """Raise an error unless a number may be a size.

    Args:
        i: the number.
        message: called for the message of the error.
        max: the largest size that is expected.

    Raises:
        RuntimeError: it is negative, or larger.
    """
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all_with(error_type: type[Exception], cond: Any, message: Message = None) -> None:
    """Raise an error unless all elements of a tensor are true.

    Args:
        error_type: the class of the error.
        cond: a tensor of bools.
        message: called for the message of the error.

    Raises:
        TypeError: it is no such tensor.
    """
    if not isinstance(cond, TensorBase):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not dtypes.bool_:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(own_ops.all(cond)), message)


_check_tensor_all = partial(_check_tensor_all_with, RuntimeError)
