"""torch-ema: averages of parameters while a model is trained."""

import torch
from fixed import filled, numbers, show
from torch import nn
from torch_ema import ExponentialMovingAverage

model, x, y = filled(nn.Linear(4, 2)), numbers(16, 4), numbers(16, 2)
ema = ExponentialMovingAverage(model.parameters(), decay=0.9)
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
for _ in range(5):
    optimizer.zero_grad()
    nn.functional.mse_loss(model(x), y).backward()
    optimizer.step()
    ema.update()
with ema.average_parameters():
    show("average", model.weight)
show("last", model.weight)
