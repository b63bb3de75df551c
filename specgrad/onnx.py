"""Modules as files of ONNX, under PyTorch's name: what libraries import of the older exporter."""

from .runtime.pytorch.compilers.older_onnx import (
    OPSETS,
    OperatorExportTypes,
    TensorProtoDataType,
    TrainingMode,
    operators,
    register_custom_op_symbolic,
    symbolic_helper,
)

__all__ = [
    "OperatorExportTypes",
    "TensorProtoDataType",
    "TrainingMode",
    "is_in_onnx_export",
    "operators",
    "register_custom_op_symbolic",
    "symbolic_helper",
]

__path__: list[str] = []  # a package, as far as imports of what lies below it are concerned
globals().update(OPSETS)


def is_in_onnx_export() -> bool:
    """Whether a module is being exported just now: there is no exporter."""
    return False
