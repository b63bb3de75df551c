"""Element-wise kernels for CPU, by family."""
