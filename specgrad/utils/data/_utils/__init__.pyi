"""PyTorch's `torch.utils.data._utils`, by names: written from `torch_names.py`."""

from . import collate as collate
from . import pin_memory as pin_memory
from . import worker as worker

MP_STATUS_CHECK_INTERVAL: float
