"""What PyTorch keeps of quantization, under its name: the parts that compute with floats."""

from . import quantization

__all__ = ["quantization"]
