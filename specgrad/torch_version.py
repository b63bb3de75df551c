"""Versions that compare as versions do; the code is in specgrad.runtime.stand_in.version."""

from .runtime.stand_in.version import TorchVersion

__all__ = ["TorchVersion"]
