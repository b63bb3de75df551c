"""`out=` and `layout=` of functions that make tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..dispatch import checks
from ..dispatch.writing import write_out
from ..errors import UnsupportedDtypeError
from ..tensor.dtypes import dtype as Dtype
from ..tensor.memory_format import strided


def written(op: str, out: Any, dtype: Any, requires_grad: Any, make: Callable[[Dtype, Any], Any]) -> Any:
    """What `make` gives for the dtype and device of `out`, written there; `out` takes its shape."""
    target = checks.tensor(op, "out", out)
    if dtype is not None and checks.dtype(op, "dtype", dtype) is not target._dtype:
        raise RuntimeError(f"{op}(): dtype {dtype} does not match dtype of out parameter ({target._dtype})")
    write_out(op, target, make(target._dtype, target._device))
    return target.requires_grad_() if requires_grad else target


def require_strided(op: str, layout: Any) -> None:
    """Refuse a layout that new tensors cannot have."""
    if layout is not None and layout is not strided:
        raise UnsupportedDtypeError(f"{op}(): expected layout=strided, but got {layout}")
