"""Marks and sums of models that could be quantized; the code is in specgrad.nn.quantized."""

from ..nn.quantized import DeQuantStub, FakeQuantizeBase, ObserverBase, QuantStub, QuantWrapper, fuse_modules
from ..nn.quantized import refuse as convert
from ..nn.quantized import refuse as prepare
from ..nn.quantized import refuse as prepare_qat
from ..nn.quantized import refuse as quantize
from ..nn.quantized import refuse as quantize_dynamic

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
