"""torch.save and torch.load: a training run that is interrupted and goes on."""

import os
import tempfile

import torch
from fixed import filled, numbers, show
from torch import nn

path = os.path.join(tempfile.mkdtemp(), "checkpoint.pt")


def made():
    model = filled(nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 3)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    return model, optimizer, torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)


def steps(model, optimizer, scheduler, count):
    x, y = numbers(12, 6), torch.arange(12) % 3
    for _ in range(count):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        scheduler.step()
    return loss.item()


parts = made()
show("before", steps(*parts, 3))
torch.save({name: part.state_dict() for name, part in zip(("model", "optimizer", "scheduler"), parts)}, path)
show("straight on", steps(*parts, 3))
others = made()
for part, state in zip(others, torch.load(path, map_location="cpu", weights_only=True).values()):
    part.load_state_dict(state)
show("after loading", steps(*others, 3))
