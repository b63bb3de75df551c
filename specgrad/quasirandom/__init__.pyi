"""PyTorch's `torch.quasirandom`, by names: written from `torch_names.py`."""

from specgrad.runtime.ops.numeric.sobol import SobolEngine as SobolEngine
