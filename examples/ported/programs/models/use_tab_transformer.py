"""tab-transformer-pytorch: transformers for tables."""

import torch
from fixed import filled, numbers, trained
from tab_transformer_pytorch import FTTransformer, TabTransformer
from torch import nn

categories, values = torch.arange(8).reshape(4, 2) % 3, numbers(4, 3)
common = {"categories": (3, 3), "num_continuous": 3, "dim": 8, "dim_out": 1, "depth": 2, "heads": 2}
for kind, options in ((TabTransformer, {"mlp_act": nn.ReLU()}), (FTTransformer, {})):
    model = filled(kind(**common, **options, attn_dropout=0.0, ff_dropout=0.0))
    trained(model, lambda: model(categories, values).pow(2).mean(), steps=3)
