"""Context managers that decorate, under PyTorch's name; the code is in specgrad.runtime.modes."""

from ..runtime.modes.context_decorators import DecoratorContextManager as _DecoratorContextManager
from ..runtime.modes.context_decorators import NoParamDecoratorContextManager as _NoParamDecoratorContextManager
from ..runtime.modes.context_decorators import context_decorator

__all__ = ["_DecoratorContextManager", "_NoParamDecoratorContextManager", "context_decorator"]
