"""Compiling kernels: pipelines of numba, scalar functions as globals, and how compiled code is called."""
