"""TensorBoard's event files under PyTorch's name; the code is in specgrad.runtime.pytorch.summaries."""

from ...runtime.pytorch.summaries.event_files import FileWriter
from ...runtime.pytorch.summaries.writer import SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
