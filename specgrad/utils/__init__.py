"""Checkpointing and data loading under PyTorch's name, `torch.utils`."""

from . import checkpoint as checkpoint
from . import data as data
