"""zuko: flows of several kinds, their densities and a step of training."""

import zuko
from fixed import filled, numbers, show, trained

x, c = numbers(6, 3), numbers(6, 2)
for flow in (
    zuko.flows.NSF(3, 2, transforms=2, hidden_features=(8, 8)),
    zuko.flows.MAF(3, 2, transforms=2, hidden_features=(8, 8)),
    zuko.flows.NICE(3, 2, transforms=2, hidden_features=(8, 8)),
):
    filled(flow)
    show("density", flow(c).log_prob(x))
    trained(flow, lambda: -flow(c).log_prob(x).mean(), steps=2, lr=0.001)
