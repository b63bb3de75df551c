"""Modules as files of ONNX, under PyTorch's name; the code is in specgrad.runtime.pytorch.exporting."""

from .runtime.pytorch.exporting.errors import OnnxExporterError, UnsupportedOperatorError
from .runtime.pytorch.exporting.export import export, is_in_onnx_export
from .runtime.pytorch.exporting.program import ONNXProgram

__all__ = ["ONNXProgram", "OnnxExporterError", "UnsupportedOperatorError", "export", "is_in_onnx_export"]
