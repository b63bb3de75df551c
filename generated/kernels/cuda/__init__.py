"""Element-wise kernels for CUDA, one file per op."""
