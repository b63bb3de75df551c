"""PyTorch's `utils`: what is not a layer but belongs to training."""

from . import checkpoint as checkpoint
from . import data as data
