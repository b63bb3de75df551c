"""lion-pytorch: its steps on a small regression."""

from fixed import filled, numbers, trained
from lion_pytorch import Lion
from torch import nn

model, x, y = filled(nn.Linear(4, 2)), numbers(16, 4), numbers(16, 2)
trained(
    model, lambda: nn.functional.mse_loss(model(x), y), optimizer=Lion(model.parameters(), lr=0.01, weight_decay=0.1)
)
