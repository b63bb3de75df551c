"""PyTorch's `torch.fx.experimental`, by names: written from `torch_names.py`."""

from . import optimization as optimization
from . import proxy_tensor as proxy_tensor
