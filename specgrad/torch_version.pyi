"""PyTorch's `torch.torch_version`, by names: written from `torch_names.py`."""

from specgrad.runtime.pytorch.stand_in.version import TorchVersion as TorchVersion
