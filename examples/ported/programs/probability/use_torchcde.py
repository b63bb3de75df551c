"""torchcde: differential equations controlled by interpolated data."""

import torch
import torchcde
from fixed import filled, numbers, show, trained
from torch import nn


class Field(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 12)

    def forward(self, t, z):
        return self.linear(z).tanh().view(*z.shape[:-1], 4, 3)


x = torch.cat([torch.linspace(0, 1, 8).expand(2, 8).unsqueeze(-1), numbers(2, 8, 2)], dim=-1)
field = filled(Field())
for coefficients, kind in (
    (torchcde.hermite_cubic_coefficients_with_backward_differences(x), torchcde.CubicSpline),
    (torchcde.linear_interpolation_coeffs(x), torchcde.LinearInterpolation),
):
    path = kind(coefficients)

    def last():
        options = {"t": path.interval, "method": "rk4", "adjoint": False}
        return torchcde.cdeint(X=path, func=field, z0=numbers(2, 4), **options)[:, -1]

    show("end", last())
    trained(field, lambda: last().pow(2).mean(), steps=2)
