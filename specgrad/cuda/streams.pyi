"""PyTorch's `torch.cuda.streams`, by names: written from `torch_names.py`."""

from specgrad.runtime.cuda.api.streams import Event as Event
from specgrad.runtime.cuda.api.streams import ExternalStream as ExternalStream
from specgrad.runtime.cuda.api.streams import Stream as Stream
