"""PyTorch's `torch.utils.data.datapipes.datapipe`, by names: written from `torch_names.py`."""

from specgrad.nn.data import IterDataPipe as IterDataPipe
from specgrad.nn.data import MapDataPipe as MapDataPipe
