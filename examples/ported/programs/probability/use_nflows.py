"""nflows: a masked autoregressive flow's log-density, trained."""

from fixed import filled, numbers, trained
from nflows.distributions.normal import StandardNormal
from nflows.flows.base import Flow
from nflows.transforms.autoregressive import MaskedAffineAutoregressiveTransform
from nflows.transforms.base import CompositeTransform
from nflows.transforms.permutations import ReversePermutation

parts = []
for _ in range(2):
    parts += [ReversePermutation(features=3), MaskedAffineAutoregressiveTransform(features=3, hidden_features=8)]
flow = filled(Flow(CompositeTransform(parts), StandardNormal(shape=[3])))
x = numbers(16, 3)
trained(flow, lambda: -flow.log_prob(inputs=x).mean())
