"""Distributions over real numbers, a file for each family."""
