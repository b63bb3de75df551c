"""PyTorch's `torch.torch_version`, by names: written from `torch_names.py`."""

from specgrad.runtime.extensions.torch_compat.version import TorchVersion as TorchVersion
