"""Processes of such groups under PyTorch's name."""

from . import errors as errors
