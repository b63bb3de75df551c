"""What cannot be exported, under PyTorch's names."""

from __future__ import annotations


class OnnxExporterError(RuntimeError):
    """Something cannot be written as an ONNX graph: the message names the op, the module and the line."""


class UnsupportedOperatorError(OnnxExporterError):
    """An op whose entry says nothing of ONNX."""
