"""Adaptive softmax under PyTorch's module path; the code is one folder up."""

from ..adaptive_softmax import AdaptiveLogSoftmaxWithLoss

__all__ = ["AdaptiveLogSoftmaxWithLoss"]
