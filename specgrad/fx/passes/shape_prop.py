"""Shapes of results under PyTorch's name."""

from ...nn.fx.shape_prop import ShapeProp, TensorMetadata

__all__ = ["ShapeProp", "TensorMetadata"]
