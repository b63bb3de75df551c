"""Element-wise kernels for CUDA, by family."""
