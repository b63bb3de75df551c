"""Ops with kernels of their own: their general path, their plans and launches by layouts and arguments."""
