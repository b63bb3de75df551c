"""Modules as files of ONNX, under PyTorch's name; the code is in specgrad.runtime.pytorch."""

from .runtime.pytorch.compilers.older_onnx import (
    OPSETS,
    OperatorExportTypes,
    TensorProtoDataType,
    TrainingMode,
    operators,
    register_custom_op_symbolic,
    symbolic_helper,
)
from .runtime.pytorch.exporting.errors import OnnxExporterError, UnsupportedOperatorError
from .runtime.pytorch.exporting.export import export, is_in_onnx_export
from .runtime.pytorch.exporting.program import ONNXProgram

__all__ = [
    "ONNXProgram",
    "OnnxExporterError",
    "OperatorExportTypes",
    "TensorProtoDataType",
    "TrainingMode",
    "UnsupportedOperatorError",
    "export",
    "is_in_onnx_export",
    "operators",
    "register_custom_op_symbolic",
    "symbolic_helper",
]

__path__: list[str] = []  # a package, as far as imports of what lies below it are concerned
globals().update(OPSETS)
