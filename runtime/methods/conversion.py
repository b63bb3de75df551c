"""Changing the dtype of a tensor: by native code, or, where it is in no graph and nothing looks on, by one loop over
its memory."""

from __future__ import annotations

from typing import Any

from ..dispatch.conversion_op import conversions
from ..modes.intercept import watch
from ..modes.overrides.classes import plain
from ..namespace import op
from ..tensor.base import TensorBase, fresh
from ..tensor.casting import cast
from ..tensor.devices import CPU
from ..tensor.dtypes import dtype


def converted(tensor: Any, to: Any) -> Any:
    """A copy as another dtype; `_to_copy`, which casts before or after it copies, has the same bits."""
    if not watch.every and (found := conversions["_to_copy"].launch(tensor, to)) is not None:
        return found
    watched = watch.active or tensor.__class__ not in plain
    if watched or tensor._rg or tensor._device is not CPU or not goes_directly(tensor, to):
        return op._to_copy(tensor, to)
    return fresh(cast(tensor.array, to.np).reshape(-1), tensor._shape, to)


def goes_directly(tensor: TensorBase, to: Any) -> bool:
    """Whether one cast does: what becomes a 16-bit float is a float32 before, and so rounded twice where it is more."""
    return isinstance(to, dtype) and (to.compute is to or tensor._dtype.compute is to.compute)
