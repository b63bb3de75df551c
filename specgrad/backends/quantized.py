"""Kernels of quantized numbers: there are none."""

engine = "none"
supported_engines = ["none"]

__all__ = ["engine", "supported_engines"]
