"""vit-pytorch: several vision transformers, each trained for some steps."""

import torch
from fixed import filled, numbers, trained
from torch import nn
from vit_pytorch import SimpleViT, ViT
from vit_pytorch.cct import CCT

x, y = numbers(2, 3, 32, 32), torch.tensor([0, 2])
common = {"image_size": 32, "patch_size": 8, "num_classes": 3, "dim": 16, "depth": 2, "heads": 2, "mlp_dim": 32}
for model in (
    ViT(**common),
    SimpleViT(**common),
    CCT(
        img_size=32,
        embedding_dim=16,
        n_conv_layers=1,
        num_layers=2,
        num_heads=2,
        num_classes=3,
        positional_embedding="sine",
        stochastic_depth_rate=0.0,
        dropout_rate=0.0,
    ),
):
    print(type(model).__name__)
    filled(model)
    trained(model, lambda: nn.functional.cross_entropy(model(x), y), steps=3)
