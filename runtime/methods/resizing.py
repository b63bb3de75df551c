"""Tensors that get another size in place, and tensors that a Python function fills: methods of `Tensor`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..autograd.version_counter import end_write, note_write
from ..device.device import CPU
from ..dispatch import argument_checks
from ..errors import ShapeError, type_name
from ..namespace import Tensor
from ..ops.creation.options import allocating, checked_size, size_argument
from ..tensor.captured import check_captured
from ..tensor.grad_mode import check_written
from ..tensor.replace_memory import resize


def resize_(self: Any, *sizes: "int | Sequence[int]", memory_format: Any = None) -> "Tensor":
    """Another size over the same memory, which grows where it is too small; the elements stay, in row-major order.

    Tensors that share the memory share it when it has grown. What is added has no particular values.

    Args:
        sizes: the shape, as several ints or as one list or tuple.
        memory_format: a request without effect.

    Raises:
        RuntimeError: the tensor requires grad, or memory of a file or of several processes would have to grow.

    Example:
        >>> import specgrad as sg
        >>> sg.arange(6).resize_(2, 2)
        tensor([[0, 1],
                [2, 3]])
    """
    argument_checks.optional_memory_format("resize_", "memory_format", memory_format)
    return _resized("resize_", self, size_argument("resize_", sizes))


def resize_as_(self: Any, the_template: "Tensor", *, memory_format: Any = None) -> "Tensor":
    """The size of another tensor; see `resize_`.

    Args:
        the_template: the tensor whose size is taken.
        memory_format: a request without effect.

    Raises:
        RuntimeError: as of `resize_`.

    Example:
        >>> import specgrad as sg
        >>> sg.arange(6).resize_as_(sg.ones(2))
        tensor([0, 1])
    """
    argument_checks.optional_memory_format("resize_as_", "memory_format", memory_format)
    template = argument_checks.tensor("resize_as_", "the_template", the_template)
    return _resized("resize_as_", self, template._shape)


def _resized(name: str, tensor: Any, size: Any) -> Any:
    if tensor.requires_grad:
        raise RuntimeError(f"{name}(): cannot resize variables that require grad")
    check_written(tensor)
    check_captured(name, tensor)
    if size == tensor._shape:
        return tensor
    with allocating(name):
        resize(tensor, checked_size(name, size))
    note_write(tensor, name)
    end_write(tensor)
    return tensor


def apply_(self: Any, callable: Callable[[Any], Any]) -> "Tensor":
    """Each element x becomes callable(x), one after the other: slow, and outside the graph.

    Args:
        callable: a function of a number that returns one.

    Raises:
        RuntimeError: the tensor requires grad.
        TypeError: `callable` is none, or returns no number.

    Example:
        >>> import specgrad as sg
        >>> sg.tensor([1, 2, 3]).apply_(lambda x: x * x)
        tensor([1, 4, 9])
    """
    return _called("apply_", self, (), callable)


def map_(self: Any, tensor: "Tensor", callable: Callable[[Any, Any], Any]) -> "Tensor":
    """Each element x becomes callable(x, y), where y is the element of `tensor` there; see `apply_`.

    Args:
        tensor: a tensor of the same dtype that broadcasts to this one, or this one to it.
        callable: a function of two numbers that returns one.

    Raises:
        RuntimeError: a tensor requires grad.
        TypeError: dtypes differ, or `callable` returns no number.

    Example:
        >>> import specgrad as sg
        >>> sg.tensor([1, 2]).map_(sg.tensor([3, 4]), lambda x, y: x - y)
        tensor([-2, -2])
    """
    return _called("map_", self, (tensor,), callable)


def map2_(self: Any, x: "Tensor", y: "Tensor", callable: Callable[[Any, Any, Any], Any]) -> "Tensor":
    """Each element z becomes callable(z, x, y), where x and y are elements of two tensors; see `map_`.

    Args:
        x, y: tensors of the same dtype that broadcast to this one.
        callable: a function of three numbers that returns one.

    Raises:
        RuntimeError: a tensor requires grad.
        TypeError: dtypes differ, or `callable` returns no number.

    Example:
        >>> import specgrad as sg
        >>> sg.tensor([1, 2]).map2_(sg.tensor([3, 4]), sg.tensor([10]), lambda z, x, y: z + x * y)
        tensor([31, 42])
    """
    return _called("map2_", self, (x, y), callable)


def _called(name: str, tensor: Any, others: tuple[Any, ...], function: Any) -> Any:
    if tensor._device is not CPU:
        raise TypeError(f"{name} is only implemented on CPU tensors, but got one on {tensor._device}")
    for other in others:
        if argument_checks.tensor(name, "other", other)._dtype is not tensor._dtype:
            raise TypeError(f"{name}(): expected tensors of {tensor._dtype}, but got {other._dtype}")
    if any(x.requires_grad for x in (tensor, *others)):
        raise RuntimeError(f"Can't call {name}() on Variable that requires grad. Use var.detach().{name}() instead.")
    if not callable(function):
        raise TypeError(f"{name}(): expected a function, but got {type_name(function)}")
    try:
        args = [np.broadcast_to(other.array, tensor._shape).ravel().tolist() for other in others]
    except ValueError:
        shapes = [list(other._shape) for other in others]
        raise ShapeError(f"{name}(): shapes {shapes} do not broadcast to {list(tensor._shape)}") from None
    check_written(tensor)
    check_captured(name, tensor)
    for view, *values in zip(np.ndindex(tensor._shape), *args, strict=True):
        tensor.array[view] = _number(name, function(tensor.array[view].item(), *values), tensor._dtype.kind)
    note_write(tensor, name)
    end_write(tensor)
    return tensor


def _number(name: str, value: Any, kind: str) -> Any:
    """Fractions are cut off for integers."""
    result = value.item() if hasattr(value, "item") else value
    if not isinstance(result, (bool, int, float, complex)):
        raise TypeError(f"{name}(): expected a function that returns numbers, but got {type_name(value)}")
    return int(result.real) if kind == "i" else result
