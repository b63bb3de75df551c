"""Kernels that sort, and that find ranks, runs and bins."""
