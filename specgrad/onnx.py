"""Modules as files of ONNX, under PyTorch's name; the code is in specgrad.runtime.extensions.distributed.groups."""

from .runtime.extensions.onnx.export import export, is_in_onnx_export
from .runtime.extensions.onnx.program import OnnxExporterError, ONNXProgram, UnsupportedOperatorError
from .runtime.extensions.torch_compat.unavailable import (
    OPSETS,
    OperatorExportTypes,
    TensorProtoDataType,
    TrainingMode,
    operators,
    register_custom_op_symbolic,
    symbolic_helper,
)
from .runtime.methods.argument_guard import guard_module as _guard_module

__all__ = ["ONNXProgram", "OnnxExporterError", "OperatorExportTypes", "TensorProtoDataType", "TrainingMode"]
__all__ += ["UnsupportedOperatorError", "export", "is_in_onnx_export", "operators", "register_custom_op_symbolic"]
__all__ += ["symbolic_helper"]

__path__: list[str] = []  # a package, as far as imports of what lies below it are concerned
globals().update(OPSETS)
_guard_module(__name__)
