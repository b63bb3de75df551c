"""PyTorch's `torch.utils.weak`, by names: written from `torch_names.py`."""

from specgrad.runtime.methods.swap import TensorWeakRef as TensorWeakRef
from specgrad.runtime.methods.swap import WeakIdKeyDictionary as WeakIdKeyDictionary
from specgrad.runtime.methods.swap import WeakIdRef as WeakIdRef
from specgrad.runtime.methods.swap import WeakTensorKeyDictionary as WeakTensorKeyDictionary
