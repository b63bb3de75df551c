"""How PyTorch indexes by tensors that `vmap` has made examples of: here that is indexing."""

from contextlib import nullcontext as TransformGetItemToIndex

__all__ = ["TransformGetItemToIndex"]
