"""Where PyTorch keeps SummaryWriter."""

from ...runtime.summaries.event_files import FileWriter
from ...runtime.summaries.writer import SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]
