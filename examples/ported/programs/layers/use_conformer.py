"""conformer: a block of attention and convolutions."""

from conformer import ConformerBlock
from fixed import filled, numbers, trained

block = filled(ConformerBlock(dim=16, dim_head=8, heads=2))
x = numbers(2, 12, 16)
trained(block, lambda: (block(x) - x).pow(2).mean(), steps=3)
