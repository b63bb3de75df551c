"""nystrom-attention: a layer and a transformer whose attention is approximated by landmarks."""

import torch
from fixed import filled, numbers, show, trained
from nystrom_attention import NystromAttention, Nystromformer

layer = filled(NystromAttention(dim=16, dim_head=8, heads=2, num_landmarks=4, pinv_iterations=6))
x, mask = numbers(1, 16, 16), torch.arange(16).reshape(1, 16) < 12
show("masked", layer(x, mask=mask))
model = filled(Nystromformer(dim=16, dim_head=8, heads=2, depth=2, num_landmarks=4))
trained(model, lambda: (model(x) - x).pow(2).mean(), steps=3)
