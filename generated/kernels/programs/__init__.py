"""Kernels of row programs, for each device."""
