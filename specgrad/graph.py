"""Pictures of autograd graphs; the code is in specgrad.runtime.profiler.graph_picture."""

from .runtime.arguments import guard_module as _guard_module
from .runtime.profiler.graph_picture.draw import Drawing, draw

__all__ = ["Drawing", "draw"]

_guard_module(__name__)
