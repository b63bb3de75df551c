"""torchdiffeq: a neural ODE, solved by several methods, with gradients by the adjoint."""

import torch
from fixed import filled, show, trained
from torch import nn
from torchdiffeq import odeint, odeint_adjoint


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))

    def forward(self, t, y):
        return self.net(y**3)


field = filled(Field())
y0, t = torch.tensor([[2.0, 0.0]]), torch.linspace(0.0, 1.0, 5)
for method in ("euler", "midpoint", "rk4", "dopri5", "bosh3", "adaptive_heun", "dopri8", "explicit_adams"):
    show(method, odeint(field, y0, t, method=method, rtol=1e-4, atol=1e-5))
trained(field, lambda: odeint_adjoint(field, y0, t).pow(2).mean(), steps=3)
trained(field, lambda: odeint(field, y0, t).pow(2).mean(), steps=3)
