"""axial-attention: attention along the axes of pictures."""

from axial_attention import AxialAttention, AxialImageTransformer
from fixed import filled, numbers, show, trained

x = numbers(1, 8, 6, 5)
show("attention", filled(AxialAttention(dim=8, dim_index=1, heads=2, num_dimensions=2))(x))
model = filled(AxialImageTransformer(dim=8, depth=1, heads=2, reversible=False))
trained(model, lambda: model(x).pow(2).mean(), steps=2)
