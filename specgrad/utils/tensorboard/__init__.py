"""TensorBoard's event files under PyTorch's name; the code is in specgrad.runtime.summaries."""

from ...runtime.summaries.event_files import FileWriter
from ...runtime.summaries.writer import SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
