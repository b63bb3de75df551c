"""The layers of encoders and decoders of transformers, stacks of them, and their masks."""

import copy
import math
from collections.abc import Callable
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.errors import warn_user
from ....runtime.ops.creation import full
from ....runtime.tensor.dtypes import bool_, get_default_dtype
from ... import functional as F
from ...docstrings import completed_from
from ...functional.attention import check_mask_dtype
from ..activation.multihead_attention import MultiheadAttention
from ..container import ModuleList
from ..dropout import Dropout
from ..linear import Linear
from ..module.base import Module
from ..normalization import LayerNorm
from ..rnn.base import check_layers


def as_numbers(name: str, mask: Tensor | None, like: Tensor, /, **others: Tensor | None) -> Tensor | None:
    """A mask as numbers that are added to scores: -inf where it is True; another mask had better be of its dtype."""
    check_mask_dtype(name, mask)
    if mask is None:
        return None
    for other, value in others.items():
        if value is not None and value.dtype is not mask.dtype:
            warn_user(f"Support for mismatched {name} and {other} is deprecated. Use same type for both instead.")
    if mask.dtype is not bool_:
        return mask
    return full(mask.shape, 0.0, dtype=like.dtype, device=mask.device).masked_fill(mask, -math.inf)


def square_subsequent_mask(size: int, device: Any = None, dtype: Any = None) -> Tensor:
    return full((size, size), -math.inf, dtype=dtype or get_default_dtype(), device=device).triu(1)


def detect_causal(mask: Tensor | None, is_causal: bool | None, rows: int | None = None) -> bool:
    """Whether a mask hides exactly what comes later: as said, or else by looking at it."""
    if is_causal is not None or mask is None:
        return is_causal is True
    size = mask.shape[-2] if rows is None else rows
    requested = square_subsequent_mask(size, device=mask.device, dtype=mask.dtype)
    return tuple(mask.shape) == tuple(requested.shape) and bool((mask == requested).all())


Activation = Callable[[Tensor], Tensor]


class TransformerLayer(Module):
    """Base of the layers: attention under each of the names, then two linear layers."""

    attentions: tuple[str, ...]
    self_attn: MultiheadAttention
    norm1: LayerNorm
    norm2: LayerNorm
    dropout1: Dropout
    dropout2: Dropout

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Activation = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        factory = {"device": device, "dtype": dtype}
        super().__init__()
        for name in self.attentions:
            setattr(self, name, MultiheadAttention(d_model, nhead, dropout, bias, batch_first=batch_first, **factory))
        self.linear1 = Linear(d_model, dim_feedforward, bias, **factory)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, **factory)
        self.norm_first = norm_first
        blocks = range(1, len(self.attentions) + 2)
        for number in blocks:
            setattr(self, f"norm{number}", LayerNorm(d_model, layer_norm_eps, bias=bias, **factory))
        for number in blocks:
            setattr(self, f"dropout{number}", Dropout(dropout))
        self.activation = activation_of(activation)

    def _sa_block(self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool = False) -> Tensor:
        options = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal, "need_weights": False}
        return self.dropout1(self.self_attn(x, x, x, **options)[0])


class TransformerEncoderLayer(TransformerLayer):
    """Self-attention and two linear layers, each with a residual connection and a norm.

    Formula: y = norm(x + attention(x)); output = norm(y + W_2 activation(W_1 y)); with norm_first y = x +
    attention(norm(x)) and output = y + W_2 activation(W_1 norm(y))

    Source: Vaswani et al., "Attention is all you need" (2017).

    Args:
        d_model: the number of features.
        nhead: the number of heads.
        dim_feedforward: the number of features between the linear layers.
        dropout: the probability of dropout, of attention weights too.
        activation: "relu", "gelu", or a function.
        layer_norm_eps: what norms add to the variance.
        batch_first: whether tensors are (batch, rows, features) instead of (rows, batch, features).
        norm_first: whether norms come in front of attention and linear layers.
        bias: whether linear layers and norms have biases.
        device, dtype: where the parameters lie, and their dtype.

    Shape:
        src: (S, N, d_model), or (S, d_model) for one item; src_mask: (S, S) or (N * nhead, S, S); src_key_padding_mask:
        (N, S); both True where a key is left out, or numbers added to the scores. Output: as src.

    Attributes:
        self_attn, linear1, linear2, norm1, norm2, dropout, dropout1, dropout2: the layers inside.

    Raises:
        RuntimeError: another activation, or masks of wrong shapes.
        AssertionError: d_model is no multiple of nhead, or dimensions and dtypes that do not fit.

    Example:
        >>> list(sg.nn.TransformerEncoderLayer(8, 2, dim_feedforward=16)(sg.randn(5, 3, 8)).shape)
        [5, 3, 8]
    """

    attentions = ("self_attn",)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        padding = as_numbers("src_key_padding_mask", src_key_padding_mask, src, src_mask=src_mask)
        mask = as_numbers("src_mask", src_mask, src)
        if self.norm_first:
            x = src + self._sa_block(self.norm1(src), mask, padding, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(src + self._sa_block(src, mask, padding, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


def activation_of(activation: str | Activation) -> Activation:
    if not isinstance(activation, str):
        return activation
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return F.relu if activation == "relu" else F.gelu


@completed_from(TransformerEncoderLayer)
class TransformerDecoderLayer(TransformerLayer):
    """Self-attention, attention to a memory, and two linear layers, each with a residual connection and a norm.

    Formula: that of `TransformerEncoderLayer`, with attention of x to the encoder's output in between

    Attributes:
        self_attn, multihead_attn, linear1, linear2: the layers inside.
        norm1, norm2, norm3, dropout, dropout1, dropout2, dropout3: what stands between them.

    Shape:
        tgt: (T, N, d_model); memory: (S, N, d_model); without N for one item. tgt_mask: (T, T), memory_mask: (T, S),
        with N * nhead in front where they differ; tgt_key_padding_mask: (N, T); memory_key_padding_mask: (N, S).
        Output: as tgt.

    Example:
        >>> layer = sg.nn.TransformerDecoderLayer(8, 2, dim_feedforward=16)
        >>> list(layer(sg.randn(4, 3, 8), sg.randn(5, 3, 8)).shape)
        [4, 3, 8]
    """

    attentions = ("self_attn", "multihead_attn")
    multihead_attn: MultiheadAttention
    norm3: LayerNorm
    dropout3: Dropout

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        own = tgt_mask, tgt_key_padding_mask, tgt_is_causal
        other = memory_mask, memory_key_padding_mask, memory_is_causal
        if self.norm_first:
            x = tgt + self._sa_block(self.norm1(tgt), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(tgt + self._sa_block(tgt, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))

    def _mha_block(
        self, x: Tensor, memory: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool = False
    ) -> Tensor:
        options = {"attn_mask": mask, "key_padding_mask": padding, "is_causal": is_causal, "need_weights": False}
        return self.dropout2(self.multihead_attn(x, memory, memory, **options)[0])

    def _ff_block(self, x: Tensor) -> Tensor:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """Encoder layers one after the other.

    Formula: y = norm(layer_n(... layer_1(x)))

    Args:
        encoder_layer: a layer, which is copied.
        num_layers: the number of copies.
        norm: a norm of the output, or None.
        enable_nested_tensor: without effect: padding takes part in the computation.
        mask_check: without effect.

    Shape:
        src: as of the layers; mask and src_key_padding_mask: as of `TransformerEncoderLayer`; is_causal: whether mask
        hides exactly what comes later, by default found out. Output: as src.

    Attributes:
        layers: the copies.
        norm: the norm of the output, or None.

    Example:
        >>> encoder = sg.nn.TransformerEncoder(sg.nn.TransformerEncoderLayer(8, 2, 16), num_layers=2)
        >>> list(encoder(sg.randn(5, 3, 8)).shape)
        [5, 3, 8]
    """

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = copies(encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        padding = as_numbers("src_key_padding_mask", src_key_padding_mask, src, mask=mask)
        mask = as_numbers("mask", mask, src)
        causal = detect_causal(mask, is_causal, src.shape[_rows_dim(self.layers, src)])
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        return output if self.norm is None else self.norm(output)


@completed_from(TransformerEncoder)
class TransformerDecoder(Module):
    """Decoder layers one after the other.

    Formula: y = norm(layer_n(... layer_1(x, memory) ..., memory))

    Args:
        decoder_layer: a layer, which is copied.

    Shape:
        tgt, memory and their masks: as of `TransformerDecoderLayer`; tgt_is_causal: whether tgt_mask hides exactly what
        comes later, by default found out. Output: as tgt.

    Example:
        >>> decoder = sg.nn.TransformerDecoder(sg.nn.TransformerDecoderLayer(8, 2, 16), num_layers=2)
        >>> list(decoder(sg.randn(4, 3, 8), sg.randn(5, 3, 8)).shape)
        [4, 3, 8]
    """

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = copies(decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        causal = detect_causal(tgt_mask, tgt_is_causal, tgt.shape[_rows_dim(self.layers, tgt)])
        output = tgt
        for layer in self.layers:
            output = layer(
                output,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return output if self.norm is None else self.norm(output)


def rows(src: Tensor, batch_first: bool) -> int | None:
    if src.dim() == 2:
        return src.shape[0]
    return src.shape[1 if batch_first else 0] if src.dim() == 3 else None


def copies(layer: Module, count: int) -> ModuleList:
    check_layers(count)
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


def _rows_dim(layers: ModuleList, x: Tensor) -> int:
    return 1 if x.dim() == 3 and getattr(layers[0].self_attn, "batch_first", False) else 0
