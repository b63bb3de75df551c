"""PyTorch's `torch.graph`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.graph_drawing.draw import Drawing as Drawing
from specgrad.runtime.extensions.graph_drawing.draw import draw as draw
