"""Methods of tensors that are functions too, and older functions that programs still call."""

from __future__ import annotations

import builtins
import math
from typing import Any

from ..creation import legacy
from ..creation.ranges import arange
from ..dispatch import checks
from ..errors import warn_user
from ..namespace import op
from ..tensor.base import TensorBase
from ..tensor.dtypes import get_default_dtype


def _conj(input: Any) -> Any:
    return op.conj(checks.tensor("_conj", "input", input))


def _neg_view(input: Any) -> Any:
    return op._neg_view(checks.tensor("_neg_view", "input", input))


def detach(input: Any) -> Any:
    """The tensor outside of the graph: `input.detach()`.

    Args:
        input: the tensor.
    """
    return checks.tensor("detach", "input", input).detach()


def detach_(input: Any) -> Any:
    """Take a tensor out of the graph: `input.detach_()`.

    Args:
        input: the tensor.
    """
    return checks.tensor("detach_", "input", input).detach_()


def fill(input: Any, value: Any) -> Any:
    """A tensor like another, all of whose elements are a value, through which its gradient goes.

    Args:
        input: the tensor to be like.
        value: a number, or a tensor without dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.fill(sg.zeros(2), 3)
        tensor([3., 3.])
    """
    return checks.tensor("fill", "input", input).clone().fill_(value)


def resize_as_(input: Any, the_template: Any) -> Any:
    """Give a tensor the sizes of another: `input.resize_as_(the_template)`.

    Args:
        input: the tensor.
        the_template: the other.
    """
    return checks.tensor("resize_as_", "input", input).resize_as_(the_template)


def get_device(input: Any) -> int:
    """The index of the CUDA device that a tensor lies on; -1 on the CPU.

    Args:
        input: the tensor.
    """
    return checks.tensor("get_device", "input", input).get_device()


def is_signed(input: Any) -> bool:
    """Whether the dtype of a tensor has negative numbers.

    Args:
        input: the tensor.
    """
    return checks.tensor("is_signed", "input", input)._dtype.is_signed


def is_inference(input: Any) -> bool:
    """Whether a tensor was made in `inference_mode`: `input.is_inference()`.

    Args:
        input: the tensor.
    """
    return checks.tensor("is_inference", "input", input).is_inference()


def is_distributed(input: Any) -> bool:
    """Whether a tensor is spread over processes: never.

    Args:
        input: the tensor.
    """
    return checks.tensor("is_distributed", "input", input).is_distributed()


def norm_except_dim(v: Any, pow: int = 2, dim: int = 0) -> Any:
    """The norms of a tensor's slices along a dimension, with the other dimensions kept as ones.

    Args:
        v: the tensor.
        pow: which norm.
        dim: the dimension; -1 for one norm of all.

    Example:
        >>> import specgrad as sg
        >>> sg.norm_except_dim(sg.ones(2, 4), 2, 0)
        tensor([[2.],
                [2.]])
    """
    if dim == -1:
        return op.norm(checks.tensor("norm_except_dim", "v", v), pow)
    others = [d for d in builtins.range(v.dim()) if d != dim]
    return op.norm(v, pow, others, True) if others else v.abs()


def typename(obj: Any, /) -> str:
    """The name of an object's class with its module; of a class its own; of a tensor `specgrad.FloatTensor`.

    Args:
        obj: the object.

    Example:
        >>> import specgrad as sg
        >>> sg.typename(sg.ones(1)), sg.typename(3)
        ('specgrad.FloatTensor', 'int')
    """
    if isinstance(obj, TensorBase):
        return legacy.type_of(obj)
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(named, "__module__", "") or ""
    return named.__qualname__ if module in ("", "builtins") else f"{module}.{named.__qualname__}"


def range(start: Any, end: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None, **kwargs: Any) -> Any:
    """The numbers from `start` to `end`, which is one of them: deprecated, for Python's range ends before.

    Args:
        start: the first; 0 where only one number is given.
        end: the last.
        step: the distance.
        dtype: floats by default.
        device: where the tensor is made.
        **kwargs: `requires_grad` and others, as of `arange`.

    Raises:
        RuntimeError: the step is 0 or leads away.

    Example:
        >>> import warnings, specgrad as sg
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     sg.range(1, 3)
        tensor([1., 2., 3.])
    """
    warn_user(
        "specgrad.range is deprecated and will be removed in a future release because its behavior is inconsistent "
        "with Python's range builtin. Instead, use specgrad.arange, which produces values in [start, end)."
    )
    if end is None:
        start, end = 0, start
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and larger bound inconsistent with step sign")
    count = math.floor((end - start) / step) + 1
    result = arange(count, dtype=dtype or get_default_dtype(), device=device) * step + start
    return result.requires_grad_() if kwargs.get("requires_grad") else result
