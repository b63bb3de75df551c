"""New tensors with the dtype and device of another one."""

from __future__ import annotations

from typing import Any

from ..dispatch import checks
from ..tensor.base import fresh
from .data import tensor
from .like import options_like
from .options import allocate, checked_size, filled, finish, size_argument


def new_tensor(self: Any, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A tensor of `data` with the dtype and device of this one.

    Args:
        data: as of `tensor`.
        dtype, device: those of this tensor when not given.
        requires_grad: whether operations on the new tensor are recorded.
    """
    kind, place = options_like("new_tensor", self, dtype, device)
    return tensor(data, dtype=kind, device=place, requires_grad=requires_grad)


def new_zeros(
    self: Any,
    *sizes: Any,
    size: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """Zeros in the given size, with the dtype and device of this tensor.

    Args:
        sizes, size: the shape, as several ints or as one list or tuple.
        dtype, device: those of this tensor when not given.
        requires_grad: whether operations on the new tensor are recorded.
    """
    kind, place = options_like("new_zeros", self, dtype, device)
    shape = size_argument("new_zeros", sizes, size)
    return finish("new_zeros", filled("new_zeros", shape, 0, kind), place, requires_grad)


def new_ones(
    self: Any,
    *sizes: Any,
    size: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """Ones in the given size, with the dtype and device of this tensor; arguments as of `new_zeros`."""
    kind, place = options_like("new_ones", self, dtype, device)
    shape = size_argument("new_ones", sizes, size)
    return finish("new_ones", filled("new_ones", shape, 1, kind), place, requires_grad)


def new_full(
    self: Any,
    size: Any,
    fill_value: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """One value in the given size, with the dtype and device of this tensor.

    Args:
        size: the shape, a list or tuple of ints.
        fill_value: the number.
        dtype, device: those of this tensor when not given.
        requires_grad: whether operations on the new tensor are recorded.
    """
    kind, place = options_like("new_full", self, dtype, device)
    shape = checked_size("new_full", checks.integer_list("new_full", "size", size))
    value = checks.scalar("new_full", "fill_value", fill_value)
    return finish("new_full", filled("new_full", shape, value, kind), place, requires_grad)


def new_empty(
    self: Any,
    *sizes: Any,
    size: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """Uninitialised elements in the given size; arguments as of `new_zeros`."""
    kind, place = options_like("new_empty", self, dtype, device)
    shape = size_argument("new_empty", sizes, size)
    return finish("new_empty", fresh(allocate("new_empty", shape, kind), shape, kind), place, requires_grad)
