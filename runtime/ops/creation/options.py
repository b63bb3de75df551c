"""Arguments that creation functions share: sizes, dtypes, devices, layouts, numbers, requires_grad, out."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from math import isfinite, prod
from typing import Any

import numpy as np

from ...autograd.inplace import write_out
from ...device.device import CPU, cuda_available, default_device, device, resolve
from ...dispatch import argument_checks
from ...dispatch.shape_rules import is_recorded_on
from ...errors import DtypeError, UnsupportedDtypeError
from ...namespace import op as op_namespace
from ...shapes import Shape
from ...tensor import memory
from ...tensor.dtypes import complex32, dtype, finfo, get_default_dtype, iinfo
from ...tensor.history import set_requires_grad
from ...tensor.memory import empty
from ...tensor.memory_format import layout as Layout
from ...tensor.memory_format import strided
from ...tensor.observers import watch
from ...tensor.overrides import NOT_HANDLED, ask, foreign, overridden, state
from ...tensor.tensor import adopt, from_flat

_ELEMENT_LIMIT = 2**59  # elements of 16 bytes would take 2**63 bytes
INTS = {int}
OPTIONS = ("dtype", "device", "requires_grad", "pin_memory")
FITS_ALL = 127  # the largest whole number that every dtype holds
OF_KIND: dict[str, Any] = {"b": bool, "i": int, "f": float, "c": complex}
_finfo, _iinfo = cache(finfo), cache(iinfo)


def size_argument(op: str, sizes: tuple[Any, ...], size: Any = None) -> Shape:
    if not sizes:
        if size is None:
            raise TypeError(f'{op}() missing 1 required positional argument: "size"')
        sizes = (size,)
    elif size is not None:
        raise TypeError(f"{op}(): size was given both by position and by name")
    if len(sizes) == 1 and isinstance(sizes[0], (list, tuple)):
        return checked_size(op, argument_checks.integer_list(op, "size", sizes[0]))
    if {*map(type, sizes)} == INTS:
        return checked_size(op, sizes)
    if len(sizes) == 1:
        return checked_size(op, argument_checks.integer_list(op, "size", sizes[0], 1))
    return checked_size(op, argument_checks.integer_list(op, "size", sizes))


def checked_size(op: str, size: tuple[int, ...]) -> Shape:
    count = 1
    for length in size:
        if length < 0:
            raise RuntimeError(f"{op}(): trying to create tensor with negative dimension {length}: {[*size]}")
        count *= length or 1
    if count >= _ELEMENT_LIMIT:
        raise RuntimeError(f"{op}(): storage size calculation overflowed with sizes={list(size)}")
    return size


def chosen_dtype(op: str, value: Any, default: dtype) -> dtype:
    return default if value is None else argument_checks.dtype(op, "dtype", value)


def device_for(op: str, value: Any) -> device:
    return default_device() if value is None else argument_checks.device(op, "device", value)


def allocate(op: str, size: Shape, kind: dtype, device: Any = None) -> Any:
    """An uninitialised 1-D array for a tensor of this size, on the device that the argument `device` names."""
    return memory.exposed(allocate_array(op, prod(size), kind.np, device_for(op, device)))


def allocate_array(op: str, count: int, kind: np.dtype, target_device: device) -> Any:
    try:
        return memory.empty(count, kind, target_device)
    except MemoryError as error:
        raise _no_memory(op, error) from None


@contextmanager
def allocating(op: str) -> Iterator[None]:
    try:
        yield
    except MemoryError as error:
        raise _no_memory(op, error) from None


def _no_memory(op: str, error: MemoryError) -> RuntimeError:
    return RuntimeError(f"{op}(): can't allocate memory: {error}")


def filled(op: str, size: Shape, value: Any, kind: dtype, device: Any = None) -> Any:
    target_device, number = device_for(op, device), convert_number(op, value, kind)
    try:
        return from_flat(memory.full(prod(size), number, kind.np, target_device), size, kind)
    except MemoryError as error:
        raise _no_memory(op, error) from None


def finish(op: str, t: Any, device: Any, requires_grad: Any, pin_memory: Any = False, is_data: bool = False) -> Any:
    """Place a new tensor where the caller asked, as a leaf that may require grad.

    What is no data of the user's depends on the arguments alone, so a graph that is recorded may know it beforehand.
    """
    target_device = device_for(op, device)
    if pin_memory is not False and argument_checks.boolean(op, "pin_memory", pin_memory):
        t = _pinned(op, t, target_device)
    if t._device is not target_device:
        known = None if is_data or target_device is CPU else _known_to_graph(t, target_device)
        t = op_namespace.to_device(t, target_device, False) if known is None else known
    if requires_grad is not False and argument_checks.boolean(op, "requires_grad", requires_grad):
        if t._dtype.kind not in "fc":
            raise DtypeError(
                f"{op}(): only Tensors of floating point and complex dtype can require gradients, but got {t._dtype}"
            )
        set_requires_grad(t, True)
    return t


def _known_to_graph(t: Any, target_device: device) -> Any:
    """A copy of a new tensor that is made at each replay, as it may be written to; None where nothing is recorded."""
    if not is_recorded_on(target_device):
        return None
    from ...kernels.cuda_launch.arrays import constant, copied  # loaded with the first device

    return adopt(copied(constant(t.array, target_device)), t._dtype)


def _pinned(op: str, t: Any, target_device: device) -> Any:
    if not cuda_available():
        raise RuntimeError(f"{op}(): Need to provide pin_memory allocator to use pin memory: there is no CUDA device")
    if target_device is not CPU:
        raise RuntimeError(f"{op}(): Only dense CPU tensors can be pinned, but got device={target_device}")
    return t.pin_memory()


def convert_number(op: str, value: Any, kind: dtype) -> Any:
    if value.__class__ is int and 0 <= value <= FITS_ALL:
        return OF_KIND[kind.kind](value)
    if isinstance(value, complex) and kind.kind != "c":
        if value.imag != 0:
            raise _overflow(op, value, kind)
        value = value.real
    if kind.kind == "b":
        return bool(value)
    if kind.kind == "i":
        return _to_integer(op, value, kind)
    if kind.kind == "f":
        return _to_float(op, value, kind)
    return complex(value)


def is_finite(value: Any) -> bool:
    return isinstance(value, int) or isfinite(value)


def _to_integer(op: str, value: Any, kind: dtype) -> int:
    limits = _iinfo(kind)
    low = limits.min if kind.is_signed else -limits.max  # negative numbers wrap, as in C
    if not is_finite(value) or not low <= int(value) <= limits.max:
        raise _overflow(op, value, kind)
    return int(value) if kind.is_signed else int(value) % (limits.max + 1)


def _to_float(op: str, value: Any, kind: dtype) -> float:
    try:
        number = float(value)
    except OverflowError:
        raise _overflow(op, value, kind) from None
    if isfinite(number) and abs(number) > _finfo(kind).max:
        raise _overflow(op, value, kind)
    return number


def _overflow(op: str, value: Any, kind: dtype) -> DtypeError:
    return DtypeError(f"{op}(): value {value} cannot be converted to {kind} without overflow")


def cast(array: np.ndarray, kind: dtype) -> np.ndarray:
    """A copy in another dtype as C converts: without warnings, imaginary parts dropped where need be."""
    if kind is complex32:
        return memory.cast(array, kind.np)
    if array.dtype.kind == "c" and kind.kind not in "cb":
        array = array.real
    with np.errstate(over="ignore", invalid="ignore"):
        return array.astype(kind.np)


def from_array(array: np.ndarray, kind: dtype) -> Any:
    return adopt(array if array.dtype == kind.np else cast(array, kind))


def made_elsewhere(
    function: Callable[..., Any], options: tuple[Any, ...], out: Any, layout: Any, *args: Any, **named: Any
) -> Any:
    """What is written to `out`, or a `__torch_function__` gives in the place of a new tensor; else NOT_HANDLED.

    `options` are those of `OPTIONS`.
    """
    require_strided(function.__name__, layout)
    if out is not None:
        return written(partial(function, *args, **named), out, options[0], options[2])
    if not watch.interceptors and not any(map(foreign, args)):
        return NOT_HANDLED
    return overridden(function, *args, **_explicit_options(named | dict(zip(OPTIONS, options, strict=False))))


def query_modes(function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    """`asked` for functions that take any data: what is in it is not asked."""
    if not watch.interceptors or not state.modes:
        return NOT_HANDLED
    return ask(function, [], args, _explicit_options(options))


def _explicit_options(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None and value is not False}


def written(make: partial[Any], out: Any, dtype: Any, requires_grad: Any, *, reshaped: bool = False) -> Any:
    """What a creation function gives for the dtype and device of `out`, written there; `out` takes its shape.

    `reshaped`: whether `out` keeps its own shape where that has as many elements.
    """
    op = make.func.__name__
    target = argument_checks.tensor(op, "out", out)
    if dtype is not None and argument_checks.dtype(op, "dtype", dtype) is not target._dtype:
        raise RuntimeError(f"{op}(): dtype {dtype} does not match dtype of out parameter ({target._dtype})")
    made = make(dtype=target._dtype, device=target._device)
    write_out(op, target, made.view(target._shape) if reshaped and made.numel() == target.numel() else made)
    return target._requiring_grad() if requires_grad else target


def sparse_zeros(op: str, layout: Any, size: Shape, dtype: Any, device: Any, requires_grad: Any) -> Any:
    """A tensor of a sparse layout that keeps no elements; None where `layout` is the strided one."""
    if layout is strided:
        return None
    if not isinstance(layout, Layout):
        require_strided(op, layout)
    kind = get_default_dtype() if dtype is None else argument_checks.dtype(op, "dtype", dtype)
    flat = empty(0, kind.np, default_device() if device is None else resolve(device))
    cleared = from_flat(flat, (0,) * len(size), kind).to_sparse().sparse_resize_and_clear_(size, len(size), 0)
    made = cleared.to_sparse(layout=layout)
    return made._requiring_grad() if requires_grad else made


def require_strided(op: str, layout: Any) -> None:
    if layout is not None and layout is not strided:
        raise UnsupportedDtypeError(f"{op}(): expected layout=strided, but got {layout}")
