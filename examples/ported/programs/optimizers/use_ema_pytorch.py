"""ema-pytorch: moving averages of a model's parameters."""

from ema_pytorch import EMA
from fixed import filled, numbers, show
from torch import nn, optim

net = filled(nn.Linear(4, 2))
ema = EMA(net, beta=0.9, update_after_step=1, update_every=1)
optimizer = optim.Adam(net.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    net(numbers(3, 4)).pow(2).mean().backward()
    optimizer.step()
    ema.update()
show("averaged", ema(numbers(3, 4)))
show("state", sum(v.double().abs().sum().item() for v in ema.state_dict().values()))
