"""PyTorch's `torch.utils.data.datapipes.datapipe`, by names: written from `torch_names.py`."""

from specgrad.nn.data.pipes import IterDataPipe as IterDataPipe
from specgrad.nn.data.pipes import MapDataPipe as MapDataPipe
