"""rotary-embedding-torch: queries and keys turned by their places."""

from fixed import numbers, show
from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb

rotary = RotaryEmbedding(dim=8)
q = numbers(1, 2, 10, 16).requires_grad_()
transposed = rotary.rotate_queries_or_keys(q)
transposed.pow(3).sum().backward()
show("transposed", transposed)
show("gradient", q.grad)
axial = RotaryEmbedding(dim=4, freqs_for="pixel", max_freq=10)
show("axial", apply_rotary_emb(axial.get_axial_freqs(4, 6), numbers(1, 4, 6, 16)))
show("xpos", RotaryEmbedding(dim=8, use_xpos=True).rotate_queries_and_keys(q, q)[1])
