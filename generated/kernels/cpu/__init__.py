"""Element-wise kernels for CPU, one file per op."""
