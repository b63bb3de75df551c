"""Comparisons for tests, and tensors to try things on: what `testing` offers."""
