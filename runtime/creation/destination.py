"""`out=` and `layout=` of functions that make tensors."""

from __future__ import annotations

from functools import partial
from typing import Any

from ..dispatch import checks
from ..dispatch.writing import write_out
from ..errors import UnsupportedDtypeError
from ..tensor.base import from_flat
from ..tensor.devices import default_device, resolve
from ..tensor.dtypes import get_default_dtype
from ..tensor.memory import empty
from ..tensor.memory_format import layout as Layout
from ..tensor.memory_format import strided
from ..tensor.shapes import Shape


def written(make: partial[Any], out: Any, dtype: Any, requires_grad: Any) -> Any:
    """What a creation function gives for the dtype and device of `out`, written there; `out` takes its shape."""
    op = make.func.__name__
    target = checks.tensor(op, "out", out)
    if dtype is not None and checks.dtype(op, "dtype", dtype) is not target._dtype:
        raise RuntimeError(f"{op}(): dtype {dtype} does not match dtype of out parameter ({target._dtype})")
    write_out(op, target, make(dtype=target._dtype, device=target._device))
    return target.requires_grad_() if requires_grad else target


def sparse_zeros(op: str, layout: Any, size: Shape, dtype: Any, device: Any, requires_grad: Any) -> Any:
    """A tensor of a sparse layout that keeps no elements; None where `layout` is the strided one.

    Raises:
        RuntimeError: `layout` is no layout.
    """
    if layout is strided:
        return None
    if not isinstance(layout, Layout):
        require_strided(op, layout)
    kind = get_default_dtype() if dtype is None else checks.dtype(op, "dtype", dtype)
    flat = empty(0, kind.np, default_device() if device is None else resolve(device))
    made = (
        from_flat(flat, (0,) * len(size), kind)
        .to_sparse()
        .sparse_resize_and_clear_(size, len(size), 0)
        .to_sparse(layout=layout)
    )
    return made.requires_grad_() if requires_grad else made


def require_strided(op: str, layout: Any) -> None:
    if layout is not None and layout is not strided:
        raise UnsupportedDtypeError(f"{op}(): expected layout=strided, but got {layout}")
