"""Checks of attention with several heads, and parts of it that programs import by private names."""

from __future__ import annotations

import math

from ...generated.ops import linear
from ...generated.tensor import Tensor
from ...runtime.errors import ShapeError
from ...runtime.ops.creation import zeros
from ...runtime.tensor.dtypes import bool_, dtype

Masks = tuple[Tensor | None, Tensor | None]


def check_shapes(inputs: tuple[Tensor, Tensor, Tensor], masks: Masks, heads: int) -> None:
    query, key, value = inputs
    dims = len(query._shape)
    if dims == 3 and query is key is value and masks[0] is None and masks[1] is None:
        return
    _require(dims in (2, 3), f"query should be unbatched 2D or batched 3D tensor but received {dims}-D query tensor")
    kind = "batched (3-D)" if dims == 3 else "unbatched (2-D)"
    _require(
        key.dim() == dims and value.dim() == dims,
        f"For {kind} `query`, expected `key` and `value` to be {dims}-D but found {key.dim()}-D and {value.dim()}-D "
        "tensors respectively",
    )
    looks, padding = masks
    if padding is not None:
        result = padding.dim()
        message = f"expected `key_padding_mask` to be `None` or {dims - 1}-D but found {result}-D tensor instead"
        _require(result == dims - 1, f"For {kind} `query`, {message}")
    if looks is not None:
        result = looks.dim()
        message = f"expected `attn_mask` to be `None`, 2-D or 3-D but found {result}-D tensor instead"
        _require(result in (2, 3), f"For {kind} `query`, {message}")
        if dims == 2 and result == 3:
            requested = (heads, query.shape[0], key.shape[0])
            shown = f"Expected `attn_mask` shape to be {requested} but got {looks.shape}"
            _require(tuple(looks.shape) == requested, shown)


def check_embedding(inputs: tuple[Tensor, Tensor, Tensor], embed_dim: int, heads: int, separate: bool) -> None:
    query, key, value = inputs
    entry = query.shape[-1]
    if entry != embed_dim or embed_dim % heads:
        _require(entry == embed_dim, f"was expecting embedding dimension of {embed_dim}, but got {entry}")
        raise AssertionError(f"embed_dim {embed_dim} not divisible by num_heads {heads}")
    if key is value:
        return
    if separate:
        message = f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        _require(key.shape[:2] == value.shape[:2], message)
    else:
        _require(key.shape == value.shape, f"key shape {key.shape} does not match value shape {value.shape}")


def check_masks(masks: Masks, batch: int, heads: int, queries: int, keys: int, is_causal: bool) -> None:
    looks, padding = masks
    check_mask_dtype("attn_mask", looks)
    check_mask_dtype("key_padding_mask", padding)
    if is_causal and looks is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
            "`generate_square_subsequent_mask` to create this mask."
        )
    if looks is not None:
        requested = (queries, keys) if looks.dim() == 2 else (batch * heads, queries, keys)
        if tuple(looks.shape) != requested:
            raise ShapeError(f"The shape of the {looks.dim()}D attn_mask is {looks.shape}, but should be {requested}.")
    if padding is not None:
        for dim, required_size in ((0, batch), (1, keys)):
            size = padding.shape[dim]
            _require(
                size == required_size, f"Expected key_padded_mask.shape[{dim}] to be {required_size}, but got {size}"
            )


def check_mask_dtype(name: str, mask: Tensor | None) -> None:
    fits = mask is None or mask.dtype is bool_ or mask.is_floating_point()
    _require(fits, f"only bool and floating types of {name} are supported")


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise AssertionError(message)


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
    """Whether inputs are batched; an AssertionError where some are and some are not, or masks do not go with them."""
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
    """A mask, of bools or floats, as numbers that are added to scores: -inf where it is True."""
    if mask is None:
        return None
    if mask.dtype is bool_:
        return zeros(mask.shape, dtype=target_type, device=mask.device).masked_fill_(mask, -math.inf)
    if not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    return mask


def none_or_dtype(input: Tensor | None) -> dtype | None:
    """The dtype of a tensor, None where there is none; a RuntimeError for something else."""
    if input is not None and not isinstance(input, Tensor):
        raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")
    return None if input is None else input.dtype


def softmax_dim(name: str, ndim: int, stacklevel: int = 3) -> int:
    """The dimension of a softmax that is not told any: the first, or the second of inputs with 2 or 4 and more."""
    return 0 if ndim in (0, 1, 3) else 1
