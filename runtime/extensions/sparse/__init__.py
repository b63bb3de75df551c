"""Sparse tensors: a pattern, which says where elements stand, and the values there, a tensor as any other."""
