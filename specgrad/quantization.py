"""Where `specgrad.ao.quantization` was before."""

from .ao.quantization import (
    DeQuantStub,
    QuantStub,
    QuantWrapper,
    convert,
    fuse_modules,
    prepare,
    prepare_qat,
    quantize,
    quantize_dynamic,
)

__all__ = [
    "DeQuantStub",
    "QuantStub",
    "QuantWrapper",
    "convert",
    "fuse_modules",
    "prepare",
    "prepare_qat",
    "quantize",
    "quantize_dynamic",
]
