"""Timings of specgrad, beside PyTorch where it is installed: ``python -m benchmarks``."""
