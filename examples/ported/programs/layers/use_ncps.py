"""ncps: liquid time-constant and closed-form continuous networks."""

import torch
from fixed import numbers, trained
from ncps.torch import LTC, CfC
from ncps.wirings import AutoNCP

x = numbers(2, 5, 3)
for kind in (CfC, LTC):
    torch.manual_seed(0)
    model = kind(3, AutoNCP(8, 2))
    with torch.no_grad():
        for p in model.parameters():
            if p.requires_grad:
                p.copy_(numbers(*p.shape, scale=0.1).abs() + 0.1)
    trained(model, lambda: model(x)[0].pow(2).mean(), steps=2)
