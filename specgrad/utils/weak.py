"""Weak references to tensors under PyTorch's name; the code is in specgrad.runtime.tensor."""

from ..runtime.tensor.weak import TensorWeakRef, WeakIdKeyDictionary, WeakIdRef, WeakTensorKeyDictionary

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]
