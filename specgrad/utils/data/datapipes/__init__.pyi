"""PyTorch's `torch.utils.data.datapipes`, by names: written from `torch_names.py`."""

from . import datapipe as datapipe
from . import iter as iter
