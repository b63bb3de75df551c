"""How specgrad is made up, under PyTorch's name; the code is in specgrad.runtime.pytorch.environment."""

from .runtime.pytorch.environment.config import parallel_info, show

__all__ = ["parallel_info", "show"]
