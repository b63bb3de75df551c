"""Attention whose scores a function of the program changes, and whose mask is another function."""

from math import sqrt
from typing import Any, NamedTuple

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.methods.argument_guard import guard_module
from ...runtime.tensor.dtypes import float32, float64
from .block_mask import BLOCK as _DEFAULT_SPARSE_BLOCK_SIZE  # noqa: F401
from .block_mask import (
    BlockMask,
    Modification,
    and_masks,
    create_block_mask,
    create_mask,
    noop_mask,
    or_masks,
    over_indices,
)

__all__ = [
    "AuxOutput",
    "AuxRequest",
    "BlockMask",
    "FlexKernelOptions",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]

FlexKernelOptions = dict  # of kernels that are not here: without effect


class AuxRequest(NamedTuple):
    """What `flex_attention` is to return besides: the logarithms of the sums, and the largest scores."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What was asked for by an `AuxRequest`."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: Modification | None = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: dict[str, Any] | None = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """softmax(score_mod(query key^T scale)) value: attention with scores that a function changes, where a mask allows.

    The function is mapped over all places by `vmap`, and gradients go through it; all scores are in memory at once.

    Args:
        query, key, value: the tensors.
        score_mod: score_mod(score, b, h, q_idx, kv_idx), of numbers, gives the new score.
        block_mask: what `create_block_mask` makes; a query without keys gets zeros.
        scale: the factor of the products; 1 / sqrt(E) when not given.
        enable_gqa: whether several heads of the query share one of key and value.
        return_lse: whether the logarithm of the sum of exponentials is returned too.
        kernel_options: without effect.
        return_aux: what is returned besides, as an `AuxOutput`.

    Shape: query (B, Hq, L, E), key (B, H, S, E), value (B, H, S, Ev); output (B, Hq, L, Ev), and (B, Hq, L) besides.

    Raises:
        NotImplementedError: a tensor has another number of dimensions.
        ValueError: sizes that do not fit, or a mask of other lengths.

    Example:
        >>> from specgrad.nn.attention.flex_attention import flex_attention
        >>> x = sg.ones(1, 1, 2, 4)
        >>> flex_attention(x, x, x, lambda score, b, h, q, kv: score - (q - kv).abs()).shape
        specgrad.Size([1, 1, 2, 4])
    """
    _check(query, key, value, block_mask, enable_gqa)
    wide = float64 if query.dtype is float64 else float32
    q, k, v = (t.to(wide) for t in (query, *_per_head(query, key, value)))
    scores = ops.matmul(q, k.mT) * (1 / sqrt(query.shape[-1]) if scale is None else scale)
    shape = tuple(scores.shape)
    if score_mod is not None:
        scores = ops.expand(over_indices(score_mod, shape, scores.device, scores).to(wide), shape)
    if block_mask is not None:
        scores = ops.masked_fill(scores, ~block_mask.visible(), float("-inf"))
    weights, sums = _weights(scores)
    output = ops.matmul(weights, v).to(query.dtype)
    if return_aux is not None:
        largest = ops.amax(scores, -1) if return_aux.max_scores else None
        return output, AuxOutput(sums if return_aux.lse else None, largest)
    return (output, sums) if return_lse else output


def _weights(scores: Tensor) -> tuple[Tensor, Tensor]:
    """The softmax along the last dimension, zeros in rows without any score, and the logarithms of the sums."""
    sums = ops.logsumexp(scores, -1)
    is_empty = ops.unsqueeze(sums == float("-inf"), -1)
    weights = ops.softmax(ops.masked_fill(scores, is_empty, 0.0), -1)
    return ops.masked_fill(weights, is_empty, 0.0), sums


def _per_head(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    group, batch = query.shape[1] // key.shape[1], query.shape[0]
    repeated = (ops.repeat_interleave(t, group, dim=1) if group > 1 else t for t in (key, value))
    k, v = (ops.expand(t, (batch, *t.shape[1:])) for t in repeated)
    return k, v


def _check(query: Tensor, key: Tensor, value: Tensor, block_mask: BlockMask | None, enable_gqa: bool) -> None:
    if not query.dim() == key.dim() == value.dim() == 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    if query.shape[-1] != key.shape[-1]:
        raise ValueError("NYI: Expect query and key to have the same embedding dimension")
    if key.shape[:3] != value.shape[:3]:
        raise ValueError(f"Expect key and value of the same sizes, but got {key.shape} and {value.shape}")
    _check_heads(query.shape[1], key.shape[1], enable_gqa)
    batch, other = query.shape[0], key.shape[0]
    if batch != other and (block_mask is None or other != 1):
        raise ValueError(
            "Expect query and key/value to have the same batch size, or non-none block_mask, but got "
            f"block_mask={block_mask}, Bq={batch}, and Bkv={other}."
        )
    if block_mask is not None and tuple(block_mask.seq_lengths) != (query.shape[2], key.shape[2]):
        raise ValueError(
            f"block_mask was created for block_mask.shape={block_mask.shape} but got q_len={query.shape[2]} and "
            f"kv_len={key.shape[2]}: create another one, or crop it by block_mask._adjust(q_len, kv_len)"
        )


def _check_heads(own: int, others: int, enable_gqa: bool) -> None:
    if own != others and not enable_gqa:
        raise ValueError(
            f"Expect query and key/value to have the same number of heads but got Hq={own} and Hkv={others}. Try "
            "setting enable_gqa=True for GQA."
        )
    if own % others:
        raise ValueError(
            f"Expect number of query heads to be a multiple of kv heads for GQA but got Hq={own} and Hkv={others}."
        )


guard_module(__name__)
