"""PyTorch's `torch.export.dynamic_shapes`, by names: written from `torch_names.py`."""

from specgrad.nn.export.dynamic_shapes import Dim as Dim
from specgrad.nn.export.dynamic_shapes import dims as dims
