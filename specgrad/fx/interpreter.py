"""Running graphs under PyTorch's name."""

from ..nn.fx.interpreter import Interpreter, Transformer

__all__ = ["Interpreter", "Transformer"]
