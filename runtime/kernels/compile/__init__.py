"""Compiling kernels: pipelines, linking, and how compiled code is called."""
