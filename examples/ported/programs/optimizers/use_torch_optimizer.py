"""torch-optimizer: every optimizer that needs no closure, on a small regression."""

import torch_optimizer
from fixed import filled, numbers, trained
from torch import nn

x, y = numbers(16, 4), numbers(16, 2)
for name in (
    "AccSGD",
    "AdaBelief",
    "AdaBound",
    "AdaMod",
    "Adafactor",
    "AdamP",
    "AggMo",
    "Apollo",
    "DiffGrad",
    "LARS",
    "Lamb",
    "MADGRAD",
    "NovoGrad",
    "PID",
    "QHAdam",
    "QHM",
    "RAdam",
    "Ranger",
    "RangerQH",
    "RangerVA",
    "SGDP",
    "SGDW",
    "SWATS",
    "Yogi",
    "Lookahead",
):
    model = filled(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)))
    if name == "Lookahead":
        optimizer = torch_optimizer.Lookahead(torch_optimizer.Yogi(model.parameters(), lr=0.01), k=2)
    else:
        optimizer = getattr(torch_optimizer, name)(model.parameters(), lr=0.01)
    print(name)
    trained(model, lambda: nn.functional.mse_loss(model(x), y), optimizer=optimizer)
