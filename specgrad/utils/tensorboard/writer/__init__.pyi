"""PyTorch's `torch.utils.tensorboard.writer`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.tensorboard.writer import FileWriter as FileWriter
from specgrad.runtime.extensions.tensorboard.writer import SummaryWriter as SummaryWriter
