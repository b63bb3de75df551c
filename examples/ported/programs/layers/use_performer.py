"""performer-pytorch: a language model with attention by random features, which are fixed here."""

import torch
from fixed import filled, numbers, trained
from performer_pytorch import PerformerLM
from torch import nn

model = filled(
    PerformerLM(num_tokens=50, max_seq_len=32, dim=16, depth=1, heads=2, dim_head=8, nb_features=8, causal=False)
)
for name, buffer in model.named_buffers():
    if "projection" in name:
        buffer.copy_(numbers(*buffer.shape))
tokens = torch.arange(64).reshape(2, 32) % 50
trained(model, lambda: nn.functional.cross_entropy(model(tokens).transpose(1, 2), tokens), steps=3)
