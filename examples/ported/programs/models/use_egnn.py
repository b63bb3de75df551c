"""egnn-pytorch: graph networks that turn with their points."""

from egnn_pytorch import EGNN
from fixed import filled, numbers, show, trained

layer = filled(EGNN(dim=8, m_dim=4))
features, points = numbers(1, 6, 8), numbers(1, 6, 3)
found, moved = layer(features, points)
show("features", found)
show("points", moved)
trained(layer, lambda: layer(features, points)[0].pow(2).mean(), steps=2)
