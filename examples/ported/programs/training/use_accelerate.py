"""accelerate: a loop whose parts are prepared, with gradients accumulated, and its state saved and loaded."""

import tempfile

import torch
from accelerate import Accelerator
from fixed import filled, numbers, show
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = filled(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
data = DataLoader(TensorDataset(numbers(24, 4), torch.arange(24) % 3), batch_size=4)
model, optimizer, data = accelerator.prepare(model, optimizer, data)
losses = []
for x, y in data:
    with accelerator.accumulate(model):
        loss = nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    losses.append(loss.item())
show("losses", losses)
folder = tempfile.mkdtemp()
accelerator.save_state(folder)
accelerator.load_state(folder)
show("loaded", model(numbers(2, 4)))
