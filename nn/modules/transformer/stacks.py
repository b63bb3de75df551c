"""Stacks of encoder layers, and of decoder layers."""

from __future__ import annotations

import copy

from ....generated.tensor import Tensor
from ..container import ModuleList
from ..module.base import Module
from ..rnn.checks import check_layers
from .masks import as_numbers, detect_causal


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
        >>> import specgrad as sg
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


class TransformerDecoder(Module):
    """Decoder layers one after the other.

    Formula: y = norm(layer_n(... layer_1(x, memory) ..., memory))

    Args:
        decoder_layer: a layer, which is copied.
        num_layers: the number of copies.
        norm: a norm of the output, or None.

    Shape:
        tgt, memory and their masks: as of `TransformerDecoderLayer`; tgt_is_causal: whether tgt_mask hides exactly what
        comes later, by default found out. Output: as tgt.

    Attributes:
        layers: the copies.
        norm: the norm of the output, or None.

    Example:
        >>> import specgrad as sg
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
    """How many rows an input has; None where it has no two or three dimensions."""
    if src.dim() == 2:
        return src.shape[0]
    return src.shape[1 if batch_first else 0] if src.dim() == 3 else None


def copies(layer: Module, count: int) -> ModuleList:
    """Copies of a layer, as a list."""
    check_layers(count)
    return ModuleList([copy.deepcopy(layer) for _ in range(count)])


def _rows_dim(layers: ModuleList, x: Tensor) -> int:
    return 1 if x.dim() == 3 and getattr(layers[0].self_attn, "batch_first", False) else 0
