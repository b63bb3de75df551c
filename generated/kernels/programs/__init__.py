"""Kernels of programs, for each device."""
