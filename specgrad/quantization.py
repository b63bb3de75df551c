"""Where `specgrad.ao.quantization` was before."""

from .ao.quantization import (
    DeQuantStub,
    FakeQuantizeBase,
    ObserverBase,
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
    "FakeQuantizeBase",
    "ObserverBase",
    "QuantStub",
    "QuantWrapper",
    "convert",
    "fuse_modules",
    "prepare",
    "prepare_qat",
    "quantize",
    "quantize_dynamic",
]
