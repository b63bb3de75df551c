"""Memory, streams and launches on CUDA devices, by way of the real driver or a simulated one."""
