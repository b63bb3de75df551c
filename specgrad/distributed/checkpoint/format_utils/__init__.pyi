"""PyTorch's `torch.distributed.checkpoint.format_utils`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.distributed.checkpoint.load import dcp_to_torch_save as dcp_to_torch_save
from specgrad.runtime.extensions.distributed.checkpoint.load import torch_save_to_dcp as torch_save_to_dcp
