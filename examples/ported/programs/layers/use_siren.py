"""siren-pytorch: a network of sines and its modulator."""

import torch
from fixed import numbers, show, trained
from siren_pytorch import SirenNet

net = SirenNet(dim_in=2, dim_hidden=16, dim_out=3, num_layers=3, w0_initial=30.0)
with torch.no_grad():
    for p in net.parameters():
        p.copy_(numbers(*p.shape, scale=0.1))
x = numbers(8, 2)
show("values", net(x))
trained(net, lambda: (net(x) - 0.3).pow(2).mean(), steps=3, lr=0.001)
