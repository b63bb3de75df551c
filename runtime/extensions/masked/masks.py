"""What functions of masked tensors have in common: the mask, what stands for elements left out, and dimensions."""

from collections.abc import Callable
from functools import partial
from math import inf
from typing import Any

from ...dispatch import argument_checks
from ...errors import ArgumentError
from ...namespace import op
from ...shapes import wrapped_dim
from ...tensor.dtypes import bool_, dtype, iinfo, int64

Identity = Callable[[dtype], Any]  # what does not change a result, in a dtype


def constant(value: float) -> Identity:
    return lambda kind: value


def lowest_value(name: str) -> Identity:
    return partial(_extreme, name, -inf)


def highest_value(name: str) -> Identity:
    return partial(_extreme, name, inf)


def _extreme(name: str, limit: float, kind: dtype) -> Any:
    if kind.kind == "f" or (kind.kind == "c" and name == "logsumexp"):
        return limit
    if kind.kind == "c":
        raise ArgumentError(f"{name}(): complex numbers have no order, so none of them stands for what is left out")
    if kind.kind != "i":
        raise NotImplementedError(f"{name}(): there is no identity of {name} on {kind} input")
    return iinfo(kind).min if limit < 0 else iinfo(kind).max


def masked_input(name: str, input: Any, mask: Any, identity: Identity, argument: str = "mask") -> Any:
    x = argument_checks.tensor(name, "input", input)
    if mask is None:
        return x
    chosen = broadcast_mask(name, x, mask, argument)
    return op.where(chosen, x, op.full((), identity(x._dtype), dtype=x._dtype, device=x._device))


def broadcast_mask(name: str, x: Any, mask: Any, argument: str = "mask") -> Any:
    chosen = argument_checks.tensor(name, argument, mask)
    if chosen.ndim > x.ndim:
        raise IndexError(
            f"{name}(): expected a mask that broadcasts to the input, but its shape is {list(chosen._shape)} and that "
            f"of the input {list(x._shape)}"
        )
    chosen = chosen if chosen._dtype is bool_ else chosen.to(bool_)
    return chosen if chosen._shape == x._shape else op.broadcast_to(chosen, x._shape)


def count(name: str, x: Any, mask: Any, dims: list[int], keepdim: bool) -> Any:
    chosen = op.ones(x._shape, dtype=bool_, device=x._device) if mask is None else broadcast_mask(name, x, mask)
    return op.sum(chosen, dims, keepdim, dtype=int64) if dims else chosen.to(int64)


def dimensions(name: str, dim: Any, ndim: int) -> list[int]:
    if dim is None or dim == () or dim == []:
        return list(range(ndim))
    matches = [wrapped_dim(name, d, ndim) for d in argument_checks.integer_list(name, "dim", dim, 1)]
    for d in matches:
        if matches.count(d) > 1:
            raise RuntimeError(f"{name}(): dim={d} appears multiple times in the list of dims")
    return sorted(matches)


def dimension(name: str, dim: Any, ndim: int) -> int:
    return wrapped_dim(name, argument_checks.integer(name, "dim", dim), ndim)


def result_dtype(name: str, value: Any, default: dtype) -> dtype:
    return default if value is None else argument_checks.dtype(name, "dtype", value)


def sum_dtype(name: str, value: Any, kind: dtype) -> dtype:
    return result_dtype(name, value, int64 if kind.kind in "bi" else kind)


def flag(name: str, keepdim: Any) -> bool:
    return False if keepdim is None else argument_checks.boolean(name, "keepdim", keepdim)
