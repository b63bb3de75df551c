"""Distributions over vectors and matrices."""
