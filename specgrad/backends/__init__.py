"""Switches of libraries that specgrad does not use: programs that set them, or ask whether they are there, run."""

from . import cudnn, mps

__all__ = ["cudnn", "mps"]
