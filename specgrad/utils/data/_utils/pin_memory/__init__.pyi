"""PyTorch's `torch.utils.data._utils.pin_memory`, by names: written from `torch_names.py`."""

from specgrad.nn.data.collate import pin_memory as pin_memory
