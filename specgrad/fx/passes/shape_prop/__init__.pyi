"""PyTorch's `torch.fx.passes.shape_prop`, by names: written from `torch_names.py`."""

from specgrad.nn.fx.passes import ShapeProp as ShapeProp
from specgrad.nn.fx.passes import TensorMetadata as TensorMetadata
