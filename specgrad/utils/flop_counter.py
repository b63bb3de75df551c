"""Counts of operations by module under PyTorch's name; the code is in specgrad.nn.flop_counter."""

from ..nn.flop_counter import FlopCounterMode

__all__ = ["FlopCounterMode"]
