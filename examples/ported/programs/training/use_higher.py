"""higher: gradients through steps of an optimizer."""

import higher
import torch
from fixed import filled, numbers, show
from torch import nn

model = filled(nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)))
inner = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
outer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(3):
    outer.zero_grad()
    for task in range(2):
        x = numbers(6, 3) * (task + 1)
        y = x.sum(1, keepdim=True)
        with higher.innerloop_ctx(model, inner, copy_initial_weights=False) as (learner, optimizer):
            for _ in range(3):
                optimizer.step((learner(x) - y).pow(2).mean())
            loss = (learner(x) - y).pow(2).mean()
            loss.backward()
    outer.step()
    show("loss", loss)
