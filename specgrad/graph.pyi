"""PyTorch's `torch.graph`, by names: written from `torch_names.py`."""

from specgrad.runtime.profiler.graph_picture.draw import Drawing as Drawing
from specgrad.runtime.profiler.graph_picture.draw import draw as draw
