"""Questions about tensors whose answers are plain Python values, or that no gradient flows through."""

from typing import Any, TypeGuard

import numpy as np

from ..device.device import CPU
from ..dispatch import argument_checks
from ..dispatch.devices import check_devices
from ..errors import DtypeError
from ..namespace import Tensor
from ..ops.numeric.fast_calls import EQUAL
from ..shapes import broadcast_shapes
from ..tensor.memory import placed
from ..tensor.observers import watch
from ..tensor.overrides import NOT_HANDLED, overridden, plain
from ..tensor.tensor import TensorBase, adopt, compute_array

__all__ = ["allclose", "equal", "is_complex", "is_conj", "is_floating_point", "is_neg", "is_nonzero", "is_same_size"]
__all__ += ["is_tensor", "isclose", "numel"]


def is_tensor(obj: Any) -> "TypeGuard[Tensor]":
    """Whether `obj` is a Tensor.

    Args:
        obj: any object.
    """
    return isinstance(obj, TensorBase)


def is_floating_point(input: "Tensor") -> bool:
    """Whether the dtype of `input` is a real floating-point one.

    Args:
        input: the tensor.
    """
    if input.__class__ not in plain and (result := overridden(is_floating_point, input)) is not NOT_HANDLED:
        return result
    return argument_checks.tensor("is_floating_point", "input", input).is_floating_point()


def is_complex(input: "Tensor") -> bool:
    """Whether the dtype of `input` is complex.

    Args:
        input: the tensor.
    """
    if input.__class__ not in plain and (result := overridden(is_complex, input)) is not NOT_HANDLED:
        return result
    return argument_checks.tensor("is_complex", "input", input).is_complex()


def is_conj(input: "Tensor") -> bool:
    """Whether the elements are yet to be conjugated: the tensor is a view that `conj` has given.

    Args:
        input: the tensor.
    """
    if input.__class__ not in plain and (result := overridden(is_conj, input)) is not NOT_HANDLED:
        return result
    return bool(argument_checks.tensor("is_conj", "input", input).conjugated)


def is_neg(input: "Tensor") -> bool:
    """Whether the elements are yet to be negated: the tensor is a view such as `imag` of a conjugate.

    Args:
        input: the tensor.
    """
    if input.__class__ not in plain and (result := overridden(is_neg, input)) is not NOT_HANDLED:
        return result
    return bool(argument_checks.tensor("is_neg", "input", input).negated)


def is_nonzero(input: "Tensor") -> bool:
    """Whether the one element of `input` is not zero.

    Args:
        input: the tensor.

    Raises:
        RuntimeError: `input` has no element, or more than one.
    """
    if input.__class__ not in plain and (result := overridden(is_nonzero, input)) is not NOT_HANDLED:
        return result
    return bool(argument_checks.tensor("is_nonzero", "input", input))


def is_same_size(input: "Tensor", other: "Tensor") -> bool:
    """Whether both tensors have the same shape.

    Args:
        input, other: the tensors.
    """
    if (input.__class__ not in plain or other.__class__ not in plain) and (
        result := overridden(is_same_size, input, other)
    ) is not NOT_HANDLED:
        return result
    argument_checks.tensor("is_same_size", "input", input)
    return input.is_same_size(argument_checks.tensor("is_same_size", "other", other))


def numel(input: "Tensor") -> int:
    """The number of elements of `input`.

    Args:
        input: the tensor.
    """
    if input.__class__ not in plain and (result := overridden(numel, input)) is not NOT_HANDLED:
        return result
    return argument_checks.tensor("numel", "input", input).numel()


def equal(input: "Tensor", other: "Tensor") -> bool:
    """Whether both tensors have the same shape and the same elements; NaN equals nothing.

    Args:
        input, other: the tensors, of any shapes.

    Example:
        >>> import specgrad as sg
        >>> sg.equal(sg.tensor([1, 2]), sg.tensor([1, 2]))
        True
    """
    if not watch.every and (value := EQUAL.launch(input, other)) is not None:
        return bool(value._flat[0])
    if (input.__class__ not in plain or other.__class__ not in plain) and (
        result := overridden(equal, input, other)
    ) is not NOT_HANDLED:
        return result
    argument_checks.tensor("equal", "input", input)
    argument_checks.tensor("equal", "other", other)
    if input._shape != other._shape:
        return False
    if not watch.every and input._device is CPU and other._device is CPU:
        EQUAL.remember((input, other), (input, other))
    return bool(np.array_equal(compute_array(input), compute_array(other)))


def isclose(
    input: "Tensor", other: "Tensor", rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> "Tensor":
    """For each pair of elements: ``|input - other| <= atol + rtol * |other|``.

    Args:
        input, other: Tensors of one dtype whose shapes broadcast.
        rtol, atol: the relative and the absolute tolerance, not negative.
        equal_nan: whether two NaN are close.

    Returns:
        A bool Tensor of the common shape.

    Raises:
        RuntimeError: dtypes that differ, shapes that do not broadcast, a negative tolerance.

    Example:
        >>> import specgrad as sg
        >>> sg.isclose(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 2.1]))
        tensor([ True, False])
    """
    if (input.__class__ not in plain or other.__class__ not in plain) and (
        result := overridden(isclose, input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)
    ) is not NOT_HANDLED:
        return result
    close = _close("isclose", input, other, rtol, atol, equal_nan)
    return adopt(placed(np.asarray(close), input._device))


def allclose(
    input: "Tensor", other: "Tensor", rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False
) -> bool:
    """Whether all elements are close: ``|input - other| <= atol + rtol * |other|``; arguments as of `isclose`.

    Raises:
        RuntimeError: dtypes that differ, shapes that do not broadcast, a negative tolerance.

    Example:
        >>> import specgrad as sg
        >>> sg.allclose(sg.tensor([1.0]), sg.tensor([1.0 + 1e-7]))
        True
    """
    if (input.__class__ not in plain or other.__class__ not in plain) and (
        result := overridden(allclose, input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)
    ) is not NOT_HANDLED:
        return result
    return bool(_close("allclose", input, other, rtol, atol, equal_nan).all())


def _close(name: str, a: Any, b: Any, rtol: Any, atol: Any, equal_nan: Any) -> np.ndarray:
    argument_checks.tensor(name, "input", a)
    argument_checks.tensor(name, "other", b)
    if a._dtype is not b._dtype:
        raise DtypeError(f"{name}(): expected Tensors of one dtype, but got {a._dtype} and {b._dtype}")
    check_devices(name, (a, b))
    broadcast_shapes(name, a._shape, b._shape)
    rtol, atol = argument_checks.floating(name, "rtol", rtol), argument_checks.floating(name, "atol", atol)
    for argument, value in (("rtol", rtol), ("atol", atol)):
        if value < 0:
            raise RuntimeError(f"{name}(): expected {argument} >= 0, but got {value}")
    with np.errstate(invalid="ignore"):
        return np.isclose(compute_array(a), compute_array(b), rtol=rtol, atol=atol, equal_nan=equal_nan)
