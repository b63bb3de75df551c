"""PyTorch's `torch.fx.passes`, by names: written from `torch_names.py`."""

from . import shape_prop as shape_prop
