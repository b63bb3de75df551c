"""Attention, forward and backward: with each kind of mask, across sequences, and the layer."""

from .making import plain, through
from .registering import workload

attending = workload("attention")
SHAPE = 4, 8, 128, 64


def attend(torch, *shapes, mask=None, causal=False):
    """scaled_dot_product_attention of queries, keys and values of these shapes."""
    function = torch.nn.functional.scaled_dot_product_attention
    return through(torch, lambda q, k, v: function(q, k, v, attn_mask=mask, is_causal=causal), *shapes)


@attending
def attention(torch):
    """Causal attention of 8 heads, 128 positions of 64, batch 4."""
    return attend(torch, SHAPE, SHAPE, SHAPE, causal=True)


@attending
def attention_unmasked(torch):
    """8 heads, 128 positions of 64, batch 4."""
    return attend(torch, SHAPE, SHAPE, SHAPE)


@attending
def attention_boolean_mask(torch):
    """8 heads, 128 positions of 64, batch 4, a mask that leaves out the last quarter of keys."""
    mask = torch.ones(4, 1, 128, 128, dtype=torch.bool)
    mask[..., 96:] = False
    return attend(torch, SHAPE, SHAPE, SHAPE, mask=mask)


@attending
def attention_float_mask(torch):
    """8 heads, 128 positions of 64, batch 4, a bias for each pair of positions."""
    (mask,) = plain(torch, (128, 128))
    return attend(torch, SHAPE, SHAPE, SHAPE, mask=mask)


@attending
def attention_across(torch):
    """32 queries for 256 keys, 8 heads of 64, batch 4."""
    return attend(torch, (4, 8, 32, 64), (4, 8, 256, 64), (4, 8, 256, 64))


@attending
def attention_long(torch):
    """Causal attention of 4 heads, 512 positions of 32."""
    return attend(torch, *[(1, 4, 512, 32)] * 3, causal=True)


@attending
def attention_by_hand(torch):
    """softmax(q k^T / 8, masked) v: 4 heads, 64 positions of 64, batch 4."""
    mask = torch.ones(64, 64, dtype=torch.bool).tril()

    def attention(q, k, v):
        scores = (q @ k.transpose(-2, -1) / 8).masked_fill(~mask, float("-inf"))
        return scores.softmax(-1) @ v

    return through(torch, attention, *[(4, 4, 64, 64)] * 3)


@attending
def multihead_attention(torch):
    """8 heads, 64 positions of 256, batch 8."""
    layer = torch.nn.MultiheadAttention(256, 8, batch_first=True)
    return self_attention(torch, layer, (8, 64, 256))


@attending
def multihead_attention_causal(torch):
    """8 heads, 64 positions of 256, batch 8, each position attending to those before it."""
    layer = torch.nn.MultiheadAttention(256, 8, batch_first=True)
    mask = torch.ones(64, 64, dtype=torch.bool).triu(1)
    return self_attention(torch, layer, (8, 64, 256), attn_mask=mask)


def self_attention(torch, layer, shape, **masks):
    """A layer that is given the same sequence three times."""

    class Itself(torch.nn.Module):
        """Its output alone."""

        def __init__(self):
            super().__init__()
            self.layer = layer

        def forward(self, x):
            return self.layer(x, x, x, need_weights=False, **masks)[0]

    return through(torch, Itself(), shape)


@attending
def encoder_layer(torch):
    """A layer of a transformer: width 128, 4 heads, 64 positions, batch 8."""
    return through(torch, torch.nn.TransformerEncoderLayer(128, 4, 256, dropout=0.0, batch_first=True), (8, 64, 128))


@attending
def attention_small_masked(torch):
    """4 heads, 16 positions of 8, batch 2, where some positions are padding."""
    mask = torch.ones(2, 1, 1, 16, dtype=torch.bool)
    mask[1, ..., 12:] = False
    return attend(torch, *[(2, 4, 16, 8)] * 3, mask=mask)


@attending
def attention_small_biased(torch):
    """4 heads, 16 positions of 8, batch 2, a bias for each pair of positions of each head, which is learned."""
    function = torch.nn.functional.scaled_dot_product_attention
    return through(torch, lambda q, k, v, b: function(q, k, v, attn_mask=b), *[(2, 4, 16, 8)] * 3, (1, 4, 16, 16))
