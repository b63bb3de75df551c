"""PyTorch's `torch.utils.tensorboard.writer`, by names: written from `torch_names.py`."""

from specgrad.runtime.pytorch.summaries.event_files import FileWriter as FileWriter
from specgrad.runtime.pytorch.summaries.writer import SummaryWriter as SummaryWriter
