"""Tensors of constants: zeros, ones, full, empty, eye, and single numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...device.device import DeviceLike
from ...dispatch import argument_checks
from ...dispatch.overloads import Number
from ...namespace import Tensor
from ...tensor.dtypes import dtype, get_default_dtype, scalar_type
from ...tensor.layouts import format_strides, relaid
from ...tensor.memory_format import layout, memory_format
from ...tensor.overrides import NOT_HANDLED
from ...tensor.tensor import adopt, from_flat
from ...tracebacks import hide_internal_frames
from .fast_calls import Creation
from .options import (
    allocate,
    allocating,
    checked_size,
    chosen_dtype,
    filled,
    finish,
    made_elsewhere,
    size_argument,
    sparse_zeros,
)

ZEROS = Creation("zeros", "number", "Ss")
ONES = Creation("ones", "number", "Ss", value=1)
EMPTY = Creation("empty", "nothing", "Ss")
FULL = Creation("full", "number", "sv", inferred=True)
EYE = Creation("eye", "eye", "nn")
SCALAR = Creation("scalar_tensor", "number", "v")


def zeros(
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of zeros.

    Args:
        sizes, size: the shape, as several ints or as one list or tuple.
        out: a tensor to write to, which takes the shape; its dtype and device are the new tensor's.
        dtype: the element type; the default dtype when not given.
        layout: strided, or a sparse one.
        device: where the tensor is made.
        requires_grad: whether operations on it are recorded.
        pin_memory: accepted for programs that run with CUDA elsewhere; without effect on the CPU.

    Example:
        >>> import specgrad as sg
        >>> sg.zeros(2, 3).shape
        specgrad.Size([2, 3])
    """
    try:
        if layout is not None:
            made = sparse_zeros("zeros", layout, size_argument("zeros", sizes, size), dtype, device, requires_grad)
            if made is not None:
                return made
        if out is None and (made := ZEROS.launch(sizes, size, dtype, device, requires_grad, pin_memory)) is not None:
            return made
        return _constant(zeros, 0, sizes, size, out, layout, (dtype, device, requires_grad, pin_memory))
    except Exception as error:
        hide_internal_frames(error)
        raise


def _constant(
    function: Any, value: int | None, sizes: tuple[Any, ...], size: Any, out: Any, layout: Any, options: tuple[Any, ...]
) -> Any:
    """A tensor of one value, or of whatever the memory holds, by the general path of a function."""
    op, (dtype, device, *rest) = function.__name__, options
    if (made := made_elsewhere(function, options, out, layout, *sizes, size=size)) is not NOT_HANDLED:
        return made
    shape, kind = size_argument(op, sizes, size), chosen_dtype(op, dtype, get_default_dtype())
    if value is None:
        return finish(op, from_flat(allocate(op, shape, kind, device), shape, kind), device, *rest)
    return finish(op, filled(op, shape, value, kind, device), device, *rest)


def ones(
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of ones; arguments as of `zeros`.

    Example:
        >>> import specgrad as sg
        >>> sg.ones(3)
        tensor([1., 1., 1.])
    """
    try:
        made = ONES.launch(sizes, size, dtype, device, requires_grad, pin_memory) if out is layout is None else None
        if made is not None:
            return made
        return _constant(ones, 1, sizes, size, out, layout, (dtype, device, requires_grad, pin_memory))
    except Exception as error:
        hide_internal_frames(error)
        raise


def empty(
    *sizes: int | Sequence[int],
    size: Sequence[int] | None = None,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
    memory_format: memory_format | None = None,
) -> Tensor:
    """A tensor whose elements are whatever the memory holds; arguments as of `zeros`.

    Args:
        memory_format: in which order the dimensions lie in memory; in rows when not given.
        sizes, size, out, dtype, layout, device, requires_grad, pin_memory: as of `zeros`.

    Example:
        >>> import specgrad as sg
        >>> sg.empty(0, 3).numel()
        0
    """
    try:
        if layout is not None:
            made = sparse_zeros("empty", layout, size_argument("empty", sizes, size), dtype, device, requires_grad)
            if made is not None:
                return made
        if memory_format is not None and out is None:
            made = empty(*sizes, size=size, dtype=dtype, device=device, pin_memory=pin_memory)
            requested = argument_checks.memory_format("empty", "memory_format", memory_format)
            t = relaid(made, format_strides("empty", made._shape, requested))
            return finish("empty", t, device, requires_grad)
        if out is None and (made := EMPTY.launch(sizes, size, dtype, device, requires_grad, pin_memory)) is not None:
            return made
        return _constant(empty, None, sizes, size, out, layout, (dtype, device, requires_grad, pin_memory))
    except Exception as error:
        hide_internal_frames(error)
        raise


def full(
    size: Sequence[int],
    fill_value: Number,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor of one value.

    Args:
        size: the shape, a list or tuple of ints.
        fill_value: the number; its type gives the dtype when `dtype` is not given.
        dtype: the element type.
        out, layout, device, requires_grad, pin_memory: as of `zeros`.

    Raises:
        RuntimeError: when the number does not fit into the dtype.

    Example:
        >>> import specgrad as sg
        >>> sg.full((2,), 7)
        tensor([7, 7])
    """
    try:
        made = (
            FULL.launch(size, fill_value, dtype, device, requires_grad, pin_memory) if out is layout is None else None
        )
        if made is not None:
            return made
        options = dtype, device, requires_grad, pin_memory
        if (made := made_elsewhere(full, options, out, layout, size, fill_value)) is not NOT_HANDLED:
            return made
        shape = checked_size("full", argument_checks.integer_list("full", "size", size))
        value = argument_checks.scalar("full", "fill_value", fill_value)
        t = filled("full", shape, value, chosen_dtype("full", dtype, scalar_type(value)), device)
        return finish("full", t, device, requires_grad, pin_memory)
    except Exception as error:
        hide_internal_frames(error)
        raise


def eye(
    n: int,
    m: int | None = None,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A matrix with ones on the diagonal and zeros elsewhere, of `n` rows and `m` (default `n`) columns.

    Args:
        n: the number of rows.
        m: the number of columns; `n` when not given.
        out, dtype, layout, device, requires_grad, pin_memory: as of `zeros`.

    Example:
        >>> import specgrad as sg
        >>> sg.eye(2)
        tensor([[1., 0.],
                [0., 1.]])
    """
    try:
        if out is layout is None and (made := EYE.launch(n, m, dtype, device, requires_grad, pin_memory)) is not None:
            return made
        options = dtype, device, requires_grad, pin_memory
        if (made := made_elsewhere(eye, options, out, layout, n, m=m)) is not NOT_HANDLED:
            return made
        rows = argument_checks.integer("eye", "n", n)
        columns = rows if m is None else argument_checks.integer("eye", "m", m)
        checked_size("eye", (rows, columns))
        kind = chosen_dtype("eye", dtype, get_default_dtype())
        with allocating("eye"):
            t = adopt(np.eye(rows, columns, dtype=kind.compute.np), kind)
        return finish("eye", t, device, requires_grad, pin_memory)
    except Exception as error:
        hide_internal_frames(error)
        raise


def scalar_tensor(
    s: Number,
    *,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A number as a tensor without dimensions.

    Args:
        s: the number.
        dtype: the element type; the default dtype when not given, also for integers.
        device, requires_grad, pin_memory: as of `zeros`.

    Example:
        >>> import specgrad as sg
        >>> sg.scalar_tensor(3)
        tensor(3.)
    """
    if (made := SCALAR.launch(s, dtype, device, requires_grad, pin_memory)) is not None:
        return made
    options = dtype, device, requires_grad, pin_memory
    if (made := made_elsewhere(scalar_tensor, options, None, None, s)) is not NOT_HANDLED:
        return made
    value = argument_checks.scalar("scalar_tensor", "s", s)
    kind = chosen_dtype("scalar_tensor", dtype, get_default_dtype())
    return finish("scalar_tensor", filled("scalar_tensor", (), value, kind, device), device, requires_grad, pin_memory)
