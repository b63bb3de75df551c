"""linformer: a language model whose attention is of linear cost, trained for some steps."""

import torch
from fixed import filled, trained
from linformer import LinformerLM
from torch import nn

model = filled(LinformerLM(num_tokens=32, dim=16, seq_len=16, depth=2, heads=2, k=8))
tokens = torch.arange(32).reshape(2, 16)
trained(model, lambda: nn.functional.cross_entropy(model(tokens).transpose(1, 2), tokens), steps=3)
