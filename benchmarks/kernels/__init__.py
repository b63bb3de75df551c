"""Ops over rows, windows, indices and scans at nine shapes: ``python -m benchmarks.kernels``."""
