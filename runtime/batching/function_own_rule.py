"""The user's own rule of a custom Function under vmap: the static method `vmap`, and what it returns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..errors import type_name
from ..namespace import op
from ..pytree import broadcast_prefix, flatten, unflatten
from ..tensor.base import TensorBase
from .tensor import wrap


class VmapInfo(NamedTuple):
    """What a `vmap` static method is told: how many examples there are, and what becomes of random numbers."""

    batch_size: int
    randomness: str


def by_own_rule(cls: Any, info: VmapInfo, batched: Sequence[bool], spec: Any, values: Sequence[Any]) -> Any:
    """Call the rule on whole batches, which have the examples in front."""
    in_dims = unflatten([0 if b else None for b in batched], spec)
    return cls.vmap(info, in_dims, *unflatten(values, spec))


def as_examples(returned: Any, level: int) -> Any:
    """What the rule returned, as the function under vmap sees it."""
    if not isinstance(returned, tuple) or len(returned) != 2:
        count = f"{len(returned)} returns" if isinstance(returned, tuple) else f"a {type(returned)}"
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and out_dims with pytree structure "
            f"compatible with the output. Got {count} instead"
        )
    output, out_dims = returned
    leaves, spec = flatten(output)
    dims = broadcast_prefix(out_dims, output)
    if dims is None:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) tuple. Expected "
            f"out_dims={out_dims} to be compatible with the structure of `output`, {type_name(output)}"
        )
    return unflatten([_as_example(leaf, dim, level) for leaf, dim in zip(leaves, dims, strict=True)], spec)


def _as_example(leaf: Any, dim: Any, level: int) -> Any:
    if dim is None or not isinstance(leaf, TensorBase):
        return leaf
    if not isinstance(dim, int):
        raise TypeError(f"The autograd.Function's vmap staticmethod: expected out_dims of ints, got {type_name(dim)}")
    return wrap(op.movedim(leaf, dim, 0) if dim else leaf, level)
