"""PyTorch's code generator, which is not here: programs find its settings."""

from ..runtime.pytorch.compilers.compiling import step as cudagraph_mark_step_begin
from . import config, exc

__all__ = ["config", "cudagraph_mark_step_begin", "exc"]
