"""A CUDA device that is simulated: its memory, the work that is queued for it, and the threads of kernels."""
