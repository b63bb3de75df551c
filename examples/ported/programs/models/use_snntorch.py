"""snntorch: a network of spikes."""

import snntorch as snn
import torch
from fixed import filled, numbers, show
from snntorch import functional, spikegen, surrogate
from torch import nn


class Net(nn.Module):
    """Two layers of neurons over five steps."""

    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(6, 12)
        self.lif1 = snn.Leaky(beta=0.9, spike_grad=surrogate.fast_sigmoid())
        self.fc2 = nn.Linear(12, 3)
        self.lif2 = snn.Synaptic(alpha=0.8, beta=0.9)

    def forward(self, x):
        first = self.lif1.init_leaky()
        synapse, second = self.lif2.init_synaptic()
        spikes = []
        for _ in range(5):
            spike, first = self.lif1(self.fc1(x), first)
            spike, synapse, second = self.lif2(self.fc2(spike), synapse, second)
            spikes.append(spike)
        return torch.stack(spikes), second


net = filled(Net())
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
x, y = numbers(8, 6) * 3, torch.arange(8) % 3
rate = functional.ce_rate_loss()
for _ in range(4):
    optimizer.zero_grad()
    spikes, membrane = net(x)
    loss = rate(spikes, y) + membrane.pow(2).mean()
    loss.backward()
    optimizer.step()
    show("loss", loss)
show("latency", spikegen.latency(x.clamp(0, 1), num_steps=5, normalize=True, linear=True).sum())
