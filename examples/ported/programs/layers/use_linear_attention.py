"""linear-attention-transformer: a language model with linear attention."""

import torch
from fixed import filled, trained
from linear_attention_transformer import LinearAttentionTransformerLM
from torch import nn

model = filled(
    LinearAttentionTransformerLM(num_tokens=50, dim=16, heads=2, depth=2, max_seq_len=32, causal=True, blindspot_size=1)
)
tokens = torch.arange(64).reshape(2, 32) % 50
trained(model, lambda: nn.functional.cross_entropy(model(tokens)[:, :-1].transpose(1, 2), tokens[:, 1:]), steps=3)
