"""torchsde: stochastic differential equations; with a diffusion of zero the paths are known."""

import torch
import torchsde
from fixed import filled, numbers, show, trained
from torch import nn


class Equation(nn.Module):
    noise_type, sde_type = "diagonal", "ito"

    def __init__(self):
        super().__init__()
        self.drift = nn.Linear(3, 3)

    def f(self, t, y):
        return torch.tanh(self.drift(y))

    def g(self, t, y):
        return torch.zeros_like(y)


equation = filled(Equation())
y0, ts = numbers(4, 3), torch.linspace(0, 1, 5)
for method in ("euler", "milstein", "srk"):
    show(method, torchsde.sdeint(equation, y0, ts, method=method, dt=0.1))
trained(equation, lambda: torchsde.sdeint(equation, y0, ts, dt=0.1, method="euler").pow(2).mean(), steps=3)
