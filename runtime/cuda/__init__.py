"""CUDA devices: memory, streams and launches."""
