"""reformer-pytorch: a language model with reversible layers and full attention in short sequences."""

import torch
from fixed import filled, trained
from reformer_pytorch import ReformerLM
from torch import nn

model = filled(
    ReformerLM(num_tokens=32, dim=16, depth=2, max_seq_len=16, heads=2, bucket_size=4, full_attn_thres=64, causal=True)
)
tokens = torch.arange(32).reshape(2, 16)
trained(model, lambda: nn.functional.cross_entropy(model(tokens).transpose(1, 2), tokens), steps=3)
