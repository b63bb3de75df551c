"""PyTorch's `torch.utils.weak`, by names: written from `torch_names.py`."""

from specgrad.runtime.tensor.weak import TensorWeakRef as TensorWeakRef
from specgrad.runtime.tensor.weak import WeakIdKeyDictionary as WeakIdKeyDictionary
from specgrad.runtime.tensor.weak import WeakIdRef as WeakIdRef
from specgrad.runtime.tensor.weak import WeakTensorKeyDictionary as WeakTensorKeyDictionary
