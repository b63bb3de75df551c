"""PyTorch's `torch.quantization`, by names: written from `torch_names.py`."""

from specgrad.ao.quantization import DeQuantStub as DeQuantStub
from specgrad.ao.quantization import FakeQuantizeBase as FakeQuantizeBase
from specgrad.ao.quantization import ObserverBase as ObserverBase
from specgrad.ao.quantization import QuantStub as QuantStub
from specgrad.ao.quantization import QuantWrapper as QuantWrapper
from specgrad.ao.quantization import convert as convert
from specgrad.ao.quantization import fuse_modules as fuse_modules
from specgrad.ao.quantization import prepare as prepare
from specgrad.ao.quantization import prepare_qat as prepare_qat
from specgrad.ao.quantization import quantize as quantize
from specgrad.ao.quantization import quantize_dynamic as quantize_dynamic
