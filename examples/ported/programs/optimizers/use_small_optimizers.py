"""prodigyopt, schedulefree, madgrad and adabelief-pytorch: each fits a small network."""

from fixed import filled, numbers, trained
from madgrad import MADGRAD
from prodigyopt import Prodigy
from schedulefree import AdamWScheduleFree, SGDScheduleFree
from torch import nn

x, y = numbers(16, 4), numbers(16, 1)
for kind, options in (
    (Prodigy, {"lr": 1.0}),
    (AdamWScheduleFree, {"lr": 0.01}),
    (SGDScheduleFree, {"lr": 0.1}),
    (MADGRAD, {"lr": 0.01}),
):
    net = filled(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)))
    optimizer = kind(net.parameters(), **options)
    if hasattr(optimizer, "train"):
        optimizer.train()
    print(kind.__name__)
    trained(net, lambda: (net(x) - y).pow(2).mean(), steps=6, optimizer=optimizer)
