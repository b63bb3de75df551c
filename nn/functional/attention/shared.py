"""Parts of attention with several heads that programs with layers of their own import by private names."""

from __future__ import annotations

import math

from ....generated.ops import linear
from ....generated.tensor import Tensor
from ....runtime.creation import zeros
from ....runtime.tensor.dtypes import bool_, dtype
from .multihead_checks import check_shapes


def in_projection_packed(q: Tensor, k: Tensor, v: Tensor, w: Tensor, b: Tensor | None = None) -> list[Tensor]:
    """Queries, keys and values of one weight, whose rows are those of all three, one after the other."""
    weights = w.chunk(3)
    biases = (None, None, None) if b is None else b.chunk(3)
    return in_projection(q, k, v, *weights, *biases)


def in_projection(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    w_q: Tensor,
    w_k: Tensor,
    w_v: Tensor,
    b_q: Tensor | None = None,
    b_k: Tensor | None = None,
    b_v: Tensor | None = None,
) -> list[Tensor]:
    """Queries, keys and values of a weight for each."""
    triples = ((q, w_q, b_q), (k, w_k, b_k), (v, w_v, b_v))
    return [linear(t, weight, bias) for t, weight, bias in triples]


def mha_shape_check(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    key_padding_mask: Tensor | None,
    attn_mask: Tensor | None,
    num_heads: int,
) -> bool:
    """Whether inputs are batched.

    Raises:
        AssertionError: some are and some are not, or masks do not go with them.
    """
    check_shapes((query, key, value), (attn_mask, key_padding_mask), num_heads)
    return query.dim() == 3


def canonical_mask(
    mask: Tensor | None,
    mask_name: str,
    other_type: dtype | None,
    other_name: str,
    target_type: dtype,
    check_other: bool = True,
) -> Tensor | None:
    """A mask as numbers that are added to scores: -inf where it is True.

    Raises:
        AssertionError: the mask is neither of bools nor of floats.
    """
    if mask is None:
        return None
    if mask.dtype is bool_:
        return zeros(mask.shape, dtype=target_type, device=mask.device).masked_fill_(mask, -math.inf)
    if not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    return mask


def none_or_dtype(input: Tensor | None) -> dtype | None:
    """The dtype of a tensor, None where there is none.

    Raises:
        RuntimeError: it is something else.
    """
    if input is not None and not isinstance(input, Tensor):
        raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")
    return None if input is None else input.dtype


def softmax_dim(name: str, ndim: int, stacklevel: int = 3) -> int:
    """The dimension of a softmax that is not told any: the first, or the second of inputs with 2 or 4 and more."""
    return 0 if ndim in (0, 1, 3) else 1
