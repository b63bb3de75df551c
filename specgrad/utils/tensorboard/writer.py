"""Where PyTorch keeps SummaryWriter."""

from ...runtime.pytorch.summaries.event_files import FileWriter
from ...runtime.pytorch.summaries.writer import SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
