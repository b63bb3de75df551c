"""thop and torchinfo's kin: the multiplications of a network, counted by hooks."""

import torch
from thop import profile
from torch import nn

head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 2))
model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), head)
print(*profile(model, inputs=(torch.ones(1, 3, 16, 16),), verbose=False))
