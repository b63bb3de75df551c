"""einops: rearrange, reduce, repeat, einsum, pack, and its layers in a network."""

import torch
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
from fixed import filled, numbers, show, trained
from torch import nn

x = numbers(2, 3, 8, 8)
show("rearrange", rearrange(x, "b c (h p) (w q) -> b (h w) (p q c)", p=2, q=4))
for how in ("max", "mean", "min", "sum", "prod"):
    show(how, reduce(x, "b c h w -> b c", how))
show("repeat", repeat(x[0, 0], "h w -> (h a) w b", a=2, b=3))
show("einsum", einsum(x, numbers(3, 5), "b c h w, c d -> b d h w"))
packed, shapes = pack([x, numbers(2, 3, 4)], "b c *")
show("pack", packed)
show("unpack", unpack(packed, shapes, "b c *")[1])
model = filled(
    nn.Sequential(
        Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=4, q=4),
        EinMix("b t c -> b t d", weight_shape="c d", bias_shape="d", c=48, d=16),
        nn.GELU(),
        Reduce("b t d -> b d", "mean"),
        nn.Linear(16, 2),
    )
)
trained(model, lambda: nn.functional.cross_entropy(model(x), torch.tensor([0, 1])))
