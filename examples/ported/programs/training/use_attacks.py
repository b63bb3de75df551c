"""torchattacks: seven attacks on a classifier."""

import torchattacks
from fixed import filled, numbers, show
from torch import nn

layers = nn.Conv2d(3, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(16, 3)
model = filled(nn.Sequential(*layers)).eval()
x = (numbers(4, 3, 8, 8) + 1) / 2
y = model(x).argmax(1)
attacks = [
    torchattacks.FGSM(model),
    torchattacks.PGD(model, steps=3, random_start=False),
    torchattacks.CW(model, steps=5),
    torchattacks.DeepFool(model, steps=5),
    torchattacks.MIFGSM(model, steps=3),
    torchattacks.BIM(model, steps=2),
    torchattacks.TIFGSM(model, steps=2, resize_rate=0.9, diversity_prob=0),
]
for attack in attacks:
    show(type(attack).__name__, attack(x, y))
