"""PyTorch's `torch.utils.flop_counter`, by names: written from `torch_names.py`."""

from specgrad.nn.utils.flop_counter import FlopCounterMode as FlopCounterMode
