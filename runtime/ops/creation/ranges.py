"""Numbers in a row, at equal distances or ratios, and the places of the elements below and above a diagonal."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import ceil
from typing import Any

import numpy as np

from ...compiler.passes.loading import is_loaded
from ...device.device import DeviceLike
from ...device.threads.parallel_for import shared
from ...dispatch import argument_checks
from ...dispatch.overloads import Number
from ...errors import DtypeError, ShapeError, UnsupportedDtypeError
from ...kernels.cpu.allocate_and_fill import FILL_ELEMENTS_THRESHOLD, empty, steps_from, steps_to
from ...namespace import Tensor
from ...tensor.dtypes import bool_, complex128, dtype, float64, get_default_dtype, int64
from ...tensor.memory_format import layout
from ...tensor.overrides import NOT_HANDLED
from ...tensor.tensor import TensorBase, host_array
from ...tracebacks import hide_internal_frames
from .fast_calls import Creation
from .options import (
    allocating,
    checked_size,
    chosen_dtype,
    convert_number,
    finish,
    from_array,
    is_finite,
    made_elsewhere,
    require_strided,
    written,
)

ARANGE = Creation("arange", "arange", "nnn", inferred=True)
LINSPACE = Creation("linspace", "linspace", "nnn")
MAX_NUMPY_ELEMENTS = 1 << 17  # numbers from which the compiler is worth being loaded


def arange(
    start: Number | None = None,
    end: Number | None = None,
    step: Number = 1,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """The ceil((end - start) / step) numbers from `start` (default 0) up to but without `end`, `step` apart.

    Args:
        start: the first number; 0 when only one bound is given.
        end: the bound that is not reached.
        step: the distance between neighbours.
        dtype: int64 when all arguments are integers, else the default dtype.
        out, layout, device, requires_grad, pin_memory: as of `zeros`.

    Raises:
        RuntimeError: when `step` is zero, leads away from `end`, or a bound is not finite.

    Example:
        >>> import specgrad as sg
        >>> sg.arange(1, 6, 2)
        tensor([1, 3, 5])
    """
    try:
        if out is not None:
            require_strided("arange", layout)
            return written(partial(arange, start, end, step), out, dtype, requires_grad, reshaped=True)
        made = ARANGE.launch(start, end, step, dtype, device, requires_grad, pin_memory) if layout is None else None
        if made is not None:
            return made
        args = [bound for bound in (start, end) if bound is not None]
        args += [] if step.__class__ is int and step == 1 else [step]
        options = dtype, device, requires_grad, pin_memory
        if (made := made_elsewhere(arange, options, None, layout, *args)) is not NOT_HANDLED:
            return made
        if end is None:
            start, end = 0, start
        if end is None:
            raise TypeError('arange() missing 1 required positional argument: "end"')
        arguments = {"start": 0 if start is None else start, "end": end, "step": step}
        numbers = [argument_checks.scalar("arange", name, value) for name, value in arguments.items()]
        default = int64 if all(isinstance(x, int) for x in numbers) else get_default_dtype()
        kind = chosen_dtype("arange", dtype, default)
        return finish("arange", from_array(_range(numbers, kind), kind), device, requires_grad, pin_memory)
    except Exception as error:
        hide_internal_frames(error)
        raise


def _range(numbers: list[Any], kind: dtype) -> np.ndarray:
    if kind.kind in "bc":
        raise UnsupportedDtypeError(f"arange(): not implemented for {kind}")
    if any(isinstance(x, complex) for x in numbers):
        raise DtypeError("arange(): expected real numbers, but got a complex one")
    first, last, step = numbers
    if not all(map(is_finite, numbers)):
        raise RuntimeError(f"arange(): unsupported range: {first} -> {last} by {step}")
    as_kind = int64 if kind.kind == "i" else kind
    first, last, step = (convert_number("arange", x, as_kind) for x in numbers)
    if step == 0:
        raise RuntimeError("arange(): step must be nonzero")
    if (last - first) * step < 0:
        raise RuntimeError(
            f"arange(): upper bound and lower bound inconsistent with step sign: {first} -> {last} by {step}"
        )
    count = -((first - last) // step) if kind.kind == "i" else ceil((last - first) / step)
    checked_size("arange", (count,))
    with allocating("arange"):
        if kind.kind == "i" and (kind is not int64 or not in_a_loop(count)):
            return np.arange(first, first + count * step, step)
        return _steps(first, step, count, kind)


def in_a_loop(count: int) -> bool:
    return count >= (FILL_ELEMENTS_THRESHOLD if is_loaded() else MAX_NUMPY_ELEMENTS)


def _steps(first: Any, step: Any, count: int, kind: dtype) -> np.ndarray:
    if not ((kind.native or kind is int64) and in_a_loop(count)):
        return first + step * np.arange(count)
    values = empty(count, kind.np)
    shared(steps_from, (values, first, step), count, count)
    return values


def linspace(
    start: Number,
    end: Number,
    steps: int,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """`steps` numbers from `start` to `end`, both included, at equal distances.

    Args:
        start: the first number.
        end: the last number.
        steps: how many numbers.
        out, dtype, layout, device, requires_grad, pin_memory: as of `zeros`.

    Raises:
        RuntimeError: `steps` is negative.

    Example:
        >>> import specgrad as sg
        >>> sg.linspace(0, 1, 5)
        tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    try:
        made = None
        if out is layout is None and not (is_huge(start) or is_huge(end)):
            made = LINSPACE.launch(start, end, steps, dtype, device, requires_grad, pin_memory)
        if made is not None:
            return made
        if out is not None:
            require_strided("linspace", layout)
            return written(partial(linspace, start, end, steps), out, dtype, requires_grad, reshaped=True)
        options = dtype, device, requires_grad, pin_memory
        if (made := made_elsewhere(linspace, options, None, layout, start, end, steps)) is not NOT_HANDLED:
            return made
        count, kind, (first, last) = _checked("linspace", steps, dtype, start=start, end=end)
        checked_size("linspace", (count,))
        with allocating("linspace"):
            values = _line(convert_number("linspace", first, kind), convert_number("linspace", last, kind), count, kind)
        return finish("linspace", from_array(values, kind), device, requires_grad, pin_memory)
    except Exception as error:
        hide_internal_frames(error)
        raise


def is_huge(number: Any) -> bool:
    """Whether a distance may overflow; of nan too."""
    return number.__class__ is float and not abs(number) < 2.0**1022


def _line(first: Any, last: Any, count: int, kind: dtype) -> np.ndarray:
    """Each half is counted from its own end, so that the line is symmetric and both ends are exact."""
    if count < 2:
        return np.full(count, first)
    with np.errstate(all="ignore"):
        step = (last - first) / (count - 1)
        if not np.isfinite(step) and np.isfinite(first) and np.isfinite(last):
            return 2 * _line(first / 2, last / 2, count, kind)
        if not np.isfinite(step):
            share = np.arange(count) / (count - 1)
            return np.where(share == 0, first, np.where(share == 1, last, (1 - share) * first + share * last))
    if kind.native and in_a_loop(count):
        values, half = empty(count, kind.np), count // 2
        shared(steps_from, (values[:half], first, step), half, half)
        shared(steps_to, (values[half:], last, step), count - half, count - half)
        return values
    index = np.arange(count)
    return np.where(index < count // 2, first + step * index, last - step * (count - 1 - index))


def logspace(
    start: Number,
    end: Number,
    steps: int,
    base: float = 10.0,
    *,
    out: Tensor | None = None,
    dtype: dtype | None = None,
    layout: layout | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """`steps` numbers from base^start to base^end, both included, at equal ratios.

    Args:
        start: the exponent of the first number.
        end: the exponent of the last number.
        steps: how many numbers.
        base: what is raised to these powers.
        out, dtype, layout, device, requires_grad, pin_memory: as of `zeros`.

    Raises:
        RuntimeError: `steps` is negative.

    Example:
        >>> import specgrad as sg
        >>> sg.logspace(-1, 1, 3)
        tensor([ 0.1000,  1.0000, 10.0000])
    """
    if out is not None:
        require_strided("logspace", layout)
        return written(partial(logspace, start, end, steps, base=base), out, dtype, requires_grad, reshaped=True)
    options = dtype, device, requires_grad
    if (made := made_elsewhere(logspace, options, None, layout, start, end, steps, base=base)) is not NOT_HANDLED:
        return made
    count, kind, (number, first, last) = _checked("logspace", steps, dtype, base=base, start=start, end=end)
    is_complex = any(isinstance(x, complex) for x in (first, last, number))
    if kind.kind == "i" and not is_complex:
        first, last = int(first), int(last)  # as though they were numbers of the dtype already
    exponents = linspace(first, last, count, dtype=complex128 if is_complex else float64)
    with np.errstate(all="ignore"):
        values = np.power(number, host_array(exponents))
    return finish("logspace", from_array(values, kind), device, requires_grad, pin_memory)


def _checked(op: str, steps: Any, dtype: Any, **arg: Any) -> tuple[int, dtype, list[Any]]:
    for name, value in arg.items():
        if isinstance(value, TensorBase) and value._shape:
            raise ShapeError(
                f"{op}() only supports 0-dimensional start and end tensors, but got {name} of {value.ndim}"
            )
    numbers = [argument_checks.scalar(op, name, value) for name, value in arg.items()]
    count = argument_checks.integer(op, "steps", steps)
    if count < 0:
        raise RuntimeError(f"{op}(): number of steps must be non-negative, got {count}")
    default = get_default_dtype()
    is_complex = any(isinstance(x, complex) for x in numbers)
    kind = chosen_dtype(op, dtype, default.to_complex() if is_complex else default)
    if kind is bool_ and count > 1:
        raise UnsupportedDtypeError(f"{op}(): not implemented for {kind}")
    return count, kind, numbers


def tril_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    pin_memory: bool = False,
) -> Tensor:
    """The places (i, j) with j - i <= offset of a matrix, row by row: all i, and below them all j.

    Args:
        row: how many rows the matrix has.
        col: how many columns.
        offset: the diagonal up to which elements count: 0 for the main one, above it positive.
        dtype: int64 or int32; int64 when left out.
        device: where the tensor is made.
        pin_memory: must be False.

    Shape:
        Output: (2, how many places there are).

    Raises:
        RuntimeError: a negative number of rows or columns.
        NotImplementedError: another dtype.

    Example:
        >>> import specgrad as sg
        >>> sg.tril_indices(2, 2)
        tensor([[0, 1, 1],
                [0, 0, 1]])
    """
    return _indices("tril_indices", np.tril_indices, row, col, offset, dtype, device, pin_memory)


def triu_indices(
    row: int,
    col: int,
    offset: int = 0,
    *,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    pin_memory: bool = False,
) -> Tensor:
    """The places (i, j) with j - i >= offset of a matrix, arguments as of `tril_indices`.

    Example:
        >>> import specgrad as sg
        >>> sg.triu_indices(2, 2)
        tensor([[0, 0, 1],
                [0, 1, 1]])
    """
    return _indices("triu_indices", np.triu_indices, row, col, offset, dtype, device, pin_memory)


def _indices(
    op: str, index_fn: Callable[..., Any], row: Any, col: Any, offset: Any, dtype: Any, device: Any, pin_memory: Any
) -> Any:
    kind = chosen_dtype(op, dtype, int64)
    if kind.name not in ("int64", "int32"):
        raise NotImplementedError(f"{op}(): not implemented for {kind}")
    rows, columns = argument_checks.integer(op, "row", row), argument_checks.integer(op, "col", col)
    for name, count in (("row", rows), ("col", columns)):
        if count < 0:
            raise RuntimeError(f"{op}(): {name} must be non-negative, got {count}")
    checked_size(op, (2, rows, columns))
    diagonal = max(-rows - 1, min(argument_checks.integer(op, "offset", offset), columns + 1))
    with allocating(op):
        return finish(op, from_array(np.stack(index_fn(rows, diagonal, columns)), kind), device, False, pin_memory)
