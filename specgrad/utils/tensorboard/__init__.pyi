"""PyTorch's `torch.utils.tensorboard`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.tensorboard.writer import FileWriter as FileWriter
from specgrad.runtime.extensions.tensorboard.writer import SummaryWriter as SummaryWriter

from . import summary as summary
from . import writer as writer
