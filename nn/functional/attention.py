"""Scaled dot-product attention; checks and parts of attention with several heads."""

import math
from collections.abc import Sequence

from ...generated import ops
from ...generated.ops import linear
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.errors import DtypeError, ShapeError
from ...runtime.methods.argument_guard import asking
from ...runtime.ops.creation import zeros
from ...runtime.ops.creation.random import survivors
from ...runtime.shapes import broadcast_shapes
from ...runtime.tensor.dtypes import bool_, dtype
from ...runtime.tensor.observers import NOT_HANDLED, autocast_as, intercept, watch

NAME = "scaled_dot_product_attention"


@autocast_as(cpu="lower", cuda="lower")
@asking
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """softmax(scale Q K^T + mask) V, with dropout of the weights. No matrix of all scores is kept.

    Source: Vaswani et al., "Attention is all you need" (2017).

    Args:
        query: Q, of shape (*, heads, L, E).
        key: K, of shape (*, heads, S, E).
        value: V, of shape (*, heads, S, Ev).
        attn_mask: True where a query may look at a key, or numbers that are added to the scores; broadcasts to
            (*, heads, L, S).
        dropout_p: the probability with which weights are dropped, also in evaluation.
        is_causal: whether query i looks at keys 0 to i only.
        scale: factor of the scores; 1 / sqrt(E) when left out.
        enable_gqa: whether keys and values may have fewer heads, each for as many heads of queries.

    Shape: Output: (*, heads, L, Ev). A query that may look at no key gets zeros.

    Raises: RuntimeError: dtypes that differ, shapes that do not belong together, or a mask together with is_causal.

    Example:
        >>> x = sg.ones(1, 1, 2, 4)
        >>> sg.nn.functional.scaled_dot_product_attention(x, x, x, is_causal=True).shape
        specgrad.Size([1, 1, 2, 4])
    """
    if watch.interceptors:
        args = (query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)
        result = intercept(NAME, scaled_dot_product_attention, "composite", *args)
        if result is not NOT_HANDLED:
            return result
    if (
        not dropout_p
        and _are_alike(query, key, value)
        and (attn_mask is None or _fits(attn_mask, query, key, is_causal))
    ):
        factor = 1 / math.sqrt(query._shape[3] or 1) if scale is None else float(scale)
        bias, mask = split_mask(_with_four_dims(attn_mask))
        return ops.attention(query, key, value, bias, mask, None, 1.0, is_causal, factor, False)[0]
    _check(query, key, value, attn_mask, dropout_p, is_causal)
    factor = 1 / math.sqrt(query.shape[-1] or 1) if scale is None else float(scale)
    front = _front(query, key, value, enable_gqa)
    q, k, v = (_four(t, front, enable_gqa) for t in (query, key, value))
    bias, mask = split_mask(_mask_of_four(attn_mask, front, q.shape[2], k.shape[2]))
    keep, keep_scale = dropout_mask((*q.shape[:3], k.shape[2]), dropout_p, query)
    output = ops.attention(q, k, v, bias, mask, keep, keep_scale, is_causal, factor, False)[0]
    return output if len(front) == 2 else output.reshape((*front, *output.shape[2:]))


def _are_alike(query: Tensor, key: Tensor, value: Tensor) -> bool:
    if not (isinstance(query, Tensor) and isinstance(key, Tensor) and isinstance(value, Tensor)):
        return False
    q, k, v = query._shape, key._shape, value._shape
    fit = len(q) == len(k) == 4 and q[:2] == k[:2] and k[:3] == v[:3] and len(v) == 4 and q[3] == k[3]
    return fit and query._dtype is key._dtype is value._dtype


def _fits(mask: Tensor, query: Tensor, key: Tensor, is_causal: bool) -> bool:
    if is_causal or not isinstance(mask, Tensor) or (mask._dtype is not bool_ and mask._dtype is not query._dtype):
        return False
    scores, shape = (*query._shape[:3], key._shape[2]), mask._shape
    last = scores[4 - len(shape) :]
    return 0 < len(shape) <= 4 and all(n in (1, own) for n, own in zip(shape, last, strict=True))


def _check(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, dropout_p: float, is_causal: bool
) -> None:
    for argument, t in (("query", query), ("key", key), ("value", value)):
        argument_checks.tensor(NAME, argument, t)
    if query.dtype is not key.dtype or query.dtype is not value.dtype:
        raise DtypeError(
            f"{NAME}(): Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{query.dtype.name} key.dtype: {key.dtype.name} and value.dtype: {value.dtype.name} instead."
        )
    if min(query.dim(), key.dim(), value.dim()) < 2:
        raise ShapeError(
            f"{NAME}(): Expected query, key, and value to all be  at least 2 dimensional, but got "
            f"query.dim: {query.dim()} key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    if query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        shapes = f"{list(query.shape)}, {list(key.shape)} and {list(value.shape)}"
        raise ShapeError(f"{NAME}(): query, key and value of shapes {shapes} do not belong together")
    if attn_mask is not None and attn_mask.dtype not in (bool_, query.dtype):
        raise DtypeError(
            f"{NAME}(): Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: "
            f"{attn_mask.dtype.name} and  query.dtype: {query.dtype.name} instead."
        )
    if attn_mask is not None and is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if not 0 <= dropout_p <= 1:
        raise RuntimeError(f"{NAME}(): dropout probability has to be between 0 and 1, but got {dropout_p}")


def _front(query: Tensor, key: Tensor, value: Tensor, grouped: bool) -> tuple[int, ...]:
    """The dimensions before rows and features, broadcast; with grouped heads those of the queries as they are."""
    shapes = [tuple(t.shape[:-2]) for t in (query, key, value)]
    if not grouped:
        return tuple(broadcast_shapes(NAME, *shapes))
    heads, own = query.shape[-3], key.shape[-3]
    if not own or heads % own or value.shape[-3] != own:
        raise ShapeError(f"{NAME}(): Number of heads in key and value must divide the number of heads in query")
    return shapes[0]


def _four(t: Tensor, front: Sequence[int], grouped: bool) -> Tensor:
    """A tensor as (batch, heads, rows, features)."""
    rows = tuple(t.shape[-2:])
    if not grouped and tuple(t.shape[:-2]) != tuple(front):
        t = t.expand((*front, *rows))
    if len(front) == 2:
        return t
    heads = t.shape[-3] if front else 1
    return t.reshape((math.prod(front[:-1]), heads, *rows))


def _mask_of_four(mask: Tensor | None, front: Sequence[int], queries: int, keys: int) -> Tensor | None:
    if mask is None:
        return None
    requested = (*front, queries, keys)
    if tuple(broadcast_shapes(NAME, mask.shape, requested)) != requested:
        raise ShapeError(f"{NAME}(): attn_mask of shape {list(mask.shape)} does not broadcast to {list(requested)}")
    if len(front) <= 2:
        return _with_four_dims(mask)
    return mask.expand((*front, *mask.shape[-2:])).reshape((math.prod(front[:-1]), front[-1], *mask.shape[-2:]))


def _with_four_dims(mask: Tensor | None) -> Tensor | None:
    if mask is None or len(mask._shape) == 4:
        return mask
    return mask.reshape((1,) * (4 - len(mask._shape)) + tuple(mask._shape))


def split_mask(mask: Tensor | None) -> tuple[Tensor | None, Tensor | None]:
    """(what is added to scores, where a query may look): the one or the other, by dtype."""
    if mask is None or mask._dtype is bool_:
        return None, mask
    return mask, None


def dropout_mask(shape: Sequence[int], p: float, like: Tensor) -> tuple[Tensor | None, float]:
    """(which weights are kept, their factor) in dropout."""
    if not p:
        return None, 1.0
    return survivors(*shape, p=p, device=like.device), 0.0 if p == 1 else 1 / (1 - p)


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
