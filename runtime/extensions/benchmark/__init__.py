"""Measuring how long statements take: what `utils.benchmark` offers."""
