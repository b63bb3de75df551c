"""sinkhorn-transformer: attention to sorted blocks, without its noise."""

import torch
from fixed import filled, trained
from sinkhorn_transformer import SinkhornTransformerLM
from torch import nn

options = {"heads": 2, "depth": 1, "bucket_size": 4, "max_seq_len": 16, "reversible": False}
model = filled(SinkhornTransformerLM(num_tokens=32, dim=16, **options))
tokens = torch.arange(32).reshape(2, 16)
trained(model.eval(), lambda: nn.functional.cross_entropy(model(tokens).transpose(1, 2), tokens), steps=2)
