"""PyTorch's `torch.cuda.streams`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.cuda_api.streams import Event as Event
from specgrad.runtime.extensions.cuda_api.streams import ExternalStream as ExternalStream
from specgrad.runtime.extensions.cuda_api.streams import Stream as Stream
