"""Tensors of another dtype in machine code."""
