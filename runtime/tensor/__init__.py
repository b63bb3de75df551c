"""Tensors below autograd: memory, shape, strides, dtype and device; views and casts."""
