"""`out=` of ops with several outputs: a tuple with a tensor for each."""

from __future__ import annotations

from typing import Any

from ..errors import DtypeError
from ..tensor.base import TensorBase
from .writing import check_out, write_out


def write_outs(name: str, outs: Any, results: Any, operands: tuple[Any, ...] = (), share: str = "anyhow") -> Any:
    """The results copied into tensors of just their dtypes, all of which are looked at before one is written to.

    Returns these tensors as the op returns its results: `torch.sort(x, out=(values, indices)).indices`.
    """
    if not isinstance(outs, (tuple, list)):
        raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(outs).__name__}")
    if len(outs) != len(results):
        raise TypeError(f"{name}(): argument 'out': expected tuple of {len(results)} elements but got {len(outs)}")
    for index, (out, result) in enumerate(zip(outs, results, strict=True)):
        if not isinstance(out, TensorBase):
            value = type(out).__name__
            raise TypeError(f"{name}(): argument 'out': expected Tensor as element {index}, but got {value}")
        if out._dtype is not result._dtype:
            raise DtypeError(
                f"{name}(): Expected out tensor {index} to have dtype {result._dtype!r}, but got {out._dtype!r} instead"
            )
        check_out(name, out, result)
    written = [write_out(name, out, result, operands, share) for out, result in zip(outs, results, strict=True)]
    return getattr(results, "_make", tuple)(written)
