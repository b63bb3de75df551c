"""Errors of kernels, where a device would go on with wrong numbers, hang or end the context."""

from __future__ import annotations


class KernelFault(RuntimeError):
    """A kernel does what CUDA forbids or leaves undefined; the text names kernel, thread, array and index."""
