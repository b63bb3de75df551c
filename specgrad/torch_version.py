"""Versions that compare as versions do; the code is in specgrad.runtime.pytorch.stand_in.version."""

from .runtime.pytorch.stand_in.version import TorchVersion

__all__ = ["TorchVersion"]
