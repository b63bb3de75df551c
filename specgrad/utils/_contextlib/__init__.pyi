"""PyTorch's `torch.utils._contextlib`, by names: written from `torch_names.py`."""

from specgrad.runtime.tensor.grad_mode import DecoratorContextManager, NoParamDecoratorContextManager
from specgrad.runtime.tensor.grad_mode import context_decorator as context_decorator

_DecoratorContextManager = DecoratorContextManager
_NoParamDecoratorContextManager = NoParamDecoratorContextManager
