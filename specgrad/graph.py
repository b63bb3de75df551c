"""Pictures of autograd graphs; the code is in specgrad.runtime.drawing."""

from .runtime.drawing.draw import Drawing, draw

__all__ = ["Drawing", "draw"]
