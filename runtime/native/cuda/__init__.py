"""Ops on tensors of a CUDA device in native code: loaded with the first device."""
